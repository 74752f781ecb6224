/** Announces sentences and status changes to screen readers. */

import type { Turn } from "./chat";
import { render } from "./markdown";
import type { Messages } from "./messages";
import { node } from "./node";
import { statusText } from "./progress";

/** Older sentences are removed; a screen reader may still be reading these. */
const MOST_SENTENCES = 40;

export class LiveRegion {
  readonly node = node("div", { class: "unseen", "aria-live": "polite" });
  #lastStatus = "";

  announce(text: string): void {
    this.node.append(node("p", {}, text));
    if (this.node.childElementCount > MOST_SENTENCES) this.node.firstChild?.remove();
  }

  /** Leaves out citation marks and Markdown. */
  announceSentence(sentence: string): void {
    const noLink = (): null => null;
    this.announce(render(sentence, () => node("span"), noLink).textContent ?? "");
  }

  /** Announces the current turn's status when it changes, but not of a turn that was restored as done. */
  announceStatus(turns: readonly Turn[], messages: Messages): void {
    const current = turns.findLast(({ state }) => state !== "queued");
    const status = current ? statusText(current, messages) : "";
    if (status && status !== this.#lastStatus && (this.#lastStatus || current?.state !== "done")) this.announce(status);
    this.#lastStatus = status;
  }
}
