/** Brings a place of the page before the reader's eyes. */

/** To a third of the height, where no header covers it. What scrolls inside the page is scrolled at once. */
export function bringIntoView(place: Range | Element, inside: Element | null): void {
  openAround(inside);
  for (let box = inside; box && box !== document.scrollingElement; box = box.parentElement) {
    if (!/auto|scroll/.test(getComputedStyle(box).overflow)) continue;
    const [words, frame] = [rectOf(place, inside), box.getBoundingClientRect()];
    box.scrollBy(words.left - frame.left - frame.width / 3, words.top - frame.top - frame.height / 3);
  }
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  scrollBy({ top: rectOf(place, inside).top - innerHeight / 3, behavior: isCalm ? "instant" : "smooth" });
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
