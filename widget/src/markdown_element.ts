/** The elements that an answer may contain. */

export type Content = Node | string;

export type TagName =
  | "a" | "b" | "blockquote" | "br" | "code" | "del" | "em" | "figure" | "h3" | "h4" | "h5" | "h6" | "hr" | "i" | "kbd"
  | "li" | "mark" | "ol" | "p" | "pre" | "s" | "small" | "span" | "strong" | "sub" | "sup" | "table" | "tbody" | "td"
  | "th" | "thead" | "tr" | "u" | "ul";

/** Adjacent text nodes are merged. */
export function element<Name extends TagName>(
  name: Name,
  children: readonly Content[] = [],
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  // One at a time, because a call takes only so many arguments.
  for (const child of children) node.append(child);
  node.normalize();
  return node;
}
