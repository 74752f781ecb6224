/** What a reader has marked, and where the button for it stands. */

const FEWEST = 10;
const MOST = 10_000;
const MARGIN = 8;
const WRITABLE = "input,textarea,select,[contenteditable]:not([contenteditable=false])";

export interface Marked {
  readonly text: string;
  readonly range: Range;
}

/** Nothing when it is too short to ask about, in the widget itself, or what the reader writes. */
export function markedOutside(host: HTMLElement): Marked | null {
  const selection = getSelection();
  const text = selection?.toString().trim().slice(0, MOST) ?? "";
  // Of what is inside of a widget, browsers show either nothing or what is no part of the document.
  if (!selection || selection.isCollapsed || text.length <= FEWEST) return null;
  const range = selection.getRangeAt(0);
  const inside = elementOf(range.commonAncestorContainer);
  const isOwn = inside.getRootNode() !== document || host.contains(inside);
  if (isOwn || inside.closest(WRITABLE) || document.activeElement?.matches(WRITABLE)) return null;
  return { text, range };
}

function elementOf(node: Node): Element {
  return node instanceof Element ? node : node.parentElement ?? document.documentElement;
}

/** Below its last line, as a phone shows buttons of its own above; above its first where there is no room. */
export function placeBeside({ range }: Marked, button: HTMLElement): void {
  const lines = [...range.getClientRects()].filter(({ width }) => width);
  const first = lines[0] ?? range.getBoundingClientRect();
  const last = lines.at(-1) ?? first;
  const { offsetWidth: width, offsetHeight: height } = button;
  const below = last.bottom + MARGIN;
  const hasRoom = below + height + MARGIN <= innerHeight;
  button.style.left = within(last.left + (last.width - width) / 2, document.documentElement.clientWidth - width);
  button.style.top = within(hasRoom ? below : first.top - height - MARGIN, innerHeight - height);
}

function within(wanted: number, room: number): string {
  return `${Math.max(MARGIN, Math.min(wanted, room - MARGIN))}px`;
}
