/** Whether an answer helped. Who says that it did not may say why. */

import type { Turn } from "./chat";
import { button, node, note, tool } from "./node";
import type { Scene } from "./scene";
import type { Words } from "./words";

const REASON_LENGTH = 1000;

/** The two buttons, and the place where a reason is asked for. */
export function feedback({ key }: Turn, { chat, words, say }: Scene): readonly [HTMLElement, HTMLElement, HTMLElement] {
  const place = node("div");
  // What the server does not take is taken back in the turn.
  const judge = (helpful: boolean, why = ""): unknown => chat.judge(key, helpful, why).catch(() => {});
  const thank = (): void => {
    say(words.thanks);
    place.replaceChildren(note(words.thanks));
  };
  const tell = (why: string): unknown => [why && judge(false, why), thank(), down.focus()];
  const up = tool(words.helpful, "thumb", () => [judge(true), thank()]);
  const down = tool(words.unhelpful, "thumb", () => [judge(false), askWhy(place, words, tell)], { class: "tool down" });
  return [up, down, place];
}

/** Shows what the reader said of it. */
export function showJudged(foot: HTMLElement, { judged }: Turn): void {
  const [, up, down] = foot.querySelectorAll(".row > .tool");
  if (up) up.ariaPressed = `${judged === true}`;
  if (down) down.ariaPressed = `${judged === false}`;
}

function askWhy(place: HTMLElement, { missing, send }: Words, tell: (why: string) => unknown): void {
  const said = { placeholder: missing, "aria-label": missing, dir: "auto" };
  const text = node("textarea", { rows: 2, maxlength: REASON_LENGTH, ...said });
  const sending = button(send, () => tell(text.value.trim()));
  place.replaceChildren(text, sending);
  text.focus();
}
