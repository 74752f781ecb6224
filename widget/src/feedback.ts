/** The buttons that say whether an answer helped, and the form for a reason. */

import type { Turn } from "./chat";
import type { Context } from "./context";
import type { Messages } from "./messages";
import { iconButton, node, note, textButton } from "./node";

const REASON_LENGTH = 1000;

/** The two buttons, and the element that will hold the form. */
export function feedback(
  { key }: Turn,
  { chat, messages, announce }: Context,
): readonly [buttons: readonly HTMLElement[], reasonForm: HTMLElement] {
  const reasonForm = node("div");
  // The chat shows the former feedback again when the server rejects this one.
  const send = (helpful: boolean, reason = ""): unknown => chat.sendFeedback(key, helpful, reason).catch(() => {});
  const thank = (): void => {
    announce(messages.thanks);
    reasonForm.replaceChildren(note(messages.thanks));
  };
  const submit = (reason: string): unknown => [reason && send(false, reason), thank(), down.focus()];
  const up = iconButton(messages.helpful, "thumb", () => [send(true), thank()]);
  const reject = (): unknown => [send(false), askReason(reasonForm, messages, submit)];
  const down = iconButton(messages.unhelpful, "thumb", reject, { class: "tool down" });
  return [[up, down], reasonForm];
}

export function showFeedback(footer: HTMLElement, { helpful }: Turn): void {
  const [, up, down] = footer.querySelectorAll(".row > .tool");
  if (up) up.ariaPressed = `${helpful === true}`;
  if (down) down.ariaPressed = `${helpful === false}`;
}

function askReason(reasonForm: HTMLElement, { missing, send }: Messages, submit: (reason: string) => unknown): void {
  const attributes = { placeholder: missing, "aria-label": missing, dir: "auto" };
  const text = node("textarea", { rows: 2, maxlength: REASON_LENGTH, ...attributes });
  const sendButton = textButton(send, () => submit(text.value.trim()));
  reasonForm.replaceChildren(text, sendButton);
  text.focus();
}
