/** Finds a quote in a page. */

import { lettersOf, type PageText } from "./page_text";

const LONGEST_QUOTE = 20_000;
const MOST_PARTS = 64;
// A shorter match may be a coincidence.
const FEWEST_LETTERS = 24;

/** Code fences, which no site shows. */
const FENCE = /^[ \t]*(?:```|~~~).*/gm;
/** Markup that sites render differently or not at all. Inline code comes first, because it is shown as it is. */
const MARKUP = new RegExp(
  [
    /(`[^`\n]+`)/,
    // Markers of admonitions and list items.
    /^[ \t]*(?::::[ \t:]*\w*|[!?]{3}\+?[ \t]*\w+|\d{1,3}[.)] |[-*+] +\[[ xX]\])/,
    // Images, link targets, footnotes.
    /!\[[^[\]]*\]\([^()]*\)|\](?:\([^()]*\)|\[[^[\]]*\])|\[\^[^[\]]*\]/,
    // Tags, but not autolinks; entities, formulas, attributes.
    /<(?!\w+:)[^<>]*>|&#?\w+;|\$[^$]*\$|\{[#:%/][^{}]*\}/,
  ].map(({ source }) => source).join("|"),
  "gm",
);

/** The whole quote; or, if allowed, the longest beginning of it (a half, a quarter, …) that the page has. */
export function findQuote(page: PageText, quote: string, allowPartial: boolean): Range | null {
  const source = quote.slice(0, LONGEST_QUOTE).replace(FENCE, "");
  // Both with and without its markup: inside code, what looks like markup is text.
  const candidates = [source, source.replace(MARKUP, (_, code = " ") => code)].map((text) => lettersOf(text));
  for (let parts = 1; parts === 1 || (allowPartial && parts < MOST_PARTS); parts *= 2) {
    for (const letters of candidates) {
      const prefix = letters.slice(0, letters.length / parts);
      const range = parts === 1 || prefix.length >= FEWEST_LETTERS ? page.find(prefix) : null;
      if (range) return range;
    }
  }
  return null;
}
