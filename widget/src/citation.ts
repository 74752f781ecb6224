/** The list of an answer's sources; of the nearest sections when it cites nothing. */

import type { Context } from "./context";
import { addressOf } from "./highlight";
import { node, note } from "./node";
import type { Answer, Citation } from "./types";

/** The server's page title for text that the reader selected. */
const SELECTION_TITLE = "User Selection";

interface Source {
  readonly numbers: readonly number[];
  readonly title: string;
  readonly url: string;
  readonly quote: string;
}

export function titleOf({ page_title, section }: Citation, { messages }: Context): string {
  if (page_title === SELECTION_TITLE) return messages.selection;
  return section && section !== page_title ? `${page_title} › ${section}` : page_title;
}

/** Returns false when there is nothing to list. */
export function sourceList({ citations, suggestions }: Answer, context: Context): HTMLElement | false {
  const suggested = suggestions.map(({ title, url }) => ({
    numbers: [],
    title: title.replace(/ > /g, " › "),
    url,
    quote: "",
  }));
  const sources: readonly Source[] = citations.length ? citedSections(citations, context) : suggested;
  const label = citations.length ? context.messages.sources : context.messages.nearest;
  const rows = sources.map((source) =>
    node("li", {}, node("span", {}, source.numbers.join(" ")), link(source, context)),
  );
  return sources.length > 0 && node("div", { class: "places" }, note(label), node("ul", {}, ...rows));
}

/** Each section once, with the numbers of all its citations. */
function citedSections(citations: readonly Citation[], context: Context): readonly Source[] {
  const sources = new Map<string, Source>();
  for (const citation of citations) {
    const title = titleOf(citation, context);
    const source = sources.get(title) ?? { ...citation, title, numbers: [] };
    sources.set(title, { ...source, numbers: [...source.numbers, citation.n] });
  }
  return [...sources.values()];
}

/** A real link, so that it can be opened in a new tab, copied, and announced as a link. */
function link({ title, url, quote }: Source, { visit }: Context): HTMLElement {
  const click = (event: MouseEvent): void => {
    event.preventDefault();
    visit(url, quote, event);
  };
  const lastPart = title.lastIndexOf("› ") + 1;
  return node(
    "a",
    { href: addressOf(url)?.href ?? "", dir: "auto", click },
    node("span", {}, title.slice(0, lastPart)),
    title.slice(lastPart),
  );
}
