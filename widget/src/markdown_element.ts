/** The elements that an answer may have. */

export type Told = Node | string;

export type Name =
  | "a" | "b" | "blockquote" | "br" | "code" | "del" | "em" | "figure" | "h3" | "h4" | "h5" | "h6" | "hr" | "i" | "kbd"
  | "li" | "mark" | "ol" | "p" | "pre" | "s" | "small" | "span" | "strong" | "sub" | "sup" | "table" | "tbody" | "td"
  | "th" | "thead" | "tr" | "u" | "ul";

/** Texts that touch become one. */
export function element<One extends Name>(name: One, children: readonly Told[] = []): HTMLElementTagNameMap[One] {
  const made = document.createElement(name);
  let words = "";
  children.forEach((child, index) => {
    if (typeof child !== "string") made.append(child);
    else if (typeof children[index + 1] === "string") words += child;
    else {
      made.append(words + child);
      words = "";
    }
  });
  return made;
}
