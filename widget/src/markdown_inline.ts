/**
 * Renders inline Markdown.
 *
 * One pass from left to right; at each position the first rule that matches applies. Each pattern ends at a character
 * that starts another match, or has a bounded repetition, so that the time is linear in the length of the text.
 */

import type { RenderContext } from "./markdown";
import { HALF } from "./half_supported";
import { type Content, element, type TagName } from "./markdown_element";

/** A delimiter that may be closed later; until then it is text in the output. */
interface Opener {
  readonly sign: string;
  readonly outputIndex: number;
  left: number;
}

/** What an opener and its closer enclose; `count` is how many of their delimiters were used. */
interface Enclosed {
  readonly sign: string;
  readonly count: number;
  readonly children: readonly Content[];
}

interface State extends RenderContext {
  readonly text: string;
  readonly output: Content[];
  openers: Opener[];
  /** Runs of backticks that have no closing run. */
  readonly unclosed: Set<string>;
  /** Index of the next character. */
  at: number;
}

/** Returns the content; `""` when the rule has written its output itself; `null` when it does not apply. */
type Rule = (match: RegExpExecArray, state: State) => Content | null;

// Bounds the search for an opener and the depth of the tree, whatever the text is.
const MOST_OPENERS = 16;
const LONGEST_RUN = 3;
const MOST_TICKS = 99;

