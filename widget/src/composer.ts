/** The field for a question, with the text of the page that it is about. */

import type { SelectedText, Turn } from "./chat";
import type { Context } from "./context";
import { iconButton, node, note, quote } from "./node";

const MOST_CHARACTERS = 2000;

export class Composer {
  readonly node: HTMLElement;
  readonly #context: Context;
  readonly #text: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #hint = note();
  readonly #badge = node("div", { class: "badge", hidden: true });
  readonly #onDraft: (draft: string) => void;
  #selected: (() => SelectedText) | null = null;

  constructor(context: Context, draft: string, onDraft: (draft: string) => void) {
    const { chat, messages } = context;
    this.#context = context;
    this.#onDraft = onDraft;
    this.#text = node("textarea", {
      rows: 1,
      dir: "auto",
      maxlength: MOST_CHARACTERS,
      placeholder: messages.question,
      "aria-label": messages.question,
      enterkeyhint: "send",
      input: () => this.#onInput(),
      keydown: (event: KeyboardEvent) => this.#onKeydown(event),
    });
    this.#stop = iconButton(messages.stop, "stop", () => chat.stop(), { class: "tool stop" });
    this.#send = iconButton(messages.send, "send", () => this.#ask(), { class: "tool send" });
    const field = node("div", { class: "field" }, this.#text, this.#stop, this.#send);
    this.node = node("div", { class: "composer" }, this.#badge, field, this.#hint);
    this.#text.value = draft;
  }

  draw(turns: readonly Turn[]): void {
    const isBusy = turns.some(({ state }) => state === "asking" || state === "waiting");
    this.#stop.hidden = !isBusy;
    this.#hint.textContent = this.#hintText();
    this.#fit();
  }

  /** Shows the selected text above the field; an empty text removes it. */
  setSelection(text: string, pageUrl = ""): void {
    const { messages } = this.#context;
    const only = node("input", { type: "radio", name: "reach" });
    const whole = node("input", { type: "radio", name: "reach", checked: true });
    this.#selected = text ? () => ({ text, only: only.checked, pageUrl }) : null;
    this.#badge.hidden = !text;
    this.#badge.replaceChildren(
      quote(text),
      iconButton(messages.remove, "close", () => [this.setSelection(""), this.focus()]),
      node("label", {}, whole, node("span", {}, messages.wholeBook)),
      node("label", {}, only, node("span", {}, messages.thisOnly)),
    );
  }

  clear(): void {
    this.setSelection("");
    this.#text.value = "";
    this.#onInput();
  }

  focus(): void {
    this.#text.focus();
  }

  #hintText(): string {
    const { chat, messages, isEphemeral } = this.#context;
    if (!navigator.onLine) return messages.unplugged;
    if (!chat.canAsk) return messages.full;
    return isEphemeral ? messages.private : "";
  }

  #onKeydown(event: KeyboardEvent): void {
    // While an input method composes a character, Enter confirms it and must not send.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#ask();
  }

  #ask(): void {
    if (this.#context.chat.ask(this.#text.value, this.#selected?.() ?? null)) this.clear();
  }

  #onInput(): void {
    this.#fit();
    this.#onDraft(this.#text.value);
  }

  /** Fits the field's height to its text. */
  #fit(): void {
    const { style, value, scrollHeight } = this.#text;
    this.#send.disabled = !value.trim() || !this.#context.chat.canAsk;
    style.height = "auto";
    if (scrollHeight) style.height = `${this.#text.scrollHeight}px`;
  }
}
