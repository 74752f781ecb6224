/** Scrolls the target to a third of the window's height, below any sticky header; nested scrollers scroll too. */
export function scrollToTarget(target: Range | Element, container: Element | null): void {
  openDetails(container);
  container?.scrollIntoView({ block: "center" });
  scrollBy({ top: rectOf(target, container).top - innerHeight / 3, behavior: "instant" });
}

/** Some sites animate `<details>` with a click listener on the summary, so it is clicked first. */
function openDetails(container: Element | null): void {
  for (let box = container?.closest("details"); box; box = box.parentElement?.closest("details")) {
    if (!box.open) box.querySelector("summary")?.click();
    box.open = true;
  }
}

/** For a hidden target, for example in an inactive tab, the rectangle of its nearest visible ancestor. */
function rectOf(target: Range | Element, container: Element | null): DOMRect {
  let rect = target.getClientRects()[0];
  for (let box = container; !rect && box; box = box.parentElement) rect = box.getClientRects()[0];
  return rect ?? new DOMRect();
}
