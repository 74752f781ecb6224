/** How far the book carries an answer: in words, and in numbers for who wants them. */

import { icon } from "./icons";
import { button, node } from "./node";
import type { Scene } from "./scene";
import type { AnswerTold } from "./told";

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

/** The words, which open the numbers; and the numbers. */
export function drawVerdict(answer: AnswerTold, { words }: Scene): readonly [HTMLElement, HTMLElement] {
  const verdict = verdictOf(answer);
  const numbers = node("dl", { class: "small box", hidden: true }, ...figures(answer, words));
  if (!verdict) return [node("span"), numbers];
  const toggle = (): void => {
    numbers.hidden = !numbers.hidden;
    line.ariaExpanded = `${!numbers.hidden}`;
    numbers.scrollIntoView({ block: "nearest" });
  };
  const line = button(words[verdict], toggle, { class: `verdict ${verdict}`, "aria-expanded": "false" });
  line.append(icon("more"));
  return [line, numbers];
}

function figures({ confidence, claims, citations, writer }: AnswerTold, words: Scene["words"]): readonly Node[] {
  const carried = claims.filter(({ verdict }) => verdict === "supported").length;
  const known = [
    [words.confidence, confidence && `${rounded(confidence.score)} (${words[confidence.level]})`],
    [words.checked, claims.length && `${carried} / ${claims.length}`],
    [words.similarity, citations.map(({ similarity }) => rounded(similarity)).join(" · ")],
    [words.writer, writer],
  ] as const;
  return known.flatMap(([name, value]) => (value ? [node("dt", {}, name), node("dd", {}, value)] : []));
}

function rounded(number: number): string {
  return number.toFixed(2);
}
