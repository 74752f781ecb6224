/** How far the book supports an answer: as a line of text, and as numbers behind it. */

import type { Context } from "./context";
import { icon } from "./icons";
import { node, textButton } from "./node";
import type { Answer } from "./types";

export type Verdict = "says" | "half" | "unsure" | "not";

export function verdictOf({ outcome, grounding }: Answer): Verdict | null {
  switch (outcome) {
    case "answered":
      return grounding.is_fully_grounded ? "says" : "half";
    case "answered_with_caution":
      return "unsure";
    case "not_in_book":
    case "not_in_selection":
      return "not";
    case "small_talk":
    case "needs_more_words":
      return null;
  }
}

/** The line, a button that shows and hides the numbers; and the numbers. */
export function drawVerdict(answer: Answer, { messages }: Context): readonly [HTMLElement, HTMLElement] {
  const verdict = verdictOf(answer);
  const numbers = node("dl", { class: "small box", hidden: true }, ...figureRows(answer, messages));
  if (!verdict) return [node("span"), numbers];
  const toggle = (): void => {
    numbers.hidden = !numbers.hidden;
    line.ariaExpanded = `${!numbers.hidden}`;
    numbers.scrollIntoView({ block: "nearest" });
  };
  const isDoubtful = verdict === "half" || verdict === "unsure";
  const line = textButton(messages[verdict], toggle, { class: `verdict ${isDoubtful ? "partly" : verdict}`, "aria-expanded": "false" });
  line.append(icon("more"));
  return [line, numbers];
}

function figureRows({ confidence, claims, citations }: Answer, messages: Context["messages"]): readonly Node[] {
  const supported = claims.filter(({ verdict }) => verdict === "supported").length;
  const rows = [
    [messages.confidence, confidence && `${twoDecimals(confidence.score)} (${messages[confidence.level]})`],
    [messages.checked, claims.length && `${supported} / ${claims.length}`],
    [messages.similarity, citations.map(({ similarity }) => twoDecimals(similarity)).join(" · ")],
  ] as const;
  return rows.flatMap(([name, value]) => (value ? [node("dt", {}, name), node("dd", {}, value)] : []));
}

function twoDecimals(number: number): string {
  return number.toFixed(2);
}
