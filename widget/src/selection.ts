/** A small button beside what a reader marks in the page: ask about this. */

import { markedOutside, placeBeside } from "./selection_place";

type Ask = (text: string, pageUrl: string) => void;

const HEARD = ["selectionchange", "pointerup", "keydown", "scroll", "resize"];
// Longer than a held key takes to repeat, and than a finger rests while it drags a handle.
const PAUSE = 250;

/** The button is the first that Tab reaches in the host, and Alt+A presses it from anywhere. Returns how to end it. */
export function watchSelection(host: HTMLElement, ask: Ask, words: { readonly ask: string }): () => void {
  const watch = new Watch(host, ask, words.ask);
  return () => watch.end();
}

class Watch {
  readonly #host: HTMLElement;
  readonly #ask: Ask;
  readonly #button = document.createElement("button");
  #text = "";
  #next: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement, ask: Ask, label: string) {
    this.#host = host;
    this.#ask = ask;
    this.#putButton(label);
    for (const name of HEARD) addEventListener(name, this, true);
  }

  end(): void {
    for (const name of HEARD) removeEventListener(name, this, true);
    clearTimeout(this.#next);
    this.#button.remove();
  }

  handleEvent(event: Event): void {
    switch (event.type) {
      case "selectionchange":
        return this.#lookIn(PAUSE);
      case "pointerup":
        return this.#lookIn(0);
      case "keydown":
        return this.#keyDown(event as KeyboardEvent);
      default:
        return this.#hide();
    }
  }

  #putButton(label: string): void {
    this.#button.className = "ask-about";
    this.#button.type = "button";
    this.#button.hidden = true;
    this.#button.ariaKeyShortcuts = "Alt+A";
    this.#button.append(label);
    // A press would take the focus, and the selection with it.
    this.#button.addEventListener("mousedown", (event) => event.preventDefault());
    this.#button.addEventListener("click", () => this.#askNow());
    (this.#host.shadowRoot ?? this.#host).prepend(this.#button);
  }

  #lookIn(pause: number): void {
    clearTimeout(this.#next);
    this.#next = setTimeout(() => this.#look(), pause);
  }

  /** Not while something is pressed: the reader is still marking, or has a finger on the button. */
  #look(): void {
    if (document.documentElement.matches(":active")) return this.#lookIn(PAUSE);
    const marked = markedOutside(this.#host);
    this.#text = marked?.text ?? "";
    this.#button.hidden = !marked;
    if (marked) placeBeside(marked, this.#button);
  }

  #keyDown(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#hide();
    // By its place on the keyboard: with Alt held, many keyboards write another letter.
    const isAsked = event.altKey && event.code === "KeyA" && !event.ctrlKey && !event.metaKey;
    if (!isAsked || this.#button.hidden) return;
    event.preventDefault();
    this.#askNow();
  }

  #askNow(): void {
    this.#hide();
    this.#ask(this.#text, location.href.split("#")[0] ?? "");
  }

  #hide(): void {
    clearTimeout(this.#next);
    this.#button.hidden = true;
  }
}
