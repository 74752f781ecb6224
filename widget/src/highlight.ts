/** Goes to a place that an answer cites, and marks its words there. */

import { findQuote } from "./highlight_find";
import { isMarked, mark, unmark } from "./highlight_mark";
import { bringIntoView } from "./highlight_view";
import { spelled, WordsInPage } from "./words_in_page";

const PAUSE = 150;
const MOST_LOOKS = 33;
const PATIENT_LOOKS = 7;

/** Finds the words in a page; `null` where they are not, or only some of them and all are wanted. */
type Find = (page: WordsInPage, mayBeLess: boolean) => Range | null;

let stopWaiting = (): void => undefined;

export function goTo(url: string, quote: string, { newTab }: { readonly newTab: boolean }): void {
  const target = addressOf(url);
  if (!target) return;
  const find: Find = (page, mayBeLess) => findQuote(page, quote, mayBeLess);
  clearMark();
  if (newTab) window.open(target, "_blank", "noopener");
  else if (isHere(target)) showWords(target, find, true) || showAnchor(target);
  else if (isTaken(target)) showOnceThere(target, find);
  else location.assign(target);
}

/** Where the browser knows no text fragments, the words that it was sent to are marked here. */
export function markArrival(): void {
  // A site's router may have changed the address since.
  const urls = [location.href, ...performance.getEntriesByType("navigation").map(({ name }) => name)];
  const [url, text] = urls.map((one) => /.*:~:(?:.*&)?text=([^&]+)/.exec(one)).find((found) => found) ?? [];
  if (!url || !text || "fragmentDirective" in document) return;
  const [begin = "", end = begin] = text.split(",").filter((part) => !/^-|-$/.test(part)).map(decoded);
  showOnceThere(new URL(url), (page) => findBetween(page, spelled(begin), spelled(end)));
}

/** It stays until then, or until the next one, or until the reader presses Escape. */
export function clearMark(): void {
  stopWaiting();
  unmark();
}

/** Only what a browser would fetch; scripts and data have addresses too. */
export function addressOf(url: string): URL | null {
  try {
    const address = new URL(url, document.baseURI);
    return /^https?:$/.test(address.protocol) ? address : null;
  } catch {
    return null;
  }
}

function isHere(target: URL): boolean {
  const page = ({ origin, pathname, search }: URL | Location): string =>
    origin + pathname.replace(/(?:\/(?:index)?)?(?:\.html)?$/, "") + search;
  return page(target) === page(location);
}

/** A site that hears the event and prevents its default goes there itself; text fragments are for browsers only. */
function isTaken({ href }: URL): boolean {
  const detail = { url: href.split(":~:")[0] };
  return !dispatchEvent(new CustomEvent("glossator:navigate", { cancelable: true, detail }));
}

function showWords(target: URL, find: Find, mayBeLess: boolean): boolean {
  const page = new WordsInPage(anchorOf(target) ?? document.querySelector("h1"));
  const range = find(page, mayBeLess);
  if (!range) return false;
  mark(range, clearMark);
  bringIntoView(range, range.startContainer.parentElement);
  return true;
}

function showAnchor(target: URL): boolean {
  const anchor = anchorOf(target);
  if (anchor) bringIntoView(anchor, anchor);
  return !!anchor;
}

function anchorOf({ hash }: URL): Element | null {
  return document.getElementById(decoded(hash.slice(1).split(":~:")[0] ?? ""));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A page that is being drawn may have the words in a moment, and may then draw them anew. */
function showOnceThere(target: URL, find: Find): void {
  let looks = 0;
  const timer = setInterval(() => {
    const isImpatient = ++looks > PATIENT_LOOKS;
    const isMissing = isHere(target) && !isMarked() && !showWords(target, find, isImpatient);
    if (looks === MOST_LOOKS || (isMissing && isImpatient && showAnchor(target))) stopWaiting();
  }, PAUSE);
  stopWaiting = () => clearInterval(timer);
}

function findBetween(page: WordsInPage, begin: string, end: string): Range | null {
  const range = page.find(begin);
  const last = page.find(end);
  if (range && last && range.comparePoint(last.endContainer, last.endOffset) > 0) range.setEnd(last.endContainer, last.endOffset);
  return range;
}
