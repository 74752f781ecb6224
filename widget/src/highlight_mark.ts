/** Highlights a range of the page without changing the DOM. */

const NAME = "glossator";
/** Dark text on yellow has enough contrast on every page. */
const STYLE = `::highlight(${NAME}){background-color:var(--glossator-highlight,#ffe08a);color:var(--glossator-highlight-text,#221d16)}`;

let highlighted: Range | null = null;
let removeHighlight = (): void => undefined;
let styleSheet: CSSStyleSheet | null = null;

export function highlight(range: Range, onEscape: () => void): void {
  clear();
  highlighted = range;
  paint(range);
  const onKeydown = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") onEscape();
  };
  addEventListener("keydown", onKeydown, true);
  removeHighlight = () => {
    removeEventListener("keydown", onKeydown, true);
    CSS.highlights?.delete(NAME);
  };
}

export function clear(): void {
  highlighted = null;
  removeHighlight();
  removeHighlight = () => undefined;
}

/** False also when the site has redrawn the page since, which collapses the range. */
export function isHighlighted(): boolean {
  return !!highlighted && !highlighted.collapsed;
}

function paint(range: Range): void {
  if (!styleSheet) {
    styleSheet = new CSSStyleSheet();
    styleSheet.replaceSync(STYLE);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, styleSheet];
  }
  CSS.highlights?.set(NAME, new Highlight(range));
}
