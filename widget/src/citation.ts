/** The places that an answer rests on, or that come nearest, as a list that can be followed. */

import { addressOf } from "./highlight";
import { node, note } from "./node";
import type { Scene } from "./scene";
import type { AnswerTold, Citation } from "./told";

/** What the server calls the page of words that the reader marked. */
const SELECTION = "User Selection";

interface Place {
  readonly numbers: readonly number[];
  readonly title: string;
  readonly url: string;
  readonly quote: string;
}

export function placeOf({ page_title, section }: Citation, { words }: Scene): string {
  if (page_title === SELECTION) return words.selection;
  return section && section !== page_title ? `${page_title} › ${section}` : page_title;
}

/** Nothing where the answer names no place. */
export function placeList({ citations, suggestions }: AnswerTold, scene: Scene): HTMLElement | false {
  const nearest = suggestions.map(({ title, url }) => ({
    numbers: [],
    title: title.replace(/ > /g, " › "),
    url,
    quote: "",
  }));
  const places: readonly Place[] = citations.length ? sources(citations, scene) : nearest;
  const label = citations.length ? scene.words.sources : scene.words.nearest;
  const rows = places.map((place) => node("li", {}, node("span", {}, place.numbers.join(" ")), link(place, scene)));
  return places.length > 0 && node("div", { class: "places" }, note(label), node("ul", {}, ...rows));
}

/** Each section once, with the numbers of all its citations. */
function sources(citations: readonly Citation[], scene: Scene): readonly Place[] {
  const places = new Map<string, Place>();
  for (const citation of citations) {
    const title = placeOf(citation, scene);
    const first = places.get(title) ?? { ...citation, title, numbers: [] };
    places.set(title, { ...first, numbers: [...first.numbers, citation.n] });
  }
  return [...places.values()];
}

/** A true link, so that it opens elsewhere, is copied and is read out as one. */
function link({ title, url, quote }: Place, { visit }: Scene): HTMLElement {
  const click = (event: MouseEvent): void => {
    event.preventDefault();
    visit(url, quote, event);
  };
  const end = title.lastIndexOf("› ") + 1;
  return node(
    "a",
    { href: addressOf(url)?.href ?? "", dir: "auto", click },
    node("span", {}, title.slice(0, end)),
    title.slice(end),
  );
}
