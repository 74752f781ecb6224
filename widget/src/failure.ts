/** Why a question failed, in the few kinds that a reader can act on. */

import { ApiError, ConnectionError } from "./transport";

export type FailureKind = "offline" | "unauthorized" | "busy" | "limited" | "too_long" | "no_book" | "server";

export interface Failure {
  readonly kind: FailureKind;
  /** When the question is asked again automatically, in milliseconds since 1970. */
  readonly retryAt: number | null;
}

/** When the server gave no `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 5;
const LONGEST_WAIT_SECONDS = 120;

export function failureFrom(error: unknown, retryAt: number | null = null): Failure {
  return { kind: kindOf(error), retryAt };
}

/** Seconds until an automatic retry; null when a retry would not help, or the wait is too long. */
export function retryDelay(error: unknown): number | null {
  if (!(error instanceof ApiError && error.retryable)) return null;
  const seconds = Math.max(1, error.retryAfter ?? DEFAULT_WAIT_SECONDS);
  return seconds > LONGEST_WAIT_SECONDS ? null : seconds;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof ConnectionError) return "offline";
  if (!(error instanceof ApiError)) return "server";
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
