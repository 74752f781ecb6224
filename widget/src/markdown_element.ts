/** The elements that an answer may have. */

export type Told = Node | string;

export type Name =
  | "a" | "b" | "blockquote" | "br" | "code" | "del" | "em" | "figure" | "h3" | "h4" | "h5" | "h6" | "hr" | "i" | "kbd"
  | "li" | "mark" | "ol" | "p" | "pre" | "s" | "small" | "span" | "strong" | "sub" | "sup" | "table" | "tbody" | "td"
  | "th" | "thead" | "tr" | "u" | "ul";

/** Texts that touch become one. */
export function element<One extends Name>(name: One, children: readonly Told[] = []): HTMLElementTagNameMap[One] {
  const made = document.createElement(name);
  // One by one: there may be more of them than a call takes.
  for (const child of children) made.append(child);
  made.normalize();
  return made;
}
