/** Where questions are written, beside the words of the page that they are about. */

import type { MarkedText, Turn } from "./chat";
import { node, note, quote, tool } from "./node";
import type { Scene } from "./scene";

const LENGTH = 2000;

export class Composer {
  readonly node: HTMLElement;
  readonly #scene: Scene;
  readonly #text: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #hint = note();
  readonly #badge = node("div", { class: "badge", hidden: true });
  readonly #onDraft: (draft: string) => void;
  #marked: (() => MarkedText) | null = null;

  constructor(scene: Scene, draft: string, onDraft: (draft: string) => void) {
    const { chat, words } = scene;
    this.#scene = scene;
    this.#onDraft = onDraft;
    this.#text = node("textarea", {
      rows: 1,
      maxlength: LENGTH,
      placeholder: words.question,
      "aria-label": words.question,
      enterkeyhint: "send",
      input: () => this.#changed(),
      keydown: (event: KeyboardEvent) => this.#pressed(event),
    });
    this.#stop = tool(words.stop, "stop", () => chat.stop(), { class: "tool stop" });
    this.#send = tool(words.send, "send", () => this.#ask(), { class: "tool send" });
    const field = node("div", { class: "field" }, this.#text, this.#stop, this.#send);
    this.node = node("div", { class: "composer" }, this.#badge, field, this.#hint);
    this.#text.value = draft;
  }

  draw(turns: readonly Turn[]): void {
    const isBusy = turns.some(({ state }) => state === "asking" || state === "waiting");
    this.#stop.hidden = !isBusy;
    this.#hint.textContent = this.#hinted();
    this.#fit();
  }

  /** Puts these words of the page beside the question; none, and they are taken away. */
  mark(text: string, pageUrl = ""): void {
    const { words } = this.#scene;
    const only = node("input", { type: "radio", name: "reach" });
    const whole = node("input", { type: "radio", name: "reach", checked: true });
    this.#marked = text ? () => ({ text, only: only.checked, pageUrl }) : null;
    this.#badge.hidden = !text;
    this.#badge.replaceChildren(
      quote(text),
      tool(words.remove, "close", () => [this.mark(""), this.focus()]),
      node("label", {}, whole, node("span", {}, words.wholeBook)),
      node("label", {}, only, node("span", {}, words.thisOnly)),
    );
  }

  /** Leaves nothing of what was written. */
  clear(): void {
    this.mark("");
    this.#text.value = "";
    this.#changed();
  }

  focus(): void {
    this.#text.focus();
  }

  #hinted(): string {
    const { chat, words, isEphemeral } = this.#scene;
    if (!navigator.onLine) return words.unplugged;
    if (!chat.canAsk) return words.full;
    return isEphemeral ? words.private : "";
  }

  #pressed(event: KeyboardEvent): void {
    // An Enter that ends the composing of a character is not one that sends.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#ask();
  }

  #ask(): void {
    if (this.#scene.chat.ask(this.#text.value, this.#marked?.() ?? null)) this.clear();
  }

  #changed(): void {
    this.#fit();
    this.#onDraft(this.#text.value);
  }

  /** As high as its text, and in its direction. */
  #fit(): void {
    const { style, value, scrollHeight } = this.#text;
    this.#send.disabled = !value.trim() || !this.#scene.chat.canAsk;
    this.#text.dir = value ? "auto" : this.#scene.words.direction;
    style.height = "auto";
    if (scrollHeight) style.height = `${this.#text.scrollHeight}px`;
  }
}
