/** Draws an answer's text, complete or still growing, with its citation marks. */

import type { Turn } from "./chat";
import { titleOf } from "./citation";
import type { Context } from "./context";
import { copyButton } from "./copy";
import { addressOf } from "./highlight";
import { render } from "./markdown";
import { morph } from "./morph";
import { node } from "./node";
import type { Citation } from "./types";

export function drawAnswer(container: HTMLElement, { answer, claims }: Turn, context: Context): void {
  const citations = answer?.citations ?? [];
  const text = answer?.text ?? claims.map((claim) => claim.text).join("");
  const markFor = (n: number): Node | null =>
    answer
      ? mark(
          citations.find((citation) => citation.n === n),
          context,
        )
      : plainMark(n);
  const fragment = render(text, markFor, (href) => allowedUrl(href, citations), !answer);
  for (const pre of fragment.querySelectorAll("pre")) addCopyButton(pre, context);
  for (const table of fragment.querySelectorAll("table")) table.replaceWith(scrollable(table.cloneNode(true)));
  morph(container, fragment);
}

/** While the answer grows its citations are not known yet, so a mark is only a number. */
function plainMark(n: number): Node {
  return node("span", { class: "mark" }, `${n}`);
}

function mark(citation: Citation | undefined, context: Context): Node | null {
  if (!citation) return null;
  const label = `${citation.n}: ${titleOf(citation, context)}`;
  return node("button", { class: "mark", type: "button", "data-n": citation.n, "aria-label": label }, `${citation.n}`);
}

/** Links may lead only to the page's own origin, or to a page that the answer cites. */
function allowedUrl(href: string, citations: readonly Citation[]): string | null {
  const address = addressOf(href);
  const isAllowed = address?.origin === location.origin || citations.some(({ url }) => pageOf(url) === pageOf(href));
  return address && isAllowed ? address.href : null;
}

function pageOf(url: string): string | undefined {
  return addressOf(url)?.href.split("#")[0];
}

function addCopyButton(pre: HTMLElement, context: Context): void {
  pre.tabIndex = 0;
  pre.before(copyButton(context, (button) => button.parentElement?.querySelector("pre")?.textContent ?? ""));
}

/** Wide content scrolls by itself instead of widening the answer. */
function scrollable(content: Node): HTMLElement {
  return node("div", { class: "wide", tabindex: 0 }, content);
}
