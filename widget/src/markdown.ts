/**
 * An answer's Markdown as DOM nodes.
 *
 * Text only ever becomes text, and elements are made by their names from a closed list. The one attribute that a text
 * can choose is the address of a link, and it has to pass twice: by `links`, and by its scheme.
 */

import { blocks } from "./markdown_blocks";

/** What stands for the citation mark `[n]`; without it the mark stays text. */
export type Marks = (n: number) => Node | null;

/** Where a link may lead, or nowhere. */
export type Links = (href: string) => string | null;

/** What a rendering needs to know, wherever it is in a text. */
export interface Context {
  readonly marks: Marks;
  readonly links: Links;
  readonly isGrowing: boolean;
}

/** While an answer grows, emphasis that it has not closed yet is shown as if it had. */
export function render(markdown: string, marks: Marks, links: Links, isGrowing = false): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const block of blocks(markdown, { marks, links, isGrowing })) fragment.append(block);
  return fragment;
}
