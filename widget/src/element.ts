/** `<glossator-chat>`: a book that can be asked, on any page. */

import { Chat } from "./chat";
import { Glossator } from "./client";
import { Frame } from "./frame";
import { localMemory, noMemory, type Memory } from "./memory";
import { ATTRIBUTES, optionsOf, type Options } from "./options";
import { watchSelection } from "./selection";
import { styles } from "./styles";
import { followTheme } from "./theme";

/** Where there is no page, such as on a server that renders one, only the client is of use. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** Those on the page, in their order; the first one answers to the keyboard and to what is marked in the page. */
const present: GlossatorChat[] = [];

export class GlossatorChat extends Base {
  static readonly observedAttributes = ATTRIBUTES;
  #options: Options | null = null;
  #chat: Chat | null = null;
  #memory: Memory = noMemory();
  #frame: Frame | null = null;
  #draft = "";
  #endings: readonly (() => void)[] = [];

  connectedCallback(): void {
    present.push(this);
    if (this.#frame) this.#frame.comeBack();
    else this.#draw();
    this.#watch();
  }

  disconnectedCallback(): void {
    present.splice(present.indexOf(this), 1);
    this.#rest();
    for (const first of present.slice(0, 1)) first.#watch();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (!this.#frame || before === now) return;
    if (/server|key|ephemeral/.test(name)) this.#end();
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

  /** Asks as if the reader had written it; `false` when three questions wait already. */
  ask(question: string): boolean {
    this.open();
    return !!this.#chat?.ask(question, null);
  }

  #draw(): void {
    const options = (this.#options = optionsOf(this));
    const chat = this.#chat ?? this.#begin(options);
    const wasOpen = this.#frame?.isOpen ?? this.#memory.read()?.isOpen;
    this.#frame?.dispose();
    this.#frame = new Frame(options, chat, {
      draft: this.#draft,
      onDraft: (draft) => this.#memory.write({ draft: (this.#draft = draft) }),
      onToggle: (isOpen) => this.#toggled(isOpen),
    });
    (this.shadowRoot ?? this.attachShadow({ mode: "open" })).append(this.#frame.node);
    if (wasOpen) this.#frame.reopen();
  }

  #begin({ server, key, isEphemeral }: Options): Chat {
    const twins = present.filter((other) => other !== this && other.#options?.server === server).length;
    this.#memory = isEphemeral ? noMemory() : localMemory(twins ? `${server}#${twins}` : server);
    this.#draft = this.#memory.read()?.draft ?? "";
    const chat = (this.#chat = new Chat(new Glossator({ server, key }), this.#memory, { remember: !isEphemeral }));
    chat.addEventListener("end", ({ detail }) => this.#tell("answer", detail.turn));
    void chat.restore();
    return chat;
  }

  /** Another one begins. */
  #end(): void {
    this.#chat?.stop();
    this.#chat = null;
  }

  #toggled(isOpen: boolean): void {
    this.#memory.write({ isOpen });
    if (!isOpen && this.#options?.isEphemeral) {
      this.#chat?.clear();
      this.#frame?.composer.clear();
    }
    this.#tell(isOpen ? "open" : "close");
  }

  /** For the page around it. */
  #tell(name: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(`glossator:${name}`, { detail, bubbles: true }));
  }

  #watch(): void {
    this.#rest();
    const { theme, words } = this.#options!;
    this.#endings = [followTheme(theme, (isDark) => (this.shadowRoot!.adoptedStyleSheets = styles(isDark)))];
    if (present[0] !== this) return;
    const pressed = (event: KeyboardEvent): void => this.#pressed(event);
    addEventListener("keydown", pressed);
    const unwatch = watchSelection(this, (...marked) => this.#mark(...marked), words);
    this.#endings = [...this.#endings, unwatch, () => removeEventListener("keydown", pressed)];
  }

  #rest(): void {
    for (const end of this.#endings) end();
    this.#endings = [];
  }

  #mark(text: string, pageUrl: string): void {
    this.#frame?.composer.mark(text, pageUrl);
    this.open();
  }

  #pressed(event: KeyboardEvent): void {
    const isHeld = /Mac|iP/.test(navigator.platform) ? event.metaKey : event.ctrlKey;
    if (!isHeld || event.key.toLowerCase() !== "k" || event.shiftKey || event.altKey || event.defaultPrevented) return;
    event.preventDefault();
    if (this.isOpen && !this.#options?.isInline) this.close();
    else this.open();
  }
}
