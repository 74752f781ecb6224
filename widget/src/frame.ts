/** The launcher button and the panel that it opens, with focus handling and the layout on phones. */

import type { Chat } from "./chat";
import { Composer } from "./composer";
import type { Context } from "./context";
import { addressOf, goTo } from "./highlight";
import { icon } from "./icons";
import { LiveRegion } from "./live_region";
import { Log } from "./log";
import { iconButton, node, setAttributes, textButton } from "./node";
import { IS_MAC, type Options } from "./options";
import { Preview } from "./preview";

declare global {
  interface WindowEventMap {
    /** Words of the page were scrolled into view, and stand here. */
    "glossator:shown": CustomEvent<{ readonly rect: DOMRect }>;
  }
}

const SHORTCUT = IS_MAC ? "⌘ K" : "Ctrl K";
const PHONE = "(max-width: 560px)";
const FOCUSABLE = "a, button:enabled:not([tabindex]), textarea, input, [tabindex='0']";

/** What the frame needs of the element around it. */
export interface FrameHost {
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly onToggle: (isOpen: boolean) => void;
}

export class Frame {
  readonly node: HTMLElement;
  readonly composer: Composer;
  readonly #context: Context;
  readonly #host: FrameHost;
  readonly #log: Log;
  readonly #preview: Preview;
  readonly #panel: HTMLElement;
  readonly #launcher: HTMLElement;
  readonly #liveRegion = new LiveRegion();
  readonly #disposed = new AbortController();
  readonly #bookTitle = node("p", { class: "small book", dir: "auto" });
  readonly #newChat: HTMLElement;
  #isIntroduced = false;
  #focusedBefore: HTMLElement | null = null;

