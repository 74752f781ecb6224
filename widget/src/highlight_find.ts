/** Finds the words of a quote in a page. */

import { spelled, type WordsInPage } from "./words_in_page";

const LONGEST_QUOTE = 20_000;
const LONGEST_PART = 2_000;
// Fewer letters in a row stand on a page by chance.
const ENOUGH = 24;

/** Lines that no site shows. */
const FENCES = /^[ \t]*(?:```|~~~).*/gm;
/** What a site shows in another way, or not at all: marks of items and admonitions, targets, tags, entities, formulas. */
const MARKUP =
  /(`[^`\n]+`)|^[ \t]*(?::::[ \t:]*\w*|[!?]{3}\+?[ \t]*\w+|\d{1,3}[.)] |[-*+] +\[[ xX]\])|!\[[^[\]]*\]\([^()]*\)|\](?:\([^()]*\)|\[[^[\]]*\])|\[\^[^[\]]*\]|<(?!\w+:)[^<>]*>|&#?\w+;|\$[^$]*\$|\{[#:%/][^{}]*\}/gm;

/** All of a quote, or, where it may be less, the longest part of it that the page has. */
export function findQuote(page: WordsInPage, quote: string, mayBeLess: boolean): Range | null {
  const source = quote.slice(0, LONGEST_QUOTE).replace(FENCES, "");
  // In code, what looks like markup is none.
  const sources = [source, source.replace(MARKUP, (_, code = " ") => code)];
  const parts = mayBeLess ? sources.map((one) => longestPart(page.letters, one)) : [];
  for (const words of [...sources, ...parts.sort((a, b) => b.length - a.length)]) {
    const found = page.find(spelled(words));
    if (found) return found;
  }
  return null;
}

function longestPart(text: string, source: string): string {
  const words = source.slice(0, LONGEST_PART).split(/[^\p{L}\p{M}\p{N}]+/u).map((word) => spelled(word));
  let longest = "";
  for (let at = 0, size = 1; at + size <= words.length; at++) {
    let part = words.slice(at, at + size).join("");
    for (; at + size <= words.length && text.includes(part); part += words[at + size++] ?? "") longest = part;
  }
  return longest.length < ENOUGH ? "" : longest;
}
