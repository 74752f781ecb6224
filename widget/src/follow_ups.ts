/** Questions to go on with, below the last answer. */

import type { Turn } from "./chat";
import type { Context } from "./context";
import { node, note } from "./node";
import type { Answer } from "./types";

/** Empty until the server has named some; only the last turn shows them. */
export function followUps(turn: Turn, answer: Answer, context: Context): HTMLElement {
  const list = node("div", { class: "next", hidden: true });
  const [citation] = answer.citations;
  const isLast = context.chat.turns.at(-1)?.key === turn.key;
  if (citation && isLast && answer.outcome.startsWith("answered")) void fill(list, citation.chunk_id, context);
  return list;
}

async function fill(list: HTMLElement, chunkId: string, context: Context): Promise<void> {
  const { chat, messages } = context;
  const { questions } = await chat.suggest(chunkId);
  const asked = chat.turns.map(({ question }) => question);
  const fresh = questions.filter((question) => !asked.includes(question));
  list.hidden = !fresh.length;
  list.append(note(messages.next), ...questionButtons(fresh, context));
}

export function questionButtons(questions: readonly string[], { chat }: Context): readonly HTMLElement[] {
  return questions.map((question) =>
    node("button", { type: "button", class: "topic", dir: "auto", click: () => chat.ask(question, null) }, question),
  );
}
