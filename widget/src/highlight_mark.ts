/** Colours words of the page without changing it. */

const NAME = "glossator";
/** Dark on yellow, so that there is contrast enough wherever it stands. */
const STYLE = `::highlight(${NAME}){background-color:var(--glossator-highlight,#ffe08a);color:var(--glossator-highlight-text,#221d16)}`;

let marked: Range | null = null;
let takeOff = (): void => undefined;
let sheet: CSSStyleSheet | null = null;

export function mark(range: Range, onEscape: () => void): void {
  unmark();
  marked = range;
  colour(range);
  const pressed = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") onEscape();
  };
  addEventListener("keydown", pressed, true);
  takeOff = () => {
    removeEventListener("keydown", pressed, true);
    CSS.highlights?.delete(NAME);
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

function colour(range: Range): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  CSS.highlights?.set(NAME, new Highlight(range));
}
