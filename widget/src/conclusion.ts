/** What stands under an answer: how far the book carries it, and what the reader can do with it. */

import type { Turn } from "./chat";
import { placeList, placeOf } from "./citation";
import { addressOf } from "./highlight";
import { icon } from "./icons";
import { button, node, note, tool } from "./node";
import type { Scene } from "./scene";
import type { AnswerTold } from "./told";
import type { Words } from "./words";

const COPIED_MS = 1600;
const REASON_LENGTH = 1000;

export type Verdict = "plainly" | "partly" | "not";

export function verdictOf({ outcome, grounding }: AnswerTold): Verdict | null {
  switch (outcome) {
    case "answered":
      return grounding.is_fully_grounded ? "plainly" : "partly";
    case "answered_with_caution":
      return "partly";
    case "not_in_book":
    case "not_in_selection":
      return "not";
    case "small_talk":
    case "needs_more_words":
      return null;
  }
}

export function conclude(turn: Turn, answer: AnswerTold, scene: Scene): readonly Node[] {
  const { words, chat, isEphemeral } = scene;
  const { question, selection } = turn;
  const searchWhole = (): unknown => chat.ask(question, selection && { ...selection, only: false });
  const numbers = figures(answer, scene);
  const reason = node("div");
  return [
    answer.disclaimer && node("p", { class: "small partly", dir: "auto" }, answer.disclaimer),
    answer.outcome === "not_in_selection" && button(words.wholeBook, searchWhole),
    placeList(answer, scene),
    node(
      "div",
      { class: "row" },
      verdictLine(answer, numbers, scene),
      copyButton(scene, () => asText(answer, scene)),
      // Nobody can judge an answer that is kept nowhere.
      ...(isEphemeral ? [] : thumbs(turn, reason, scene)),
    ),
    numbers,
    reason,
  ].filter((part) => part instanceof Node);
}

/** Opens the numbers behind the words. */
function verdictLine(answer: AnswerTold, numbers: HTMLElement, { words }: Scene): HTMLElement {
  const verdict = verdictOf(answer);
  if (!verdict) return node("span");
  const line = button(
    words.says[verdict],
    () => {
      numbers.hidden = !numbers.hidden;
      line.ariaExpanded = `${!numbers.hidden}`;
      numbers.scrollIntoView({ block: "nearest" });
    },
    { class: `verdict ${verdict}`, "aria-expanded": "false" },
  );
  line.append(icon("more"));
  return line;
}

function figures({ confidence, claims, citations, writer }: AnswerTold, { words }: Scene): HTMLElement {
  const carried = claims.filter(({ verdict }) => verdict === "supported").length;
  const known = [
    [words.confidence, confidence && `${rounded(confidence.score)} (${words[confidence.level]})`],
    [words.checked, claims.length && `${carried} / ${claims.length}`],
    [words.similarity, citations.map(({ similarity }) => rounded(similarity)).join(" · ")],
    [words.writer, writer],
  ] as const;
  const shown = known.flatMap(([name, value]) => (value ? [node("dt", {}, name), node("dd", {}, value)] : []));
  return node("dl", { class: "small box", hidden: true }, ...shown);
}

function rounded(number: number): string {
  return number.toFixed(2);
}

/** There is none where the browser keeps its clipboard from the page. */
export function copyButton({ words, say }: Scene, textOf: (copy: HTMLElement) => string): HTMLElement {
  const copy = tool(
    words.copy,
    "copy",
    async () => {
      await navigator.clipboard.writeText(textOf(copy));
      say(words.copied);
      copy.replaceChildren(icon("check"));
      setTimeout(() => copy.replaceChildren(icon("copy")), COPIED_MS);
    },
    { hidden: !navigator.clipboard },
  );
  return copy;
}

/** The answer and what its marks stand for, to be pasted elsewhere. */
function asText({ text, citations }: AnswerTold, scene: Scene): string {
  const places = citations.map((one) => `\n[${one.n}] ${placeOf(one, scene)}, ${addressOf(one.url)?.href}`);
  return [text, ...places].join("\n").trim();
}

/** Who says that it did not help may say why. */
function thumbs({ key }: Turn, place: HTMLElement, { chat, words, say }: Scene): readonly HTMLElement[] {
  // What the server does not take is taken back in the turn.
  const judge = (helpful: boolean, why = ""): unknown => chat.judge(key, helpful, why).catch(() => {});
  const thank = (): void => {
    say(words.thanks);
    place.replaceChildren(note(words.thanks));
  };
  const tell = (why: string): unknown => [why && judge(false, why), thank(), down.focus()];
  const up = tool(words.helpful, "thumb", () => [judge(true), thank()]);
  const down = tool(words.unhelpful, "thumb", () => [judge(false), askWhy(place, words, tell)], { class: "tool down" });
  return [up, down];
}

/** Shows what the reader said of it. */
export function showJudged(foot: HTMLElement, { judged }: Turn): void {
  const [, up, down] = foot.querySelectorAll(".row > .tool");
  if (up) up.ariaPressed = `${judged === true}`;
  if (down) down.ariaPressed = `${judged === false}`;
}

function askWhy(place: HTMLElement, { missing, send }: Words, tell: (why: string) => unknown): void {
  const text = node("textarea", {
    rows: 2,
    maxlength: REASON_LENGTH,
    placeholder: missing,
    "aria-label": missing,
    dir: "auto",
  });
  place.replaceChildren(
    text,
    button(send, () => tell(text.value.trim())),
  );
  text.focus();
}
