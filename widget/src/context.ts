/** What every part of the panel needs: the options, the conversation, and two actions. */

import type { Chat } from "./chat";
import type { Messages } from "./messages";
import type { Options } from "./options";

export interface Context extends Options {
  readonly chat: Chat;
  readonly messages: Messages;
  /** Reads the text out to users of a screen reader. */
  readonly announce: (text: string) => void;
  /** Goes to a page of the book and highlights the quote there; the chat stays open. */
  readonly visit: (url: string, quote: string, event: MouseEvent) => void;
}
