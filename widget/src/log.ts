/** The conversation, and what stands there before there is one. */

import type { Turn } from "./chat";
import { node } from "./node";
import type { Preview } from "./preview";
import type { Scene } from "./scene";
import { asked, TurnView } from "./turn";

/** So near to the end, a reader is following. */
const NEAR = 48;
const AIR = 20;

export class Log {
  readonly node: HTMLElement;
  readonly #scene: Scene;
  readonly #preview: Preview;
  readonly #empty: HTMLElement;
  readonly #views = new Map<number, TurnView>();
  #place = 0;
  #isFollowing = true;

  constructor(scene: Scene, preview: Preview) {
    this.#scene = scene;
    this.#preview = preview;
    this.#empty = welcome(scene);
    const traits = {
      class: "log",
      role: "log",
      "aria-live": "off",
      "aria-label": scene.words.conversation,
      tabindex: 0,
    };
    this.node = node("div", { ...traits, scroll: () => this.#scrolled() }, this.#empty);
  }

  draw(turns: readonly Turn[]): void {
    const added = turns.findLast(({ key }) => !this.#views.has(key));
    this.#empty.hidden = turns.length > 0;
    this.#keepOnly(turns);
    for (const turn of turns) this.#drawOne(turn);
    this.#follow(added ?? (this.#isFollowing ? turns.findLast(({ state }) => state !== "queued") : undefined));
  }

  /** A node that left the page and came back has lost its place. */
  comeBack(): void {
    this.node.scrollTop = this.#place;
  }

  #scrolled(): void {
    const { scrollHeight, clientHeight, scrollTop } = this.node;
    this.#place = scrollTop;
    this.#isFollowing = scrollHeight - clientHeight - scrollTop < NEAR;
    this.#preview.hide();
  }

  #keepOnly(turns: readonly Turn[]): void {
    for (const [gone, view] of this.#views) {
      if (turns.some(({ key }) => key === gone)) continue;
      view.node.remove();
      this.#views.delete(gone);
    }
  }

  #drawOne(turn: Turn): void {
    const known = this.#views.get(turn.key);
    if (known) return known.draw(turn);
    const view = new TurnView(turn, this.#scene, this.#preview);
    this.#views.set(turn.key, view);
    this.node.append(view.node);
  }

  /** Down to what came last, but never past its beginning: an answer is read from there. */
  #follow(turn: Turn | undefined): void {
    const view = turn && this.#views.get(turn.key);
    if (view) this.node.scrollTop = view.node.offsetTop - AIR;
  }
}

function welcome({ chat, words, topics }: Scene): HTMLElement {
  const buttons = topics.map((topic) =>
    node("button", { type: "button", dir: "auto", click: () => chat.ask(topic, null) }, topic),
  );
  return node("div", { class: "turn welcome" }, asked(words.welcome), node("p", {}, words.promise), ...buttons);
}
