/** The `<glossator-chat>` element: a chat with the book, for any page. */

import { Chat } from "./chat";
import { Glossator } from "./client";
import { Frame } from "./frame";
import { showPending } from "./highlight";
import { ATTRIBUTES, IS_MAC, type Options, readOptions } from "./options";
import { SelectionButton } from "./selection_button";
import { browserStorage, type ChatStorage, noStorage } from "./storage";
import { styles } from "./styles";
import { followTheme } from "./theme";

/** Outside a browser there is no `HTMLElement`; the file can still be imported for its client. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** The elements on the page, in order. Only the first one handles the shortcut and the selection. */
const connected: GlossatorChat[] = [];

export class GlossatorChat extends Base {
  static readonly observedAttributes = ATTRIBUTES;
  #options: Options | null = null;
  #chat: Chat | null = null;
  #storage: ChatStorage = noStorage();
  #frame: Frame | null = null;
  #draft = "";
  #cleanups: readonly (() => void)[] = [];

  connectedCallback(): void {
    connected.push(this);
    if (this.#frame) this.#frame.restoreScroll();
    else this.#draw();
    this.#watch();
    if (connected[0] === this && !this.#options?.isEphemeral) showPending();
  }

  disconnectedCallback(): void {
    connected.splice(connected.indexOf(this), 1);
    this.#unwatch();
    const [first] = connected;
    if (first) first.#watch();
  }

  attributeChangedCallback(name: string, oldValue: string | null, newValue: string | null): void {
    if (!this.#frame || oldValue === newValue) return;
    if (/server|book|key|ephemeral/.test(name)) this.#endChat();
    this.#draw();
    if (this.isConnected) this.#watch();
  }

  get isOpen(): boolean {
    return !!this.#frame?.isOpen;
  }

  open(): void {
    this.#frame?.open();
  }

  close(): void {
    this.#frame?.close();
  }

  /** Asks as if the reader had typed it; returns false when three questions are queued already. */
  ask(question: string): boolean {
    this.open();
    return !!this.#chat?.ask(question, null);
  }

  #draw(): void {
    const options = (this.#options = readOptions(this));
    const chat = this.#chat ?? this.#createChat(options);
    const wasOpen = this.#frame?.isOpen ?? this.#storage.read()?.isOpen;
    this.#frame?.dispose();
    this.#frame = new Frame(options, chat, {
      draft: this.#draft,
      onDraft: (draft) => this.#storage.write({ draft: (this.#draft = draft) }),
      onToggle: (isOpen) => this.#onToggle(isOpen),
    });
    (this.shadowRoot ?? this.attachShadow({ mode: "open" })).append(this.#frame.node);
    if (wasOpen) this.#frame.reopen();
  }

  #createChat({ server, key, isEphemeral }: Options): Chat {
    const sameServer = connected.filter((other) => other !== this && other.#options?.server === server).length;
    this.#storage = isEphemeral ? noStorage() : browserStorage(sameServer ? `${server}#${sameServer}` : server);
    this.#draft = this.#storage.read()?.draft ?? "";
    const chat = (this.#chat = new Chat(new Glossator({ server, key }), this.#storage, { remember: !isEphemeral }));
    chat.addEventListener("end", ({ detail }) => this.#dispatch("answer", detail.turn));
    void chat.restore();
    return chat;
  }

  /** The next draw creates a new chat. */
  #endChat(): void {
    this.#chat?.stop();
    this.#chat = null;
  }

  #onToggle(isOpen: boolean): void {
    this.#storage.write({ isOpen });
    if (!isOpen && this.#options?.isEphemeral) {
      this.#chat?.forget();
      this.#frame?.composer.clear();
    }
    this.#dispatch(isOpen ? "open" : "close");
  }

  /** An event for the page. */
  #dispatch(name: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(`glossator:${name}`, { detail, bubbles: true }));
  }

  #watch(): void {
    this.#unwatch();
    const { theme, messages } = this.#options!;
    this.#cleanups = [followTheme(theme, (isDark) => (this.shadowRoot!.adoptedStyleSheets = styles(isDark)))];
    if (connected[0] !== this) return;
    const onKeydown = (event: KeyboardEvent): void => this.#onKeydown(event);
    addEventListener("keydown", onKeydown);
    const button = new SelectionButton(this, (...selection) => this.#selectText(...selection), messages.ask);
    this.#cleanups = [...this.#cleanups, () => button.remove(), () => removeEventListener("keydown", onKeydown)];
  }

  #unwatch(): void {
    for (const cleanup of this.#cleanups) cleanup();
    this.#cleanups = [];
  }

  #selectText(text: string, pageUrl: string): void {
    this.#frame?.composer.setSelection(text, pageUrl);
    this.open();
  }

  #onKeydown(event: KeyboardEvent): void {
    const hasModifier = IS_MAC ? event.metaKey : event.ctrlKey;
    const isShortcut = hasModifier && event.key.toLowerCase() === "k" && !event.shiftKey && !event.altKey;
    if (!isShortcut || event.defaultPrevented) return;
    event.preventDefault();
    if (this.isOpen && !this.#options?.isInline) this.close();
    else this.open();
  }
}