/** Characters before and after an opening and a closing run; underscores do neither inside a word. */
const FLANKING = [/^(?:[\s!-/:-@[-`{-~]\S|[^][^\s!-/:-@[-`{-~])/, /^(?:\S[\s!-/:-@[-`{-~]|[^\s!-/:-@[-`{-~])/];
const FLANKING_UNDERSCORE = [/^[\s!-/:-@[-`{-~]\S/, /^\S[\s!-/:-@[-`{-~]/];
const TARGET =
  /\]\(\s{0,9}<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s{1,9}(?:"[^"]*"|'[^']*'))?\s{0,9}\)/y;
const ENTITY = /&(#(?:\d{1,6}|x[\da-f]{1,5})|amp|lt|gt|quot|apos|nbsp);/g;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\xa0" };

const RULES: readonly (readonly [RegExp, Rule])[] = [
  // A non-breaking space keeps a citation mark on the line of the word before it.
  [/[^\\`*_~[\]!<&$\n\uE000\uE001]+(?=\[\d)/y, ([text]) => text.replace(/ $/, "\xa0")],
  [/[^\\`*_~[\]!<&$\n\uE000\uE001]+/y, ([text]) => text],
  [/\*+|_+|~+/y, emphasis],
  [new RegExp(`\\[(\\d{1,3})(?!${TARGET.source})\\]`, "y"), mark],
  [/!?\[/y, ([sign], state) => open(sign, 1, state)],
  [TARGET, link],
  [/\uE000/y, ([sign], state) => open(sign, 1, state)],
  [/\uE001/y, closeHalf],
  [/\]/y, closeBracket],
  [/`+/y, code],
  [/\\?\n|<br\s*\/?>/y, endLine],
  [/\\([!-/:-@[-`{-~])/y, ([, character = ""]) => character],
  [/(\$\$|\$(?!\s))((?:[^$\\]|\\[^])+)\1(?!\w)/y, formula],
  [/&#?\w{1,9};/y, ([entity]) => decoded(entity)],
  // The tags that `answer/sanitize.py` lets through: without attributes, around plain text.
  [/<(b|code|em|i|kbd|mark|s|small|strong|sub|sup|u)>([^<]*)<\/\1>/y, htmlTag],
  [/[^]/y, ([character]) => character],
];

export function inline(text: string, context: RenderContext): readonly Content[] {
  const state: State = { ...context, text, output: [], openers: [], unclosed: new Set(), at: 0 };
  while (state.at < text.length) RULES.some(([pattern, rule]) => applyRule(pattern, rule, state));
  while (context.isGrowing && close((opener) => !isBracket(opener), 2, state));
  return state.output;
}

function applyRule(pattern: RegExp, rule: Rule, state: State): boolean {
  const start = (pattern.lastIndex = state.at);
  const match = pattern.exec(state.text);
  if (!match) return false;
  state.at = pattern.lastIndex;
  const content = rule(match, state);
  if (content === null) state.at = start;
  else if (content) state.output.push(content);
  return content !== null;
}

function open(sign: string, length: number, { output, openers }: State): "" {
  openers.push({ sign, left: length, outputIndex: output.length });
  if (openers.length > MOST_OPENERS) openers.shift();
  output.push(sign.repeat(length));
  return "";
}

function emphasis([run]: RegExpExecArray, state: State): Content {
  const { text, at } = state;
  const sign = run.charAt(0);
  if (run.length > LONGEST_RUN || (sign === "~" && run.length !== 2)) return run;
  const neighbours = (text[at - run.length - 1] ?? " ") + (text[at] ?? " ");
  const [opens, closes] = (sign === "_" ? FLANKING_UNDERSCORE : FLANKING).map((pattern) => pattern.test(neighbours));
  let left = run.length;
  const fits = (opener: Opener): boolean =>
    opener.sign === sign && (opener.left === left || Math.max(opener.left, left) === LONGEST_RUN);
  for (let count = 1; closes && left && count; left -= count) count = close(fits, left, state);
  return opens && left ? open(sign, left, state) : sign.repeat(left);
}

/** Returns how many delimiters were closed. */
function close(fits: (opener: Opener) => boolean, limit: number, state: State): number {
  const enclosed = takeEnclosed(fits, Math.min(limit, 2), state);
  if (!enclosed) return 0;
  const { sign, count, children } = enclosed;
  state.output.push(element(sign === "~" ? "del" : count === 2 ? "strong" : "em", children));
  return count;
}

/** Removes from the output what follows the last fitting opener, and as much of the opener as is closed. */
function takeEnclosed(fits: (opener: Opener) => boolean, limit: number, { output, openers }: State): Enclosed | null {
  const index = openers.map(fits).lastIndexOf(true);
  const opener = openers[index];
  if (!opener) return null;
  const { sign, outputIndex } = opener;
  const count = Math.min(opener.left, limit);
  const [, ...children] = output.splice(outputIndex);
  opener.left -= count;
  if (opener.left) output.push(sign.repeat(opener.left));
  openers.length = opener.left ? index + 1 : index;
  return { sign, count, children };
}

function isBracket({ sign }: Opener): boolean {
  return sign.endsWith("[");
}

/** Like a link, a mark cannot be inside a link. */
function mark([, n]: RegExpExecArray, state: State): Content {
  dropLinkOpeners(state);
  return state.markFor(Number(n)) ?? `[${n}]`;
}

function dropLinkOpeners(state: State): void {
  state.openers = state.openers.filter(({ sign }) => sign !== "[");
}

/** An image is rendered as its alternative text. */
function link([, href = ""]: RegExpExecArray, state: State): Content | null {
  const enclosed = takeEnclosed(isBracket, 1, state);
  if (!enclosed) return null;
  if (enclosed.sign !== "[") return element("span", enclosed.children);
  dropLinkOpeners(state);
  const node = element("a", enclosed.children);
  const target = state.linkFor(decoded(href));
  if (target) node.href = target;
  return /^https?:$/.test(node.protocol) ? node : element("span", [...node.childNodes]);
}

function closeHalf(_: RegExpExecArray, state: State): Content {
  const enclosed = takeEnclosed(({ sign }) => sign === HALF[0], 1, state);
  const node = element("u", enclosed?.children);
  node.className = "half";
  return node;
}

function closeBracket(_: RegExpExecArray, { openers }: State): Content {
  const index = openers.map(isBracket).lastIndexOf(true);
  if (index >= 0) openers.splice(index, 1);
  return "]";
}

function code([ticks]: RegExpExecArray, state: State): Content {
  const { text, at, unclosed } = state;
  const closing = new RegExp(`(?<!\`)\`{${ticks.length}}(?!\`)`, "g");
  closing.lastIndex = at;
  const end = ticks.length > MOST_TICKS || unclosed.has(ticks) ? null : closing.exec(text);
  if (!end) {
    unclosed.add(ticks);
    return ticks;
  }
  state.at = closing.lastIndex;
  return element("code", [text.slice(at, end.index).replaceAll("\n", " ").replace(/^ ([^]*) $/, "$1")]);
}

function endLine([sign]: RegExpExecArray, { output }: State): Content {
  const before = output.at(-1);
  const isSoft = sign === "\n" && !(typeof before === "string" && before.endsWith("  "));
  return isSoft ? sign : element("br");
}

/** Shown as source: a library that typesets formulas is larger than the whole widget. */
function formula([, sign, tex = ""]: RegExpExecArray): Content | null {
  if (sign === "$" && tex.endsWith(" ")) return null;
  const node = element("span", [tex.trim()]);
  node.className = sign === "$" ? "math" : "math display";
  return node;
}

function htmlTag([, tag, text = ""]: RegExpExecArray): Content {
  return element(tag as TagName, [decoded(text)]);
}

function decoded(text: string): string {
  return text.replace(ENTITY, (_, name) => NAMED[name] ?? String.fromCodePoint(Number(`0${name.slice(1)}`)));
}
