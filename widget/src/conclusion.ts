/** What stands under an answer: what it rests on, how far it goes, and what the reader can do with it. */

import type { Turn } from "./chat";
import { placeList, placeOf } from "./citation";
import { copyButton } from "./copy";
import { feedback } from "./feedback";
import { addressOf } from "./highlight";
import { button, node } from "./node";
import type { Scene } from "./scene";
import type { AnswerTold } from "./told";
import { drawVerdict } from "./verdict";

export function conclude(turn: Turn, answer: AnswerTold, scene: Scene): readonly Node[] {
  const [line, numbers] = drawVerdict(answer, scene);
  const copy = copyButton(scene, () => asText(answer, scene));
  // Nobody can judge an answer that is kept nowhere.
  const [up, down, reason] = scene.isEphemeral ? [] : feedback(turn, scene);
  return [
    answer.disclaimer && node("p", { class: "small partly", dir: "auto" }, answer.disclaimer),
    answer.outcome === "not_in_selection" && searchWhole(turn, scene),
    placeList(answer, scene),
    node("div", { class: "row" }, line, copy, up ?? "", down ?? ""),
    numbers,
    reason,
  ].filter((part) => part instanceof Node);
}

function searchWhole({ question, selection }: Turn, { chat, words }: Scene): HTMLElement {
  return button(words.wholeBook, () => chat.ask(question, selection && { ...selection, only: false }));
}

/** The answer and what its marks stand for, to be pasted elsewhere. */
function asText({ text, citations }: AnswerTold, scene: Scene): string {
  const places = citations.map((one) => `\n[${one.n}] ${placeOf(one, scene)}, ${addressOf(one.url)?.href}`);
  return [text, ...places].join("\n").trim();
}
