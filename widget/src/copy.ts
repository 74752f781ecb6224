/** A copy button. It is hidden where the browser gives the page no clipboard. */

import type { Context } from "./context";
import { icon } from "./icons";
import { iconButton } from "./node";

const CONFIRMATION_MS = 1600;

export function copyButton({ messages, announce }: Context, textOf: (button: HTMLElement) => string): HTMLElement {
  const copyText = async (): Promise<void> => {
    await navigator.clipboard.writeText(textOf(button));
    announce(messages.copied);
    button.replaceChildren(icon("check"));
    setTimeout(() => button.replaceChildren(icon("copy")), CONFIRMATION_MS);
  };
  const button = iconButton(messages.copy, "copy", copyText, { hidden: !navigator.clipboard });
  return button;
}
