/** The list of turns; a welcome while it is empty. */

import type { Turn } from "./chat";
import type { Context } from "./context";
import { questionButtons } from "./follow_ups";
import { node, textButton } from "./node";
import type { Preview } from "./preview";
import { questionHeading, TurnView } from "./turn_view";

/** A reader who is this near to the end (in pixels) follows the answer as it grows. */
const FOLLOW_DISTANCE = 48;
const MARGIN = 20;

export class Log {
  readonly node: HTMLElement;
  readonly #context: Context;
  readonly #preview: Preview;
  readonly #welcome: HTMLElement;
  readonly #topics = node("div");
  readonly #back: HTMLElement;
  readonly #views = new Map<number, TurnView>();
  #scrollTop = 0;
  #isFollowing = true;

  constructor(context: Context, preview: Preview) {
    this.#context = context;
    this.#preview = preview;
    this.#back = textButton(context.messages.back, () => context.chat.goBack());
    this.#welcome = welcome(context.messages);
    this.#welcome.append(this.#topics, this.#back);
    this.suggest(context.topics);
    const attributes = {
      class: "log",
      role: "log",
      "aria-live": "off",
      "aria-label": context.messages.conversation,
      tabindex: 0,
    };
    this.node = node("div", { ...attributes, scroll: () => this.#onScroll() }, this.#welcome);
  }

  draw(turns: readonly Turn[]): void {
    const added = turns.findLast(({ key }) => !this.#views.has(key));
    this.#welcome.hidden = turns.length > 0;
    this.#back.hidden = !this.#context.chat.canGoBack;
    this.#removeMissing(turns);
    for (const turn of turns) this.#drawTurn(turn);
    this.#follow(added ?? (this.#isFollowing ? turns.findLast(({ state }) => state !== "queued") : undefined));
  }

  /** Shows questions to begin with. */
  suggest(questions: readonly string[]): void {
    this.#topics.replaceChildren(...questionButtons(questions, this.#context));
  }

  /** A node that is removed from the page and inserted again loses its scroll position. */
  restoreScroll(): void {
    this.node.scrollTop = this.#scrollTop;
  }

  #onScroll(): void {
    const { scrollHeight, clientHeight, scrollTop } = this.node;
    this.#scrollTop = scrollTop;
    this.#isFollowing = scrollHeight - clientHeight - scrollTop < FOLLOW_DISTANCE;
    this.#preview.hide();
  }

  #removeMissing(turns: readonly Turn[]): void {
    for (const [key, view] of this.#views) {
      if (turns.some((turn) => turn.key === key)) continue;
      view.node.remove();
      this.#views.delete(key);
    }
  }

  #drawTurn(turn: Turn): void {
    const drawn = this.#views.get(turn.key);
    if (drawn) return drawn.draw(turn);
    const view = new TurnView(turn, this.#context, this.#preview);
    this.#views.set(turn.key, view);
    this.node.append(view.node);
  }

  /** Scrolls to the beginning of the turn, because an answer is read from there. */
  #follow(turn: Turn | undefined): void {
    const view = turn && this.#views.get(turn.key);
    if (view) this.node.scrollTop = view.node.offsetTop - MARGIN;
  }
}

function welcome(messages: Context["messages"]): HTMLElement {
  return node("div", { class: "turn welcome" }, questionHeading(messages.welcome), node("p", {}, messages.promise));
}
