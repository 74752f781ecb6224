/** Shows a citation's quote beside its mark, on hover, focus and touch. */

import { titleOf } from "./citation";
import type { Context } from "./context";
import { render } from "./markdown";
import { node, quote, setAttributes, textButton } from "./node";
import type { Citation } from "./types";

const MARGIN = 12;
const HIDE_DELAY_MS = 160;

type CitationOf = (mark: HTMLElement) => Citation | undefined;

export class Preview {
  readonly node = node("div", { class: "preview", id: "preview", hidden: true });
  readonly #context: Context;
  #mark: Element | null = null;
  #hideTimer = 0;

  constructor(context: Context) {
    this.#context = context;
    setAttributes(this.node, {
      pointerenter: () => clearTimeout(this.#hideTimer),
      pointerleave: () => this.#hideSoon(),
    });
  }

  /** Handles the marks inside the area: a click visits the source, a touch shows the quote first. */
  watch(area: HTMLElement, citationOf: CitationOf): void {
    const show = (event: Event): void => withMark(event, (mark) => this.#show(mark, citationOf(mark)));
    const hideSoon = (event: Event): void => withMark(event, () => this.#hideSoon());
    const visit = (event: MouseEvent): void => withMark(event, (mark) => this.#visit(citationOf(mark), event));
    // Some browsers give a click no pointer type.
    let pointer = "";
    setAttributes(area, {
      pointerover: (event: PointerEvent) => event.pointerType === "mouse" && show(event),
      pointerout: hideSoon,
      pointerdown: ({ pointerType }: PointerEvent) => (pointer = pointerType),
      focusin: show,
      focusout: hideSoon,
      click: (event: MouseEvent) => (event.detail && pointer === "touch" ? show(event) : visit(event)),
    });
  }

  /** Returns whether a preview was shown. */
  hide(): boolean {
    clearTimeout(this.#hideTimer);
    this.#mark?.removeAttribute("aria-describedby");
    const wasShown = this.#mark !== null;
    this.#mark = null;
    this.node.hidden = true;
    return wasShown;
  }

  #visit(citation: Citation | undefined, event: MouseEvent): void {
    this.hide();
    if (citation) this.#context.visit(citation.url, citation.quote, event);
  }

  #show(mark: HTMLElement, citation: Citation | undefined): void {
    clearTimeout(this.#hideTimer);
    if (mark === this.#mark || !citation) return;
    this.hide();
    this.#mark = mark;
    mark.setAttribute("aria-describedby", this.node.id);
    this.node.replaceChildren(
      node("p", { class: "small", dir: "auto" }, titleOf(citation, this.#context)),
      quote(render(citation.quote, none, none)),
      textButton(this.#context.messages.show, (event: MouseEvent) => this.#visit(citation, event), { tabindex: -1 }),
    );
    this.node.hidden = false;
    this.#position(mark.getBoundingClientRect());
  }

  /** Above the mark when there is room, else below it; never beyond the panel's edge. */
  #position({ left, top, bottom }: DOMRect): void {
    const { offsetWidth, offsetHeight, parentElement, style } = this.node;
    const panel = parentElement!.getBoundingClientRect();
    const above = top - panel.top - offsetHeight - MARGIN / 2;
    const rightmost = panel.width - offsetWidth - MARGIN;
    style.left = `${Math.max(MARGIN, Math.min(left - panel.left - offsetWidth / 2, rightmost))}px`;
    style.top = `${above > MARGIN ? above : bottom - panel.top + MARGIN / 2}px`;
  }

  #hideSoon(): void {
    clearTimeout(this.#hideTimer);
    this.#hideTimer = setTimeout(() => this.hide(), HIDE_DELAY_MS);
  }
}

/** A quote is rendered without marks and links. */
function none(): null {
  return null;
}

function withMark({ target }: Event, action: (mark: HTMLElement) => void): void {
  const mark = (target as Element).closest<HTMLElement>("button.mark");
  if (mark) action(mark);
}
