/** The button in the corner and the panel that it opens; where the focus goes, and how much of a phone it takes. */

import type { Chat } from "./chat";
import { Composer } from "./composer";
import { addressOf, goTo } from "./highlight";
import { icon } from "./icons";
import { Log } from "./log";
import { give, node, tool } from "./node";
import type { Options } from "./options";
import { Preview } from "./preview";
import type { Scene } from "./scene";
import { Voice } from "./voice";

const PHONE = "(max-width: 560px)";
const STOPS = "a, button:enabled:not([tabindex]), textarea, input, [tabindex='0']";

/** What the element does for it. */
export interface Keeper {
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly onToggle: (isOpen: boolean) => void;
}

export class Frame {
  readonly node: HTMLElement;
  readonly composer: Composer;
  readonly #scene: Scene;
  readonly #keeper: Keeper;
  readonly #log: Log;
  readonly #preview: Preview;
  readonly #panel: HTMLElement;
  readonly #launcher: HTMLElement;
  readonly #voice = new Voice();
  readonly #gone = new AbortController();
  #before: HTMLElement | null = null;

  constructor(options: Options, chat: Chat, keeper: Keeper) {
    const { words, title, isInline, position } = options;
    this.#keeper = keeper;
    this.#scene = {
      ...options,
      chat,
      say: (text) => this.#voice.say(text),
      visit: (...place) => this.#visit(...place),
    };
    this.#preview = new Preview(this.#scene);
    this.#log = new Log(this.#scene, this.#preview);
    this.composer = new Composer(this.#scene, keeper.draft, keeper.onDraft);
    this.#launcher = this.#drawLauncher();
    const traits = { class: "panel", part: "panel", role: isInline ? "region" : "dialog", "aria-label": title };
    const parts = [this.#head(), this.#log.node, this.composer.node, this.#preview.node];
    this.#panel = node("section", { ...traits, tabindex: -1, hidden: !isInline }, ...parts);
    // The empty title keeps the element's own from being shown as a tooltip over everything.
    const around = { class: `root ${position}`, dir: words.direction, lang: words.language, title: "" };
    this.node = node("div", around, !isInline && this.#launcher, this.#panel, this.#voice.node);
    this.#listen();
    this.#draw();
  }

  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  open(): void {
    if (!this.isOpen) {
      this.#before = document.activeElement as HTMLElement | null;
      this.#show(true);
      this.#keeper.onToggle(true);
    }
    this.#takeFocus();
  }

  /** As it was before the page was loaded, or drawn anew; the focus stays, and a phone shows the page that was loaded. */
  reopen(): void {
    this.#show(true);
    this.#size(true);
  }

  close(): void {
    if (this.#scene.isInline || !this.isOpen) return;
    const hadFocus = this.#panel.matches(":focus-within");
    this.#preview.hide();
    this.#show(false);
    this.#keeper.onToggle(false);
    if (hadFocus) this.#giveBack();
  }

  comeBack(): void {
    this.#log.comeBack();
  }

  dispose(): void {
    this.#gone.abort();
    this.node.remove();
  }

  #drawLauncher(): HTMLElement {
    const { title } = this.#scene;
    const traits = { class: "launcher", part: "button", "aria-label": this.#openly(title), "aria-expanded": "false" };
    return node("button", { ...traits, type: "button", click: () => this.open() }, icon("paraph"), title);
  }

  /** Says what becomes of the conversation, where it is not kept. */
  #openly(label: string): string {
    return this.#scene.isEphemeral ? `${label}. ${this.#scene.words.private}` : label;
  }

  #head(): HTMLElement {
    const { words, title, isInline } = this.#scene;
    return node(
      "header",
      {},
      node("h2", { dir: "auto" }, title),
      tool(words.conversation, "more", () => this.#size(false), { class: "tool expand" }),
      this.#anew(),
      !isInline && tool(this.#openly(words.close), "close", () => this.close()),
    );
  }

  /** Asks first, where there is something to forget. */
  #anew(): HTMLElement {
    const { words, chat } = this.#scene;
    const anew = tool(words.anew, "anew", () => {
      if (chat.turns.length && !anew.textContent) return anew.replaceChildren(words.forget);
      chat.clear();
      this.composer.focus();
    });
    anew.addEventListener("blur", () => anew.replaceChildren(icon("anew")));
    return anew;
  }

  #listen(): void {
    const { signal } = this.#gone;
    const { chat } = this.#scene;
    const draw = (): void => this.#draw();
    chat.addEventListener("change", draw, { signal });
    chat.addEventListener("sentence", ({ detail }) => this.#voice.read(detail.text), { signal });
    addEventListener("online", draw, { signal });
    addEventListener("offline", draw, { signal });
    // A preview under the mouse goes, wherever the focus is.
    addEventListener("keydown", ({ key }) => key === "Escape" && this.#preview.hide(), { signal });
    visualViewport?.addEventListener("resize", () => this.#fitKeyboard(), { signal });
    give(this.#panel, {
      keydown: (event: KeyboardEvent) => this.#pressed(event),
      pointerdown: ({ target }: Event) => (target as Element).closest(".mark, .preview") || this.#preview.hide(),
      focusin: ({ target }: Event) => (target as Element).matches("textarea") && this.#size(false),
    });
  }

  /** The keyboard of a phone covers what is fixed: the panel ends where it begins. */
  #fitKeyboard(): void {
    this.node.style.setProperty("--screen", `${visualViewport?.height}px`);
  }

  #pressed(event: KeyboardEvent): void {
    if (this.#scene.isInline || event.isComposing) return;
    if (event.key === "Tab") this.#goAround(event);
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (!this.#preview.hide()) this.close();
  }

  /** The focus stays in the panel. */
  #goAround(event: KeyboardEvent): void {
    const stops = [...this.#panel.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.offsetParent);
    const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
    if (!from?.matches(":focus") && !this.#panel.matches(":focus")) return;
    event.preventDefault();
    to?.focus();
  }

  /** On a phone the keyboard would come up over the conversation. */
  #takeFocus(): void {
    if (matchMedia("(pointer: coarse)").matches) this.#panel.focus();
    else this.composer.focus();
  }

  #draw(): void {
    const { chat, words } = this.#scene;
    const focused = this.#panel.querySelector(":focus");
    this.#log.draw(chat.turns);
    this.composer.draw(chat.turns);
    // A button that goes while it has the focus would drop the reader out of the panel.
    if (focused && !focused.getClientRects().length && this.isOpen) this.#takeFocus();
    this.#voice.follow(chat.turns, words);
  }

  #show(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#launcher.ariaExpanded = `${isOpen}`;
    this.#size(false);
    this.#draw();
  }

  /** To where it was; to the button, where that is gone or cannot have it. */
  #giveBack(): void {
    this.#before?.focus();
    // Our own element has the focus, for the page, while anything in it has.
    if (this.#before?.shadowRoot || !this.#before?.matches(":focus")) this.#launcher.focus();
  }

  #visit(url: string, quote: string, event: MouseEvent): void {
    const isElsewhere = addressOf(url)?.origin !== location.origin;
    this.#size(true);
    (event.target as Element).scrollIntoView({ block: "nearest" });
    goTo(url, quote, { newTab: isElsewhere || event.ctrlKey || event.metaKey, isEphemeral: this.#scene.isEphemeral });
  }

  /** Half of a phone is left to the page while the reader looks at a place of it. */
  #size(isHalf: boolean): void {
    this.node.classList.toggle("half", isHalf);
    if (!this.#scene.isInline) this.#panel.ariaModal = `${!isHalf && matchMedia(PHONE).matches}`;
  }
}
