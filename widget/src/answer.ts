/** Draws an answer's text, complete or still growing, with its citation marks. */

import type { Turn } from "./chat";
import { titleOf } from "./citation";
import type { Context } from "./context";
import { copyButton } from "./copy";
import { addressOf } from "./highlight";
import { render } from "./markdown";
import { morph } from "./morph";
import { markHalf } from "./half_supported";
import { node } from "./node";
import { shareMarks } from "./shared_marks";
import type { Citation } from "./types";

export function drawAnswer(container: HTMLElement, { answer, claims }: Turn, context: Context): void {
  const citations = answer?.citations ?? [];
  const text = markHalf(answer?.text ?? null, claims);
  const markFor = (n: number): Node | null =>
    answer
      ? mark(
          citations.find((citation) => citation.n === n),
          context,
        )
      : plainMark(n);
  const fragment = render(text, markFor, (href) => allowedUrl(href, citations), !answer);
  shareMarks(fragment);
  for (const half of fragment.querySelectorAll<HTMLElement>(".half")) half.title = context.messages.half;
  for (const pre of fragment.querySelectorAll("pre")) addCopyButton(pre, context);
  for (const table of fragment.querySelectorAll("table")) scroll(table, context);
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

/** A wide table scrolls by itself instead of widening the answer; a hint above it says so. */
function scroll(table: HTMLElement, { messages }: Context): void {
  const wide = node("div", { class: "wide", tabindex: 0 });
  table.replaceWith(node("p", { class: "small", hidden: true }, messages.wide), wide);
  wide.append(table);
}

/** Runs after the answer is in the page, because only then tables have a width. */
export function watchTables(container: HTMLElement): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const isWhole = target.scrollWidth <= target.clientWidth + 1;
      // A table that has left the answer is told of once more, and has no hint above it.
      target.previousElementSibling?.toggleAttribute("hidden", isWhole);
    }
  });
  for (const wide of container.querySelectorAll(".wide")) observer.observe(wide);
}
