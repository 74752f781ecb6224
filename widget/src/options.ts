/** What the attributes of the element say. */

import { type Words, wordsOf } from "./words";

export const ATTRIBUTES = ["server", "key", "position", "title", "topics", "ephemeral", "theme", "language"];

export interface Options {
  readonly server: string;
  readonly key: string | undefined;
  /** `bottom-right` where it is none that we know. */
  readonly position: string;
  readonly isInline: boolean;
  readonly title: string;
  readonly topics: readonly string[];
  readonly isEphemeral: boolean;
  /** `auto` where it is neither `light` nor `dark`. */
  readonly theme: string;
  readonly words: Words;
}

export function optionsOf(element: HTMLElement): Options {
  const said = (name: string): string => element.getAttribute(name)?.trim() ?? "";
  const words = wordsOf(said("language") || document.documentElement.lang);
  return {
    // Where this very file came from, unless another one is named.
    server: said("server") || new URL(import.meta.url).origin,
    key: said("key") || undefined,
    position: said("position"),
    isInline: said("position") === "inline",
    title: said("title") || words.title,
    topics: said("topics")
      .split(/\s*\|\s*/)
      .filter(Boolean),
    isEphemeral: element.hasAttribute("ephemeral"),
    theme: said("theme"),
    words,
  };
}
