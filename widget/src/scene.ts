/** What every part of the panel needs of the others. */

import type { Chat } from "./chat";
import type { Options } from "./options";
import type { Words } from "./words";

export interface Scene extends Options {
  readonly chat: Chat;
  readonly words: Words;
  /** Reads it out to who does not see it. */
  readonly say: (text: string) => void;
  /** Goes to a place of the book and shows these words there; the chat stays open. */
  readonly visit: (url: string, quote: string, event: MouseEvent) => void;
}
