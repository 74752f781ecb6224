/** A question and what became of it, as a reader sees them. */

import type { Failure } from "./failure";
import type { AnswerTold, Asking, Claim, ExchangeTold, Hit, Stage } from "./told";

/** One that waits was turned away for now, counts down, and is asked again by itself. */
export type TurnState = "queued" | "asking" | "waiting" | "done" | "stopped" | "failed";

export interface MarkedText {
  readonly text: string;
  readonly only: boolean;
  readonly pageUrl: string;
}

/** Never changed itself: another one takes its place under the same key. */
export interface Turn {
  readonly key: number;
  readonly question: string;
  readonly selection: MarkedText | null;
  readonly state: TurnState;
  readonly stage: Stage | "reconnecting" | null;
  /** What was told so far; it stays when the line drops, and until another answer takes its place. */
  readonly claims: readonly Claim[];
  readonly hits: readonly Hit[];
  readonly answer: AnswerTold | null;
  readonly failure: Failure | null;
  /** Whether the reader said that it helped. */
  readonly judged: boolean | null;
}

const LONGEST_SELECTION = 10_000;
const LONGEST_URL = 2_000;

export function newTurn(key: number, question: string, selection: MarkedText | null): Turn {
  const untold = { stage: null, claims: [], hits: [], answer: null, failure: null, judged: null };
  return { key, question, selection, state: "queued", ...untold };
}

export function restoredTurn(key: number, { question, selection, answer }: ExchangeTold): Turn {
  const marked = selection ? { text: selection, only: false, pageUrl: "" } : null;
  return { ...newTurn(key, question, marked), state: "done", claims: answer.claims, answer };
}

/** As the server wants it. */
export function askingOf({ question, selection }: Turn): Asking {
  if (!selection) return { question };
  const { text, only, pageUrl } = selection;
  return {
    question,
    selection: { text: readable(text.slice(0, LONGEST_SELECTION)), only, page_url: pageUrl.slice(0, LONGEST_URL) },
  };
}

/** Without control characters and halves of character pairs, which pages have and no text may hold. */
export function readable(text: string): string {
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u{d800}-\u{dfff}]/gu, "");
}
