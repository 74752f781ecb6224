/**
 * Renders an answer's Markdown as DOM nodes.
 *
 * Text only ever becomes text nodes, and elements come from a closed list of names. The only attribute that the text
 * can choose is the address of a link, which is checked twice: by `linkFor`, and by its scheme.
 */

import { blocks } from "./markdown_blocks";

/** Makes the node for citation mark `[n]`; when it returns null, the mark stays text. */
export type MarkFor = (n: number) => Node | null;

/** Returns the address that a link may lead to, or null. */
export type LinkFor = (href: string) => string | null;

export interface RenderContext {
  readonly markFor: MarkFor;
  readonly linkFor: LinkFor;
  readonly isGrowing: boolean;
}

/** While an answer grows, unclosed emphasis is rendered as if it were closed. */
export function render(markdown: string, markFor: MarkFor, linkFor: LinkFor, isGrowing = false): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const block of blocks(markdown, { markFor, linkFor, isGrowing })) fragment.append(block);
  return fragment;
}
