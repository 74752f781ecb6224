/** What the attributes of the element say. */

import type { Theme } from "./theme";
import { wordsOf, type Words } from "./words";

export const ATTRIBUTES = ["server", "key", "position", "title", "topics", "ephemeral", "theme", "language"] as const;

/** A change of these is another conversation. */
export const OF_THE_CONVERSATION: ReadonlySet<string> = new Set(["server", "key", "ephemeral"]);

export type Position = "bottom-right" | "bottom-left" | "inline";

export interface Options {
  readonly server: string;
  readonly key: string | undefined;
  readonly position: Position;
  readonly isInline: boolean;
  readonly title: string;
  readonly topics: readonly string[];
  readonly isEphemeral: boolean;
  readonly theme: Theme;
  readonly words: Words;
}

export function optionsOf(element: HTMLElement): Options {
  const said = (name: string): string => element.getAttribute(name)?.trim() ?? "";
  const words = wordsOf(said("language") || document.documentElement.lang);
  const position = oneOf(said("position"), ["bottom-right", "bottom-left", "inline"]);
  return {
    server: serverOf(said("server")),
    key: said("key") || undefined,
    position,
    isInline: position === "inline",
    title: said("title") || words.title,
    topics: said("topics")
      .split("|")
      .map((topic) => topic.trim())
      .filter(Boolean),
    isEphemeral: element.hasAttribute("ephemeral") && said("ephemeral") !== "false",
    theme: oneOf(said("theme"), ["auto", "light", "dark"]),
    words,
  };
}

/** Where this very file came from, unless another server is named. */
function serverOf(said: string): string {
  const url = new URL(said || new URL(import.meta.url).origin, document.baseURI);
  return url.href.replace(/\/+$/, "");
}

/** The first one where none of them is said. */
function oneOf<Value extends string>(said: string, values: readonly [Value, ...Value[]]): Value {
  return values.find((value) => value === said) ?? values[0];
}
