/** Finds the words of a quote in a page. */

import { spelled, type WordsInPage } from "./words_in_page";

const LONGEST_QUOTE = 20_000;
const LEAST_SHARE = 64;
// Fewer letters in a row stand on a page by chance.
const ENOUGH = 24;

/** Lines that no site shows. */
const FENCE = /^[ \t]*(?:```|~~~).*/gm;
/** What a site shows in another way, or not at all; code in a line, which comes first, is shown as it stands. */
const MARKUP = new RegExp(
  [
    /(`[^`\n]+`)/,
    // Signs of admonitions and items.
    /^[ \t]*(?::::[ \t:]*\w*|[!?]{3}\+?[ \t]*\w+|\d{1,3}[.)] |[-*+] +\[[ xX]\])/,
    // Images, targets of links, footnotes.
    /!\[[^[\]]*\]\([^()]*\)|\](?:\([^()]*\)|\[[^[\]]*\])|\[\^[^[\]]*\]/,
    // Tags, but not addresses; entities, formulas, attributes.
    /<(?!\w+:)[^<>]*>|&#?\w+;|\$[^$]*\$|\{[#:%/][^{}]*\}/,
  ].map(({ source }) => source).join("|"),
  "gm",
);

/** All of a quote, or, where it may be less, as much of its beginning as the page has. */
export function findQuote(page: WordsInPage, quote: string, mayBeLess: boolean): Range | null {
  const source = quote.slice(0, LONGEST_QUOTE).replace(FENCE, "");
  // In code, what looks like markup is none.
  const sources = [source, source.replace(MARKUP, (_, code = " ") => code)].map((one) => spelled(one));
  for (let share = 1; share === 1 || (mayBeLess && share < LEAST_SHARE); share *= 2) {
    for (const letters of sources) {
      const part = letters.slice(0, letters.length / share);
      const found = share === 1 || part.length >= ENOUGH ? page.find(part) : null;
      if (found) return found;
    }
  }
  return null;
}
