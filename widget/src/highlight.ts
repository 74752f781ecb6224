/** Goes to a place that an answer cites, and marks its words there. */

import { findQuote } from "./highlight_find";
import { isMarked, mark, unmark } from "./highlight_mark";
import { bringIntoView } from "./highlight_view";
import { WordsInPage } from "./words_in_page";

const PAUSE = 150;
/** About five seconds; after the first one, less than all of the words is taken too. */
const MOST_LOOKS = 33;
const PATIENT_LOOKS = 7;

let stopWaiting = (): void => undefined;

export interface Going {
  readonly newTab: boolean;
  /** Nothing would be left of the conversation if the page were loaded anew. */
  readonly isEphemeral: boolean;
}

export function goTo(url: string, quote: string, { newTab, isEphemeral }: Going): void {
  const target = addressOf(url);
  if (!target) return;
  clearMark();
  if (!newTab && isHere(target)) show(target, quote);
  else if (!newTab && isTaken(target)) showOnceThere(target, quote);
  else if (newTab || isEphemeral) window.open(target, "_blank", "noopener");
  else location.assign(target);
}

/** Also what a reader's Escape does. */
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

function show(target: URL, quote: string): void {
  if (!showWords(target, quote, true)) showAnchor(target);
}

function showWords(target: URL, quote: string, mayBeLess: boolean): boolean {
  const page = new WordsInPage(anchorOf(target) ?? document.querySelector("h1"));
  const range = findQuote(page, quote, mayBeLess);
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
function showOnceThere(target: URL, quote: string): void {
  let looks = 0;
  const timer = setInterval(() => {
    const isImpatient = ++looks > PATIENT_LOOKS;
    const isMissing = isHere(target) && !isMarked() && !showWords(target, quote, isImpatient);
    if (looks === MOST_LOOKS || (isMissing && isImpatient && showAnchor(target))) stopWaiting();
  }, PAUSE);
  stopWaiting = () => clearInterval(timer);
}
