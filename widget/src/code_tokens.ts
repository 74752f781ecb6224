/**
 * Splits source code into tokens to colour: comments, strings, numbers and keywords.
 *
 * One pattern for every language, because an answer's code is short and a real grammar is larger than the widget.
 */

/** `c` comment, `s` string, `n` number, `k` keyword; none for everything else. */
export type TokenKind = "c" | "s" | "n" | "k" | "";
export type Token = readonly [kind: TokenKind, text: string];

/** In a language of the first kind a comment begins with `#`, of the second with two dashes, else with two slashes. */
const HASH = /^(?:py|python\d?|pycon|ba?sh|sh|zsh|shell|console|ya?ml|toml|ini|rb|ruby|r|make|makefile|cmake|docker|dockerfile|perl)$/;
const DASHES = /^(?:sql|lua|haskell|hs|ada)$/;
const PLAIN = /^(?:|text|txt|plain|plaintext|md|markdown|mermaid|output|log)$/;

const KEYWORDS = new Set(
  (
    "abstract and as assert async await begin bool break case catch char class const continue def default defer del delete do done double " +
    "elif else end enum esac except export extends extern false False fi final finally float fn for from func function global go goto if " +
    "impl implements import in include inline int interface is lambda let long loop match mod module mut namespace new nil None not null " +
    "of or package pass private protected pub public raise return select self short signed static struct super switch template then this " +
    "throw trait true True try type typedef typeof union unsafe unsigned until use using var void volatile when where while with yield " +
    "SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE JOIN ON AND OR NOT NULL ORDER GROUP BY LIMIT"
  ).split(" "),
);

const STRING = /"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|`(?:[^`\\]|\\[^])*`?/.source;
/** An option such as `--from-file` holds no keyword. */
const REST = /--?[a-z][\w-]*|\b\d[\w.]*|[\p{L}_$][\p{L}\p{N}_$]*|\s+|[^]/u.source;

export function codeTokens(source: string, language: string): readonly Token[] {
  const name = language.toLowerCase();
  if (PLAIN.test(name)) return [["", source]];
  const comment = HASH.test(name) ? "#.*" : DASHES.test(name) ? "--.*" : "//.*|/\\*[^]*?(?:\\*/|$)";
  const pattern = new RegExp(`(${comment})|(${STRING})|${REST}`, "gu");
  return joined([...source.matchAll(pattern)].map(([text, isComment, isString]) => [kindOf(text, isComment, isString), text]));
}

function kindOf(text: string, isComment?: string, isString?: string): TokenKind {
  if (isComment) return "c";
  if (isString) return "s";
  return /^\d/.test(text) ? "n" : KEYWORDS.has(text) ? "k" : "";
}

/** Neighbours of one kind become one token. */
function joined(tokens: readonly Token[]): readonly Token[] {
  const result: [TokenKind, string][] = [];
  for (const [kind, text] of tokens) {
    const last = result.at(-1);
    if (last?.[0] === kind) last[1] += text;
    else result.push([kind, text]);
  }
  return result;
}
