/** Colours words of the page without changing it. */

const NAME = "glossator";
/** Dark on yellow, so that there is contrast enough wherever it stands. */
const STYLE = `::highlight(${NAME}){background-color:var(--glossator-highlight,#ffe08a);color:var(--glossator-highlight-text,#221d16)}`;
const OUTLINE = "3px solid var(--glossator-highlight,#d9a400)";

let marked: Range | null = null;
let takeOff = (): void => undefined;
let sheet: CSSStyleSheet | null = null;

export function mark(range: Range, onEscape: () => void): void {
  unmark();
  marked = range;
  const uncolour = "highlights" in CSS ? colour(range) : outline(range.startContainer.parentElement);
  const pressed = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") onEscape();
  };
  addEventListener("keydown", pressed, true);
  takeOff = () => {
    removeEventListener("keydown", pressed, true);
    uncolour();
  };
}

export function unmark(): void {
  marked = null;
  takeOff();
  takeOff = () => undefined;
}

/** Whether the marked words are still in the page. */
export function isMarked(): boolean {
  return !!marked && !marked.collapsed;
}

function colour(range: Range): () => void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  CSS.highlights.set(NAME, new Highlight(range));
  return () => void CSS.highlights.delete(NAME);
}

/** For browsers that can colour no words: the block that they begin in. */
function outline(inside: Element | null): () => void {
  const block = inside?.closest<HTMLElement>("p,li,td,th,dt,dd,pre,h1,h2,h3,h4,h5,h6,div");
  if (!block) return () => undefined;
  const before = block.style.outline;
  block.style.outline = OUTLINE;
  return () => void (block.style.outline = before);
}
