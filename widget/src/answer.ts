/** The words of an answer, as far as they have come, with their marks. */

import type { Turn } from "./chat";
import { placeOf } from "./citation";
import { copyButton } from "./copy";
import { addressOf } from "./highlight";
import { render } from "./markdown";
import { node } from "./node";
import type { Scene } from "./scene";
import { settle } from "./settle";
import type { Citation } from "./told";

export function drawAnswer(into: HTMLElement, { answer, claims }: Turn, scene: Scene): void {
  const citations = answer?.citations ?? [];
  const text = answer?.text ?? claims.map((claim) => claim.text).join("");
  const marks = (n: number): Node | null =>
    answer
      ? mark(
          citations.find((one) => one.n === n),
          scene,
        )
      : plainMark(n);
  const drawn = render(text, marks, (href) => allowed(href, citations), !answer);
  for (const pre of drawn.querySelectorAll("pre")) dress(pre, scene);
  for (const table of drawn.querySelectorAll("table")) table.replaceWith(scrolling(table.cloneNode(true)));
  settle(into, drawn);
}

/** It can be followed when the answer is whole; until then it is a number. */
function plainMark(n: number): Node {
  return node("span", { class: "mark" }, `${n}`);
}

function mark(citation: Citation | undefined, scene: Scene): Node | null {
  if (!citation) return null;
  const label = `${citation.n}: ${placeOf(citation, scene)}`;
  return node("button", { class: "mark", type: "button", "data-n": citation.n, "aria-label": label }, `${citation.n}`);
}

/** Links lead into the book, or to what the answer cites, and nowhere else. */
function allowed(href: string, citations: readonly Citation[]): string | null {
  const address = addressOf(href);
  const isOurs = address?.origin === location.origin || citations.some(({ url }) => pageOf(url) === pageOf(href));
  return address && isOurs ? address.href : null;
}

function pageOf(url: string): string | undefined {
  return addressOf(url)?.href.split("#")[0];
}

function dress(pre: HTMLElement, scene: Scene): void {
  pre.tabIndex = 0;
  pre.before(copyButton(scene, (button) => button.parentElement?.querySelector("pre")?.textContent ?? ""));
}

/** What is wide moves inside the answer, and not the answer with it. */
function scrolling(wide: Node): HTMLElement {
  return node("div", { class: "wide", tabindex: 0 }, wide);
}