  constructor(options: Options, chat: Chat, host: FrameHost) {
    const { messages, title, isInline, position } = options;
    this.#host = host;
    this.#context = {
      ...options,
      chat,
      announce: (text) => this.#liveRegion.announce(text),
      visit: (...args) => this.#visit(...args),
    };
    this.#preview = new Preview(this.#context);
    this.#log = new Log(this.#context, this.#preview);
    this.composer = new Composer(this.#context, host.draft, host.onDraft);
    this.#launcher = this.#drawLauncher();
    this.#newChat = this.#newChatButton();
    const attributes = { class: "panel", part: "panel", role: isInline ? "region" : "dialog", "aria-label": title };
    const parts = [this.#drawHeader(), this.#log.node, this.composer.node, this.#preview.node];
    this.#panel = node("section", { ...attributes, tabindex: -1, hidden: !isInline }, ...parts);
    // Without an empty title, the browser would show the host element's title as a tooltip everywhere.
    const root = { class: `root ${position}`, dir: messages.direction, lang: messages.language, title: "" };
    this.node = node("div", root, !isInline && this.#launcher, this.#panel, this.#liveRegion.node);
    this.#addListeners();
    this.#draw();
  }

  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  open(): void {
    if (!this.isOpen) {
      this.#focusedBefore = document.activeElement as HTMLElement | null;
      this.#show(true);
      this.#host.onToggle(true);
    }
    this.#takeFocus();
  }

  /** Opens without taking the focus, after a page load or a redraw; on a phone the page stays half visible. */
  reopen(): void {
    this.#show(true);
    this.#setHalf(matchMedia(PHONE).matches);
  }

  close(): void {
    if (this.#context.isInline || !this.isOpen) return;
    const hadFocus = this.#panel.matches(":focus-within");
    this.#preview.hide();
    this.#show(false);
    this.#host.onToggle(false);
    if (hadFocus) this.#returnFocus();
  }

  restoreScroll(): void {
    this.#log.restoreScroll();
  }

  dispose(): void {
    this.#disposed.abort();
    this.node.remove();
  }

  #drawLauncher(): HTMLElement {
    const { title } = this.#context;
    const label = this.#withPrivacy(title);
    const attributes = { class: "launcher", part: "button", "aria-label": label, "aria-expanded": "false" };
    return node("button", { ...attributes, type: "button", click: () => this.open() }, icon("pilcrow"), title);
  }

  /** Adds to a label that nothing is stored, in ephemeral mode. */
  #withPrivacy(label: string): string {
    return this.#context.isEphemeral ? `${label}. ${this.#context.messages.private}` : label;
  }

  #drawHeader(): HTMLElement {
    const { messages, title, isInline } = this.#context;
    return node(
      "header",
      {},
      node("h2", { dir: "auto" }, title),
      !isInline && node("kbd", { "aria-hidden": "true" }, SHORTCUT),
      iconButton(messages.conversation, "more", () => this.#setHalf(false), { class: "tool expand" }),
      this.#newChat,
      !isInline && iconButton(this.#withPrivacy(messages.close), "close", () => this.close()),
      this.#bookTitle,
    );
  }

  /** The welcome that follows has the way back, so nothing is lost by a click. */
  #newChatButton(): HTMLElement {
    const { messages, chat } = this.#context;
    const click = (): void => {
      chat.clear();
      this.composer.focus();
    };
    return textButton(messages.newChat, click, { class: "plain new", title: messages.newChat });
  }

  /** Asks the server for the book's title and for questions to begin with, once, when the panel is first shown. */
  async #introduce(): Promise<void> {
    if (this.#isIntroduced) return;
    this.#isIntroduced = true;
    const { chat, topics, title } = this.#context;
    const { book, questions } = await chat.suggest();
    this.#bookTitle.textContent = book === title ? "" : book;
    if (!topics.length) this.#log.suggest(questions);
  }

  #addListeners(): void {
    const { signal } = this.#disposed;
    const { chat } = this.#context;
    const draw = (): void => this.#draw();
    chat.addEventListener("change", draw, { signal });
    chat.addEventListener("sentence", ({ detail }) => this.#liveRegion.announceSentence(detail.text), { signal });
    addEventListener("online", draw, { signal });
    addEventListener("glossator:shown", ({ detail }) => this.#uncover(detail.rect), { signal });
    addEventListener("offline", draw, { signal });
    // Escape hides a preview under the mouse even when the focus is outside the panel.
    addEventListener("keydown", ({ key }) => key === "Escape" && this.#preview.hide(), { signal });
    visualViewport?.addEventListener("resize", () => this.#fitKeyboard(), { signal });
    setAttributes(this.#panel, {
      keydown: (event: KeyboardEvent) => this.#onKeydown(event),
      pointerdown: ({ target }: Event) => (target as Element).closest(".mark, .preview") || this.#preview.hide(),
      focusin: ({ target }: Event) => (target as Element).matches("textarea") && this.#setHalf(false),
    });
  }

  /** A phone's on-screen keyboard covers fixed elements, so the panel ends where the keyboard begins. */
  #fitKeyboard(): void {
    this.node.style.setProperty("--screen", `${visualViewport?.height}px`);
  }

  #onKeydown(event: KeyboardEvent): void {
    if (this.#context.isInline || event.isComposing) return;
    if (event.key === "Tab") this.#trapFocus(event);
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (!this.#preview.hide()) this.close();
  }

  /** Tab cycles inside the panel. */
  #trapFocus(event: KeyboardEvent): void {
    const stops = [...this.#panel.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((stop) => stop.offsetParent);
    const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
    if (!from?.matches(":focus") && !this.#panel.matches(":focus")) return;
    event.preventDefault();
    to?.focus();
  }

  /** On a touch screen, focusing the field would bring up the keyboard over the conversation. */
  #takeFocus(): void {
    if (matchMedia("(pointer: coarse)").matches) this.#panel.focus();
    else this.composer.focus();
  }

  #draw(): void {
    const { chat, messages } = this.#context;
    const focused = this.#panel.querySelector(":focus");
    this.#log.draw(chat.turns);
    this.composer.draw(chat.turns);
    this.#newChat.hidden = !chat.turns.length;
    if (this.isOpen) void this.#introduce();
    // When the focused button disappears, the browser would move the focus out of the panel.
    if (focused && !focused.getClientRects().length && this.isOpen) this.#takeFocus();
    this.#liveRegion.announceStatus(chat.turns, messages);
  }

  #show(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#launcher.ariaExpanded = `${isOpen}`;
    this.#setHalf(false);
    this.#draw();
  }

  /** To the element that had it before; to the launcher when that one is gone or not focusable. */
  #returnFocus(): void {
    this.#focusedBefore?.focus();
    // The page sees the focus on the host element while it is inside its shadow root.
    if (this.#focusedBefore?.shadowRoot || !this.#focusedBefore?.matches(":focus")) this.#launcher.focus();
  }

  #visit(url: string, quote: string, event: MouseEvent): void {
    const isElsewhere = addressOf(url)?.origin !== location.origin;
    this.#setHalf(matchMedia(PHONE).matches);
    (event.target as Element).scrollIntoView({ block: "nearest" });
    goTo(url, quote, { newTab: isElsewhere || event.ctrlKey || event.metaKey, isEphemeral: this.#context.isEphemeral });
  }

  /** Makes room when the panel covers the words that a citation has led to. */
  #uncover(words: DOMRect): void {
    const panel = this.#panel.getBoundingClientRect();
    const isCovered = words.right > panel.left && words.left < panel.right && words.bottom > panel.top;
    if (isCovered && words.top < panel.bottom) this.#setHalf(true);
  }

  /** The panel takes half of the screen while the reader looks at the page: on a phone, and where it covers words. */
  #setHalf(isHalf: boolean): void {
    this.node.classList.toggle("half", isHalf);
    if (!this.#context.isInline) this.#panel.ariaModal = `${!isHalf && matchMedia(PHONE).matches}`;
  }
}
