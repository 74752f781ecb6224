/** Below an answer: disclaimer, sources, verdict, and the buttons to copy and to give feedback. */

import type { Turn } from "./chat";
import { sourceList, titleOf } from "./citation";
import type { Context } from "./context";
import { copyButton } from "./copy";
import { feedback } from "./feedback";
import { addressOf } from "./highlight";
import { followUps } from "./follow_ups";
import { fill } from "./messages";
import { node, note, textButton } from "./node";
import type { Answer } from "./types";
import { drawVerdict } from "./verdict";

export function answerFooter(turn: Turn, answer: Answer, context: Context): readonly Node[] {
  const [verdictLine, numbers] = drawVerdict(answer, context);
  const copy = copyButton(context, () => plainText(answer, context));
  // The server stores no ephemeral answer, so there is nothing to give feedback on.
  const [buttons = [], reasonForm] = context.isEphemeral ? [] : feedback(turn, context);
  return [
    answer.disclaimer && node("p", { class: "small partly", dir: "auto" }, answer.disclaimer),
    answer.outcome === "not_in_selection" && wholeBookButton(turn, context),
    sourceList(answer, context),
    writerLine(answer, context),
    node("div", { class: "row" }, verdictLine, copy, ...buttons),
    numbers,
    reasonForm,
    followUps(turn, answer, context),
  ].filter((part) => part instanceof Node);
}

/** Who wrote the answer, in words. */
function writerLine({ writer, model, claims }: Answer, { messages }: Context): HTMLElement | false {
  if (!writer || !claims.length) return false;
  if (writer === "extractive") return note(messages.composed);
  const checked = claims.filter(({ verdict }) => verdict === "supported").length;
  return note(fill(messages.written, messages, model ?? writer, checked, claims.length));
}

function wholeBookButton({ question, selection }: Turn, { chat, messages }: Context): HTMLElement {
  return textButton(messages.wholeBook, () => chat.ask(question, selection && { ...selection, only: false }));
}

/** The answer and its sources, for the clipboard. */
function plainText({ text, citations }: Answer, context: Context): string {
  const sources = citations.map(
    (citation) => `\n[${citation.n}] ${titleOf(citation, context)}, ${addressOf(citation.url)?.href}`,
  );
  return [text, ...sources].join("\n").trim();
}
