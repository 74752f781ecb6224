/** A turn: a question, its state, and its answer. */

import type { Failure } from "./failure";
import type { Answer, AskRequest, Claim, Exchange, Hit, Stage } from "./types";

/** `waiting`: the server was busy, and the question is asked again after a countdown. */
export type TurnState = "queued" | "asking" | "waiting" | "done" | "stopped" | "failed";

/** Text that the reader selected in the page. */
export interface SelectedText {
  readonly text: string;
  /** Answer from this text alone. */
  readonly only: boolean;
  readonly pageUrl: string;
}

/** Immutable: a change makes a new object with the same key. */
export interface Turn {
  readonly key: number;
  readonly question: string;
  readonly selection: SelectedText | null;
  readonly state: TurnState;
  readonly stage: Stage | "reconnecting" | null;
  /** The claims received so far; they stay when the connection drops, until another answer replaces them. */
  readonly claims: readonly Claim[];
  readonly hits: readonly Hit[];
  readonly answer: Answer | null;
  readonly failure: Failure | null;
  /** The reader's feedback; null when there is none. */
  readonly helpful: boolean | null;
}

const LONGEST_SELECTION = 10_000;
const LONGEST_URL = 2_000;

export function newTurn(key: number, question: string, selection: SelectedText | null): Turn {
  const empty = { stage: null, claims: [], hits: [], answer: null, failure: null, helpful: null };
  return { key, question, selection, state: "queued", ...empty };
}

export function restoredTurn(key: number, { question, selection, answer }: Exchange): Turn {
  const selected = selection ? { text: selection, only: false, pageUrl: "" } : null;
  return { ...newTurn(key, question, selected), state: "done", claims: answer.claims, answer };
}

export function requestOf({ question, selection }: Turn): AskRequest {
  if (!selection) return { question };
  const { text, only, pageUrl } = selection;
  return {
    question,
    selection: {
      text: withoutControlCharacters(text.slice(0, LONGEST_SELECTION)),
      only,
      page_url: pageUrl.slice(0, LONGEST_URL),
    },
  };
}

/** Also removes unpaired surrogates: pages contain both, and the server rejects them. */
export function withoutControlCharacters(text: string): string {
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u{d800}-\u{dfff}]/gu, "");
}
