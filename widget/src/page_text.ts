/**
 * A page's text as one string of letters and digits, with the DOM position of each.
 *
 * A quote is Markdown and the page is what a site rendered from it: markup, quotation marks, dashes and spaces
 * differ, the letters do not. Formulas are ignored on both sides, because every site renders them differently.
 */

const IGNORED =
  "script,style,noscript,button,nav,glossator-chat,math,.katex,.MathJax,mjx-container,.arithmatex,.math,.linenos,sup>a";
const LETTER = /[\p{L}\p{N}]/u;
const SENTENCE_END = /^[^\p{L}\p{N}\s]{0,3}/u;
const MOST_MATCHES = 99;

export class PageText {
  readonly letters: string;
  /** For each letter its text node, and its offset in that node. */
  readonly #nodes: Text[] = [];
  readonly #offsets: number[] = [];
  #anchorPosition = 0;

  constructor(anchor: Element | null) {
    let letters = "";
    for (const node of textNodes(anchor)) {
      if (node instanceof Text) letters += this.#read(node);
      else this.#anchorPosition = letters.length;
    }
    this.letters = letters;
  }

  #read(node: Text): string {
    const letters = lettersOf(node.data, this.#offsets);
    for (const _ of letters.split("")) this.#nodes.push(node);
    return letters;
  }

  /** Prefers visible matches, and among them the first one after the anchor. */
  find(letters: string): Range | null {
    const matches: number[] = [];
    let position = letters ? this.letters.indexOf(letters) : -1;
    for (; position >= 0 && matches.length < MOST_MATCHES; position = this.letters.indexOf(letters, position + 1)) {
      matches.push(position);
    }
    matches.sort((a, b) => Number(a < this.#anchorPosition) - Number(b < this.#anchorPosition));
    const first = matches.find((match) => isShown(this.#nodes[match])) ?? matches[0];
    return first === undefined ? null : this.#range(first, first + letters.length - 1);
  }

  /** Includes the punctuation after the last letter. */
  #range(first: number, last: number): Range {
    const range = document.createRange();
    const [start, end] = [this.#nodes[first] as Text, this.#nodes[last] as Text];
    const afterLast = (this.#offsets[last] ?? 0) + 1;
    range.setStart(start, this.#offsets[first] ?? 0);
    range.setEnd(end, afterLast + (SENTENCE_END.exec(end.data.slice(afterLast))?.[0].length ?? 0));
    return range;
  }
}

/** The page's text nodes, and the anchor at its position among them. */
function* textNodes(anchor: Element | null): Generator<Node> {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node instanceof Element && node.matches(IGNORED)) return NodeFilter.FILTER_REJECT;
    return node instanceof Text || node === anchor ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
  });
  while (walker.nextNode()) yield walker.currentNode;
}

/** Text inside a closed `<details>` counts as visible, because it can be opened. */
function isShown(node: Text | undefined): boolean {
  const parent = node?.parentElement;
  return !!parent && (parent.getClientRects().length > 0 || !!parent.closest("details:not([open])"));
}

/** The text's letters, lower-case and without accents. Their offsets in the text are appended to `offsets`. */
export function lettersOf(text: string, offsets: number[] = []): string {
  let letters = "";
  let offset = 0;
  for (const character of text) {
    const decomposed = character < "\x80" ? character : character.normalize("NFKD");
    for (const letter of decomposed.toLowerCase()) {
      if (!LETTER.test(letter)) continue;
      letters += letter;
      for (let unit = 0; unit < letter.length; unit++) offsets.push(offset);
    }
    offset += character.length;
  }
  return letters;
}
