/** A button beside the text that a reader selects in the page: "Ask about this". */

import { node } from "./node";
import { positionButton, selectionOutside } from "./page_selection";

type Ask = (text: string, pageUrl: string) => void;

const EVENTS = ["selectionchange", "pointerup", "keydown", "scroll", "resize"];
// Longer than the repeat interval of a held key, and than a finger rests while it drags a selection handle.
const DEBOUNCE_MS = 250;

/** The button is the first Tab stop in the host, and Alt+A presses it. */
export class SelectionButton {
  readonly #host: HTMLElement;
  readonly #ask: Ask;
  readonly #button: HTMLButtonElement;
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement, ask: Ask, label: string) {
    this.#host = host;
    this.#ask = ask;
    this.#button = node(
      "button",
      {
        class: "ask-about",
        type: "button",
        hidden: true,
        "aria-keyshortcuts": "Alt+A",
        // Otherwise a press would take the focus and clear the selection.
        mousedown: (event: Event) => event.preventDefault(),
        click: () => this.#askAboutSelection(),
      },
      label,
    );
    (host.shadowRoot ?? host).prepend(this.#button);
    for (const name of EVENTS) addEventListener(name, this, true);
  }

  remove(): void {
    for (const name of EVENTS) removeEventListener(name, this, true);
    clearTimeout(this.#timer);
    this.#button.remove();
  }

  handleEvent(event: Event): void {
    switch (event.type) {
      case "selectionchange":
        return this.#scheduleUpdate(DEBOUNCE_MS);
      case "pointerup":
        return this.#scheduleUpdate(0);
      case "keydown":
        return this.#onKeydown(event as KeyboardEvent);
      default:
        return this.#hide();
    }
  }

  #scheduleUpdate(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), delay);
  }

  /** Waits while something is pressed: the reader is still selecting, or is pressing the button. */
  #update(): void {
    if (document.documentElement.matches(":active")) return this.#scheduleUpdate(DEBOUNCE_MS);
    const selection = selectionOutside(this.#host);
    this.#text = selection?.text ?? "";
    this.#button.hidden = !selection;
    if (selection) positionButton(selection, this.#button);
  }

  #onKeydown(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#hide();
    // By key code, because with Alt many keyboard layouts produce another character.
    const isShortcut = event.altKey && event.code === "KeyA" && !event.ctrlKey && !event.metaKey;
    if (!isShortcut || this.#button.hidden) return;
    event.preventDefault();
    this.#askAboutSelection();
  }

  #askAboutSelection(): void {
    this.#hide();
    this.#ask(this.#text, location.href.split("#")[0] ?? "");
  }

  #hide(): void {
    clearTimeout(this.#timer);
    this.#button.hidden = true;
  }
}
