/** Goes to a page that an answer cites, and highlights the quote there. */

import { findQuote } from "./highlight_find";
import { clear, highlight, isHighlighted } from "./highlight_mark";
import { scrollToTarget } from "./highlight_view";
import { PageText } from "./page_text";

const POLL_MS = 150;
/** About five seconds; after the first second a part of the quote is enough. */
const MOST_ATTEMPTS = 33;
const EXACT_ATTEMPTS = 7;
/** Diagrams and pictures are drawn within this time. */
const HOLD_MS = 10_000;

/** Where the quote of a citation waits while the browser loads its page. */
const PENDING = "glossator:cited";

let stopPolling = (): void => undefined;
let stopHolding = (): void => undefined;

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
  else location.assign(withPending(target, quote));
}

/** Shows the quote that the reader has followed to this page, if it was loaded for one. */
export function showPending(): void {
  const pending = takePending();
  const target = pending && addressOf(pending.url);
  if (target && isCurrentPage(target)) showWhenLoaded(target, pending.quote);
}

/** The page highlights the quote itself, which works for tables and lists too; otherwise the browser's own way stays. */
function withPending(target: URL, quote: string): string {
  const [url = ""] = target.href.split(":~:");
  try {
    sessionStorage.setItem(PENDING, JSON.stringify({ url, quote }));
    return url.replace(/#$/, "");
  } catch {
    return target.href;
  }
}

function takePending(): { readonly url: string; readonly quote: string } | null {
  try {
    const stored = sessionStorage.getItem(PENDING);
    sessionStorage.removeItem(PENDING);
    return JSON.parse(stored ?? "null");
  } catch {
    return null;
  }
}

function clearHighlight(): void {
  stopPolling();
  stopHolding();
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
  hold(range, range.startContainer.parentElement);
  return true;
}

function showAnchor(target: URL): boolean {
  const anchor = anchorOf(target);
  if (anchor) hold(anchor, anchor);
  return !!anchor;
}

/** Scrolls to the target, again after diagrams and pictures above it have moved it, until the reader does something. */
function hold(target: Range | Element, container: Element | null): void {
  stopHolding();
  const done = new AbortController();
  const scroll = (): void => {
    scrollToTarget(target, container);
    dispatchEvent(new CustomEvent("glossator:shown", { detail: { rect: target.getBoundingClientRect() } }));
  };
  const observer = new ResizeObserver(scroll);
  stopHolding = () => {
    observer.disconnect();
    done.abort();
  };
  for (const name of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(name, () => stopHolding(), { signal: done.signal, capture: true, passive: true });
  }
  setTimeout(stopHolding, HOLD_MS);
  scroll();
  observer.observe(document.body);
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
