/** Marks the sentences that the book carries only in part, so that the renderer can underline them. */

import type { Claim } from "./types";

/** Private characters around such a sentence; the renderer makes an element of them. */
export const HALF = ["\uE000", "\uE001"] as const;

const OWN = /[\uE000\uE001]/g;
/** Blanks and list marker before a sentence, the sentence, and its citation marks. */
const SENTENCE = /^(\s*(?:(?:[-+*]|\d{1,9}[.)]) +)?)([^\n|]+?)((?: *\[\d{1,3}\])*)$/;

/** The answer's text, or that of the claims so far. */
export function markHalf(text: string | null, claims: readonly Claim[]): string {
  const said = claims.map((claim) => claim.text).join("");
  // A refusal has no claims, and a text that was made otherwise is shown as it is.
  if (text !== null && text !== said) return text.replace(OWN, "");
  return claims.map(({ text, verdict }) => (verdict === "supported" ? text.replace(OWN, "") : half(text))).join("");
}

function half(text: string): string {
  return text.replace(OWN, "").replace(SENTENCE, `$1${HALF[0]}$2${HALF[1]}$3`);
}
