/** What goes over the line, by the names that the server's own document gives it. */

import type { components } from "./api";

type Schemas = components["schemas"];

export type AnswerTold = Schemas["AnswerTold"];
export type Asking = Schemas["AskRequest"];
export type AskReply = Schemas["AskReply"];
export type Citation = Schemas["Citation"];
export type Claim = Schemas["ClaimEvent"];
export type Confidence = Schemas["Confidence"];
export type ExchangeTold = Schemas["ExchangeTold"];
export type Filters = Schemas["FiltersSent"];
/** A place of the book that an answer may come from. */
export type Hit = Schemas["HitTold"];
export type Outcome = Schemas["Outcome"];
export type Problem = Schemas["ProblemBody"];
export type SearchHit = Schemas["SearchHit"];
export type SearchReply = Schemas["SearchReply"];
export type Selection = Schemas["SelectionSent"];
export type SessionProof = Schemas["SessionTold"];
export type SessionReply = Schemas["SessionReply"];
export type Suggestion = Schemas["Suggestion"];
export type Verdict = Schemas["Verdict"];

export type Stage = "searching" | "writing" | "checking";

/** What is heard of an answer while it is made; the last one is the answer. */
export type AskEvent =
  | { readonly type: "status"; readonly stage: Stage; readonly session: SessionProof | null }
  | { readonly type: "found"; readonly hits: readonly Hit[] }
  | ({ readonly type: "claim" } & Claim)
  /** The answer that was begun is lost and another one begins: no claim before this is part of it. */
  | { readonly type: "restart" }
  | { readonly type: "answer"; readonly answer: AskReply };
