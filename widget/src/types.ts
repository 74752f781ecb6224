/** The types of requests and replies, named as in the server's OpenAPI document or shorter. */

import type { components } from "./api";

type Schemas = components["schemas"];

export type Answer = Schemas["AnswerOut"];
export type AskReply = Schemas["AskReply"];
export type AskRequest = Schemas["AskRequest"];
export type Citation = Schemas["Citation"];
export type Claim = Schemas["ClaimEvent"];
export type Confidence = Schemas["Confidence"];
export type Exchange = Schemas["ExchangeOut"];
export type Filters = Schemas["FiltersIn"];
/** A passage of the book that an answer may come from. */
export type Hit = Schemas["HitOut"];
export type Outcome = Schemas["Outcome"];
export type Problem = Schemas["ProblemBody"];
export type Questions = Schemas["QuestionsReply"];
export type SearchHit = Schemas["SearchHit"];
export type SearchReply = Schemas["SearchReply"];
export type Selection = Schemas["SelectionIn"];
export type SessionProof = Schemas["SessionProof"];
export type SessionReply = Schemas["SessionReply"];
export type Suggestion = Schemas["Suggestion"];
export type Verdict = Schemas["Verdict"];

export type Stage = "searching" | "writing" | "checking";

/** The events of an answer's stream; the last one is `answer`. */
export type AskEvent =
  | { readonly type: "status"; readonly stage: Stage; readonly session: SessionProof | null }
  | { readonly type: "found"; readonly hits: readonly Hit[] }
  | ({ readonly type: "claim" } & Claim)
  /** The server lost the answer and writes another one: discard the claims received before this event. */
  | { readonly type: "restart" }
  | { readonly type: "answer"; readonly answer: AskReply };
