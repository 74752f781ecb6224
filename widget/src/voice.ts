/** Reads out what happens, one thing after the other, to who does not see it. */

import type { Turn } from "./chat";
import { render } from "./markdown";
import { node } from "./node";
import { standing } from "./progress";
import type { Words } from "./words";

/** So many sentences stay for a screen reader that is behind. */
const KEPT = 40;

export class Voice {
  readonly node = node("div", { class: "unseen", "aria-live": "polite" });
  #told = "";

  say(text: string): void {
    this.node.append(node("p", {}, text));
    if (this.node.childElementCount > KEPT) this.node.firstChild?.remove();
  }

  /** Without marks and Markdown. */
  read(sentence: string): void {
    const unlinked = (): null => null;
    this.say(render(sentence, () => node("span"), unlinked).textContent ?? "");
  }

  /** Where the question stands, when that has changed; what was over before the page was loaded is not said again. */
  follow(turns: readonly Turn[], words: Words): void {
    const current = turns.findLast(({ state }) => state !== "queued");
    const now = current ? standing(current, words) : "";
    if (now && now !== this.#told && (this.#told || current?.state !== "done")) this.say(now);
    this.#told = now;
  }
}
