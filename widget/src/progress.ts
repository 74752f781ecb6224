/** The status of a turn, and what is shown while it has no answer. */

import type { Turn } from "./chat";
import type { Context } from "./context";
import { fill, type Messages } from "./messages";
import { iconButton, node, note, textButton } from "./node";
import { verdictOf } from "./verdict";

const SECTIONS_SHOWN = 3;
const TICK_MS = 250;

/** Shown in the panel, and announced to screen readers. */
export function statusText({ state, stage, answer, failure }: Turn, messages: Messages): string {
  const verdict = answer && verdictOf(answer);
  if (verdict) return messages[verdict];
  if (failure) return messages[failure.kind];
  switch (state) {
    case "queued":
    case "stopped":
      return messages[state];
    case "asking":
    case "waiting":
      return messages[stage ?? "searching"];
    case "done":
    case "failed":
      return "";
  }
}

export function progress(turn: Turn, context: Context): readonly Node[] {
  const { messages, chat } = context;
  const status = statusText(turn, messages);
  switch (turn.state) {
    case "queued":
      return [
        note(
          status,
          iconButton(messages.remove, "close", () => chat.cancel(turn.key)),
        ),
      ];
    case "asking":
      return [note(node("i"), status), node("p", { class: "found", dir: "auto" }, sectionNames(turn))];
    case "waiting":
      return [note(status, " ", countdown(turn.failure?.retryAt ?? 0, messages))];
    case "stopped":
    case "failed":
      return [
        node(
          "div",
          { class: "box" },
          note(status),
          textButton(messages.again, () => chat.retry(turn.key)),
        ),
      ];
    case "done":
      return [];
  }
}

function sectionNames({ hits }: Turn): string {
  return [...new Set(hits.map(({ section, chapter }) => section || chapter))].slice(0, SECTIONS_SHOWN).join(" · ");
}

/** Hidden from screen readers, which announce the status before it. */
function countdown(retryAt: number, messages: Messages): HTMLElement {
  const element = node("b", { "aria-hidden": "true" });
  const tick = (): void => {
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
    element.textContent = fill(messages.retry, messages, seconds);
    if (seconds) setTimeout(tick, TICK_MS);
  };
  tick();
  return element;
}
