/** What the reader has selected in the page, and where the button for it is placed. */

const FEWEST_CHARACTERS = 10;
const MOST_CHARACTERS = 10_000;
const MARGIN = 8;
const EDITABLE = "input,textarea,select,[contenteditable]:not([contenteditable=false])";

export interface PageSelection {
  readonly text: string;
  readonly range: Range;
}

/** Null when it is too short to ask about, inside the widget, or in an editable field. */
export function selectionOutside(host: HTMLElement): PageSelection | null {
  const selection = getSelection();
  const text = selection?.toString().trim().slice(0, MOST_CHARACTERS) ?? "";
  // For a selection inside a shadow root, browsers report either nothing or nodes outside the document.
  if (!selection || selection.isCollapsed || text.length <= FEWEST_CHARACTERS) return null;
  const range = selection.getRangeAt(0);
  const container = elementOf(range.commonAncestorContainer);
  const isOwn = container.getRootNode() !== document || host.contains(container);
  if (isOwn || container.closest(EDITABLE) || document.activeElement?.matches(EDITABLE)) return null;
  return { text, range };
}

function elementOf(node: Node): Element {
  return node instanceof Element ? node : node.parentElement ?? document.documentElement;
}

/** Below the last line, because phones show their own menu above; above the first line when there is no room. */
export function positionButton({ range }: PageSelection, button: HTMLElement): void {
  const lines = [...range.getClientRects()].filter(({ width }) => width);
  const first = lines[0] ?? range.getBoundingClientRect();
  const last = lines.at(-1) ?? first;
  const { offsetWidth: width, offsetHeight: height } = button;
  const below = last.bottom + MARGIN;
  const hasRoom = below + height + MARGIN <= innerHeight;
  button.style.left = clamped(last.left + (last.width - width) / 2, document.documentElement.clientWidth - width);
  button.style.top = clamped(hasRoom ? below : first.top - height - MARGIN, innerHeight - height);
}

function clamped(coordinate: number, limit: number): string {
  return `${Math.max(MARGIN, Math.min(coordinate, limit - MARGIN))}px`;
}
