/** Brings a place of the page before the reader's eyes. */

/** To a third of the height, where no header covers it; whatever scrolls around it is scrolled too. */
export function bringIntoView(place: Range | Element, inside: Element | null): void {
  openAround(inside);
  inside?.scrollIntoView({ block: "center" });
  scrollBy({ top: rectOf(place, inside).top - innerHeight / 3, behavior: "instant" });
}

/** Sites that fold by themselves listen for a click on the title. */
function openAround(inside: Element | null): void {
  for (let box = inside?.closest("details"); box; box = box.parentElement?.closest("details")) {
    if (!box.open) box.querySelector("summary")?.click();
    box.open = true;
  }
}

/** Of what is hidden, such as in a tab that is not chosen, the nearest thing around it that is not. */
function rectOf(place: Range | Element, inside: Element | null): DOMRect {
  let rect = place.getClientRects()[0];
  for (let box = inside; !rect && box; box = box.parentElement) rect = box.getClientRects()[0];
  return rect ?? new DOMRect();
}
