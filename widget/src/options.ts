/** The element's attributes as options. */

import { type Messages, messagesFor } from "./messages";

/** Its shortcuts have another key. The file can also be imported where there is no browser. */
export const IS_MAC = /Mac|iP/.test(globalThis.navigator?.platform ?? "");

export const ATTRIBUTES = ["server", "book", "key", "position", "title", "topics", "ephemeral", "theme", "language"];

export interface Options {
  /** With the path of the book, where one is named. */
  readonly server: string;
  readonly key: string | undefined;
  /** An unknown value means `bottom-right`. */
  readonly position: string;
  readonly isInline: boolean;
  readonly title: string;
  readonly topics: readonly string[];
  readonly isEphemeral: boolean;
  /** An unknown value means `auto`. */
  readonly theme: string;
  readonly messages: Messages;
}

export function readOptions(element: HTMLElement): Options {
  const attribute = (name: string): string => element.getAttribute(name)?.trim() ?? "";
  const pageLanguage = document.documentElement.lang;
  const messages = messagesFor(attribute("language") || pageLanguage);
  return {
    server: addressOf(attribute("server"), bookOf(attribute("book"), pageLanguage)),
    key: attribute("key") || undefined,
    position: attribute("position"),
    isInline: attribute("position") === "inline",
    title: attribute("title") || messages.title,
    topics: attribute("topics")
      .split(/\s*\|\s*/)
      .filter(Boolean),
    isEphemeral: element.hasAttribute("ephemeral"),
    theme: attribute("theme"),
    messages,
  };
}

/** Of `guide de=guide-de ur=guide-ur`, the book in the page's language; otherwise the one without a language. */
function bookOf(books: string, pageLanguage: string): string {
  const named = (language: string): string | undefined =>
    books.split(/\s+/).find((book) => book.replace(/[^=]*$/, "").toLowerCase() === language);
  const language = `${pageLanguage.toLowerCase()}=`;
  return (named(language) ?? named(language.replace(/-.*/, "=")) ?? named("") ?? "").replace(/.*=/, "");
}

/** By default the server that this file was loaded from. */
function addressOf(server: string, book: string): string {
  const address = server || new URL(import.meta.url).origin;
  return book ? `${address.replace(/\/+$/, "")}/b/${encodeURIComponent(book)}` : address;
}
