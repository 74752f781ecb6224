/** A button that copies. There is none where the browser keeps its clipboard from the page. */

import { icon } from "./icons";
import { tool } from "./node";
import type { Scene } from "./scene";

const SHOWN_MS = 1600;

export function copyButton({ words, say }: Scene, textOf: (copy: HTMLElement) => string): HTMLElement {
  const press = async (): Promise<void> => {
    await navigator.clipboard.writeText(textOf(copy));
    say(words.copied);
    copy.replaceChildren(icon("check"));
    setTimeout(() => copy.replaceChildren(icon("copy")), SHOWN_MS);
  };
  const copy = tool(words.copy, "copy", press, { hidden: !navigator.clipboard });
  return copy;
}
