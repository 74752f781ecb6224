/**
 * A page's words as one string of letters and digits, with the place of each in the page.
 *
 * A quote is Markdown and the page is what a site made of it: marks, quotation marks, dashes and blanks differ, the
 * letters do not. Formulas are left out on both sides, as every site writes them in its own way.
 */

const LEFT_OUT =
  "script,style,noscript,button,nav,glossator-chat,math,.katex,.MathJax,mjx-container,.arithmatex,.math,.linenos,sup>a";
const LETTER = /[\p{L}\p{N}]/u;
const SENTENCE_END = /^[^\p{L}\p{N}\s]{0,3}/u;
const MOST_PLACES = 99;

export class WordsInPage {
  readonly letters: string;
  /** Of each letter, and its offset in there. */
  readonly #nodes: Text[] = [];
  readonly #offsets: number[] = [];
  #behindAnchor = 0;

  constructor(anchor: Element | null) {
    let letters = "";
    for (const node of readable(anchor)) {
      if (node instanceof Text) letters += this.#read(node);
      else this.#behindAnchor = letters.length;
    }
    this.letters = letters;
  }

  #read(node: Text): string {
    const letters = spelled(node.data, this.#offsets);
    for (const _ of letters.split("")) this.#nodes.push(node);
    return letters;
  }

  /** Where these letters stand: rather where they can be seen, and rather behind the anchor. */
  find(letters: string): Range | null {
    const places: number[] = [];
    let at = letters ? this.letters.indexOf(letters) : -1;
    for (; at >= 0 && places.length < MOST_PLACES; at = this.letters.indexOf(letters, at + 1)) places.push(at);
    places.sort((a, b) => Number(a < this.#behindAnchor) - Number(b < this.#behindAnchor));
    const begin = places.find((place) => isShown(this.#nodes[place])) ?? places[0];
    return begin === undefined ? null : this.#range(begin, begin + letters.length - 1);
  }

  /** With the sign that ends the sentence. */
  #range(first: number, last: number): Range {
    const range = document.createRange();
    const [begin, end] = [this.#nodes[first] as Text, this.#nodes[last] as Text];
    const behind = (this.#offsets[last] ?? 0) + 1;
    range.setStart(begin, this.#offsets[first] ?? 0);
    range.setEnd(end, behind + (SENTENCE_END.exec(end.data.slice(behind))?.[0].length ?? 0));
    return range;
  }
}

/** The page's texts, and the anchor in its place among them. */
function* readable(anchor: Element | null): Generator<Node> {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node instanceof Element && node.matches(LEFT_OUT)) return NodeFilter.FILTER_REJECT;
    return node instanceof Text || node === anchor ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
  });
  while (walker.nextNode()) yield walker.currentNode;
}

/** To a reader, or to one who would open what is folded. */
function isShown(node: Text | undefined): boolean {
  const parent = node?.parentElement;
  return !!parent && (parent.getClientRects().length > 0 || !!parent.closest("details:not([open])"));
}

/** A text's letters, small and without accents; their places in the text are added to the offsets. */
export function spelled(text: string, offsets: number[] = []): string {
  let letters = "";
  let offset = 0;
  for (const character of text) {
    const plain = character < "\x80" ? character : character.normalize("NFKD");
    for (const letter of plain.toLowerCase()) {
      if (!LETTER.test(letter)) continue;
      letters += letter;
      for (let unit = 0; unit < letter.length; unit++) offsets.push(offset);
    }
    offset += character.length;
  }
  return letters;
}
