/** The quoted words of a citation, shown beside its mark: by hovering, by focus, and by touch. */

import { placeOf } from "./citation";
import { render } from "./markdown";
import { button, give, node, note, quote } from "./node";
import type { Scene } from "./scene";
import type { Citation } from "./told";

const EDGE = 12;
const GRACE_MS = 160;

type CitationOf = (mark: HTMLElement) => Citation | undefined;

export class Preview {
  readonly node = node("div", { class: "preview", id: "preview", hidden: true });
  readonly #scene: Scene;
  #mark: Element | null = null;
  #leaving = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    give(this.node, { pointerenter: () => clearTimeout(this.#leaving), pointerleave: () => this.#leave() });
  }

  /** Shows what the marks in there stand for; a click goes to the place, a touch shows the words first. */
  watch(area: HTMLElement, citationOf: CitationOf): void {
    const show = (event: Event): void => withMark(event, (mark) => this.#show(mark, citationOf(mark)));
    const leave = (event: Event): void => withMark(event, () => this.#leave());
    const visit = (event: MouseEvent): void => withMark(event, (mark) => this.#visit(citationOf(mark), event));
    // Not every browser says of a click what it was made with.
    let pointer = "";
    give(area, {
      pointerover: (event: PointerEvent) => event.pointerType === "mouse" && show(event),
      pointerout: leave,
      pointerdown: ({ pointerType }: PointerEvent) => (pointer = pointerType),
      focusin: show,
      focusout: leave,
      click: (event: MouseEvent) => (event.detail && pointer === "touch" ? show(event) : visit(event)),
    });
  }

  /** Whether there was one to hide. */
  hide(): boolean {
    clearTimeout(this.#leaving);
    this.#mark?.removeAttribute("aria-describedby");
    const wasShown = this.#mark !== null;
    this.#mark = null;
    this.node.hidden = true;
    return wasShown;
  }

  #visit(citation: Citation | undefined, event: MouseEvent): void {
    this.hide();
    if (citation) this.#scene.visit(citation.url, citation.quote, event);
  }

  #show(mark: HTMLElement, citation: Citation | undefined): void {
    clearTimeout(this.#leaving);
    if (mark === this.#mark || !citation) return;
    this.hide();
    this.#mark = mark;
    mark.setAttribute("aria-describedby", this.node.id);
    this.node.replaceChildren(
      note(placeOf(citation, this.#scene)),
      quote(render(citation.quote, nothing, nothing)),
      button(this.#scene.words.show, (event: MouseEvent) => this.#visit(citation, event), { tabindex: -1 }),
    );
    this.node.hidden = false;
    this.#standBeside(mark.getBoundingClientRect());
  }

  /** Above the mark where there is room, else below it; never over the panel's edge. */
  #standBeside({ left, top, bottom }: DOMRect): void {
    const { offsetWidth, offsetHeight, parentElement, style } = this.node;
    const panel = parentElement!.getBoundingClientRect();
    const above = top - panel.top - offsetHeight - EDGE / 2;
    style.left = `${Math.max(EDGE, Math.min(left - panel.left - offsetWidth / 2, panel.width - offsetWidth - EDGE))}px`;
    style.top = `${above > EDGE ? above : bottom - panel.top + EDGE / 2}px`;
  }

  #leave(): void {
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => this.hide(), GRACE_MS);
  }
}

/** Quoted words have neither marks nor links. */
function nothing(): null {
  return null;
}

function withMark({ target }: Event, use: (mark: HTMLElement) => void): void {
  const mark = (target as Element).closest<HTMLElement>("button.mark");
  if (mark) use(mark);
}
