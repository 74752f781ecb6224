/** What becomes of a question that has no answer yet, or will have none. */

import type { Turn } from "./chat";
import { button, node, note, tool } from "./node";
import type { Scene } from "./scene";
import { verdictOf } from "./verdict";
import type { Words } from "./words";

const SECTIONS_SHOWN = 3;
const TICK_MS = 250;

/** In words, also for who hears it. */
export function standing({ state, stage, answer, failure }: Turn, words: Words): string {
  const verdict = answer && verdictOf(answer);
  if (verdict) return words[verdict];
  if (failure) return words[failure.kind];
  switch (state) {
    case "queued":
    case "stopped":
      return words[state];
    case "asking":
    case "waiting":
      return words[stage ?? "searching"];
    case "done":
    case "failed":
      return "";
  }
}

export function progress(turn: Turn, scene: Scene): readonly Node[] {
  const { words, chat } = scene;
  const said = standing(turn, words);
  switch (turn.state) {
    case "queued":
      return [
        note(
          said,
          tool(words.remove, "close", () => chat.drop(turn.key)),
        ),
      ];
    case "asking":
      return [note(node("i"), said), node("p", { class: "found", dir: "auto" }, found(turn))];
    case "waiting":
      return [note(said, " ", countdown(turn.failure?.retryAt ?? 0, words.retry))];
    case "stopped":
    case "failed":
      return [
        node(
          "div",
          { class: "box" },
          note(said),
          button(words.again, () => chat.retry(turn.key)),
        ),
      ];
    case "done":
      return [];
  }
}

function found({ hits }: Turn): string {
  return [...new Set(hits.map(({ section, chapter }) => section || chapter))].slice(0, SECTIONS_SHOWN).join(" · ");
}

/** Shown, and not read out: the words before it are. */
function countdown(until: number, label: string): HTMLElement {
  const shown = node("b", { "aria-hidden": "true" });
  const tick = (): void => {
    const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    shown.textContent = label.replace("#", `${seconds}`);
    if (seconds) setTimeout(tick, TICK_MS);
  };
  tick();
  return shown;
}
