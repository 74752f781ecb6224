/** Goes to a page that an answer cites, and highlights the quote there. */

import { findQuote } from "./highlight_find";
import { clear, highlight, isHighlighted } from "./highlight_mark";
import { scrollToTarget } from "./highlight_view";
import { PageText } from "./page_text";

const POLL_MS = 150;
/** About five seconds; after the first second a part of the quote is enough. */
const MOST_ATTEMPTS = 33;
const EXACT_ATTEMPTS = 7;

let stopPolling = (): void => undefined;

export interface NavigationOptions {
  readonly newTab: boolean;
  /** Loading another page would lose the conversation, so a new tab is opened. */
  readonly isEphemeral: boolean;
}

export function goTo(url: string, quote: string, { newTab, isEphemeral }: NavigationOptions): void {
  const target = addressOf(url);
  if (!target) return;
  clearHighlight();
  if (!newTab && isCurrentPage(target)) showTarget(target, quote);
  else if (!newTab && isHandledBySite(target)) showWhenLoaded(target, quote);
  else if (newTab || isEphemeral) window.open(target, "_blank", "noopener");
  else location.assign(target);
}

function clearHighlight(): void {
  stopPolling();
  clear();
}

/** Accepts http and https alone; `javascript:` and `data:` are URLs too. */
export function addressOf(url: string): URL | null {
  try {
    const address = new URL(url, document.baseURI);
    return /^https?:$/.test(address.protocol) ? address : null;
  } catch {
    return null;
  }
}

function isCurrentPage(target: URL): boolean {
  const pageOf = ({ origin, pathname, search }: URL | Location): string =>
    origin + pathname.replace(/(?:\/(?:index)?)?(?:\.html)?$/, "") + search;
  return pageOf(target) === pageOf(location);
}

/** A site that calls `preventDefault()` navigates itself. It gets no text fragment, which only browsers understand. */
function isHandledBySite({ href }: URL): boolean {
  const detail = { url: href.split(":~:")[0] };
  return !dispatchEvent(new CustomEvent("glossator:navigate", { cancelable: true, detail }));
}

function showTarget(target: URL, quote: string): void {
  if (!showQuote(target, quote, true)) showAnchor(target);
}

function showQuote(target: URL, quote: string, allowPartial: boolean): boolean {
  const page = new PageText(anchorOf(target) ?? document.querySelector("h1"));
  const range = findQuote(page, quote, allowPartial);
  if (!range) return false;
  highlight(range, clearHighlight);
  scrollToTarget(range, range.startContainer.parentElement);
  return true;
}

function showAnchor(target: URL): boolean {
  const anchor = anchorOf(target);
  if (anchor) scrollToTarget(anchor, anchor);
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

/** Polls, because the site may still be drawing the page, and may redraw it afterwards. */
function showWhenLoaded(target: URL, quote: string): void {
  let attempts = 0;
  const timer = setInterval(() => {
    const allowPartial = ++attempts > EXACT_ATTEMPTS;
    const isMissing = isCurrentPage(target) && !isHighlighted() && !showQuote(target, quote, allowPartial);
    if (attempts === MOST_ATTEMPTS || (isMissing && allowPartial && showAnchor(target))) stopPolling();
  }, POLL_MS);
  stopPolling = () => clearInterval(timer);
}
