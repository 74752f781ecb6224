/** Why a question has no answer, in the few kinds that a reader can do something about. */

import { LineDropped, Refused } from "./line";

export type FailureKind = "offline" | "unauthorized" | "busy" | "limited" | "too_long" | "no_book" | "server";

export interface Failure {
  readonly kind: FailureKind;
  /** When it is asked again by itself, in milliseconds since 1970. */
  readonly retryAt: number | null;
}

/** Seconds, where the server did not say. */
const USUAL_WAIT = 5;
const LONGEST_WAIT = 120;

export function failureOf(error: unknown, retryAt: number | null = null): Failure {
  return { kind: kindOf(error), retryAt };
}

/** Seconds until it may be asked again by itself; null where that would not help, or not soon. */
export function waitOf(error: unknown): number | null {
  if (!(error instanceof Refused && error.retryable)) return null;
  const seconds = Math.max(1, error.retryAfter ?? USUAL_WAIT);
  return seconds > LONGEST_WAIT ? null : seconds;
}

export function isUnknown(error: unknown): boolean {
  return error instanceof Refused && error.status === 404;
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof LineDropped) return "offline";
  if (!(error instanceof Refused)) return "server";
  if (error.code === "no_book") return "no_book";
  switch (error.status) {
    case 401:
    case 403:
      return "unauthorized";
    case 400:
    case 413:
      return "too_long";
    case 429:
      return "limited";
    default:
      return error.retryable ? "busy" : "server";
  }
}
