/**
 * What stands inside a paragraph.
 *
 * One pass from left to right, by the first rule that fits where the reading stands. Each pattern ends at a character
 * that another match begins with, or counts what it repeats, so that no text costs more than its length.
 */

import type { Context } from "./markdown";
import { element, type Name, type Told } from "./markdown_element";

/** A sign that may find its partner; until then it is the text at its place. */
interface Opener {
  readonly sign: string;
  readonly place: number;
  left: number;
}

/** What stands between partners, of which so many signs were used. */
interface Between {
  readonly sign: string;
  readonly used: number;
  readonly children: readonly Told[];
}

interface Reading extends Context {
  readonly text: string;
  readonly told: Told[];
  openers: Opener[];
  /** Runs of ticks that no other closes. */
  readonly lone: Set<string>;
  at: number;
}

/** What was found, `""` when the rule has told it itself, `null` when it is something else. */
type Rule = (found: RegExpExecArray, reading: Reading) => Told | null;

// With so few that wait for a partner, a search is short and a tree is flat, whatever the text is.
const MOST_OPENERS = 16;
const LONGEST_RUN = 3;
const MOST_TICKS = 99;

/** What stands before and behind a run that opens, and one that closes; a line does neither inside a word. */
const LEANING = [/^(?:[\s!-/:-@[-`{-~]\S|[^][^\s!-/:-@[-`{-~])/, /^(?:\S[\s!-/:-@[-`{-~]|[^\s!-/:-@[-`{-~])/];
const LEANING_LINE = [/^[\s!-/:-@[-`{-~]\S/, /^\S[\s!-/:-@[-`{-~]/];
const TARGET =
  /\]\(\s{0,9}<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s{1,9}(?:"[^"]*"|'[^']*'))?\s{0,9}\)/y;
const ENTITY = /&(#(?:\d{1,6}|x[\da-f]{1,5})|amp|lt|gt|quot|apos|nbsp);/g;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\xa0" };

const RULES: readonly (readonly [RegExp, Rule])[] = [
  // A mark stays on the line of the word before it.
  [/[^\\`*_~[\]!<&$\n]+(?=\[\d)/y, ([words]) => words.replace(/ $/, "\xa0")],
  [/[^\\`*_~[\]!<&$\n]+/y, ([words]) => words],
  [/\*+|_+|~+/y, emphasis],
  [new RegExp(`\\[(\\d{1,3})(?!${TARGET.source})\\]`, "y"), mark],
  [/!?\[/y, ([sign], reading) => open(sign, 1, reading)],
  [TARGET, link],
  [/\]/y, closeNothing],
  [/`+/y, code],
  [/\\?\n|<br\s*\/?>/y, endLine],
  [/\\([!-/:-@[-`{-~])/y, ([, character = ""]) => character],
  [/(\$\$|\$(?!\s))((?:[^$\\]|\\[^])+)\1(?!\w)/y, formula],
  [/&#?\w{1,9};/y, ([entity]) => decoded(entity)],
  // The tags that `sanitize.py` lets through where the book has them: without attributes, around plain words.
  [/<(b|code|em|i|kbd|mark|s|small|strong|sub|sup|u)>([^<]*)<\/\1>/y, ([, tag, words = ""]) => element(tag as Name, [decoded(words)])],
  [/[^]/y, ([character]) => character],
];

export function inline(text: string, context: Context): readonly Told[] {
  const reading: Reading = { ...context, text, told: [], openers: [], lone: new Set(), at: 0 };
  while (reading.at < text.length) RULES.some(([pattern, rule]) => follow(pattern, rule, reading));
  while (context.isGrowing && close((opener) => !isBracket(opener), 2, reading));
  return reading.told;
}

function follow(pattern: RegExp, rule: Rule, reading: Reading): boolean {
  const begin = (pattern.lastIndex = reading.at);
  const found = pattern.exec(reading.text);
  if (!found) return false;
  reading.at = pattern.lastIndex;
  const told = rule(found, reading);
  if (told === null) reading.at = begin;
  else if (told) reading.told.push(told);
  return told !== null;
}

function open(sign: string, length: number, { told, openers }: Reading): "" {
  openers.push({ sign, left: length, place: told.length });
  if (openers.length > MOST_OPENERS) openers.shift();
  told.push(sign.repeat(length));
  return "";
}

/** An opening run leans on the word behind it, a closing one on the word before. */
function emphasis([run]: RegExpExecArray, reading: Reading): Told {
  const { text, at } = reading;
  const sign = run.charAt(0);
  if (run.length > LONGEST_RUN || (sign === "~" && run.length !== 2)) return run;
  const sides = (text[at - run.length - 1] ?? " ") + (text[at] ?? " ");
  const [opens, closes] = (sign === "_" ? LEANING_LINE : LEANING).map((pattern) => pattern.test(sides));
  let left = run.length;
  const fits = (opener: Opener): boolean =>
    opener.sign === sign && (opener.left === left || Math.max(opener.left, left) === LONGEST_RUN);
  for (let used = 1; closes && left && used; left -= used) used = close(fits, left, reading);
  return opens && left ? open(sign, left, reading) : sign.repeat(left);
}

/** How many signs have found their partners. */
function close(fits: (opener: Opener) => boolean, most: number, reading: Reading): number {
  const found = since(fits, Math.min(most, 2), reading);
  if (!found) return 0;
  const { sign, used, children } = found;
  reading.told.push(element(sign === "~" ? "del" : used === 2 ? "strong" : "em", children));
  return used;
}

/** Takes back what was told behind the last opener that fits, and as much of the opener as has found a partner. */
function since(fits: (opener: Opener) => boolean, most: number, { told, openers }: Reading): Between | null {
  const index = openers.map(fits).lastIndexOf(true);
  const opener = openers[index];
  if (!opener) return null;
  const { sign, place } = opener;
  const used = Math.min(opener.left, most);
  const [, ...children] = told.splice(place);
  opener.left -= used;
  if (opener.left) told.push(sign.repeat(opener.left));
  openers.length = opener.left ? index + 1 : index;
  return { sign, used, children };
}

function isBracket({ sign }: Opener): boolean {
  return sign.endsWith("[");
}

/** Like a link it stands in no other. */
function mark([, n]: RegExpExecArray, reading: Reading): Told {
  forgetLinks(reading);
  return reading.marks(Number(n)) ?? `[${n}]`;
}

function forgetLinks(reading: Reading): void {
  reading.openers = reading.openers.filter(({ sign }) => sign !== "[");
}

/** Of an image only the words that stand for it are told. */
function link([, href = ""]: RegExpExecArray, reading: Reading): Told | null {
  const found = since(isBracket, 1, reading);
  if (!found) return null;
  if (found.sign !== "[") return element("span", found.children);
  forgetLinks(reading);
  const made = element("a", found.children);
  const target = reading.links(decoded(href));
  if (target) made.href = target;
  return /^https?:$/.test(made.protocol) ? made : element("span", [...made.childNodes]);
}

function closeNothing(_: RegExpExecArray, { openers }: Reading): Told {
  const index = openers.map(isBracket).lastIndexOf(true);
  if (index >= 0) openers.splice(index, 1);
  return "]";
}

function code([ticks]: RegExpExecArray, reading: Reading): Told {
  const { text, at, lone } = reading;
  const closing = new RegExp(`(?<!\`)\`{${ticks.length}}(?!\`)`, "g");
  closing.lastIndex = at;
  const end = ticks.length > MOST_TICKS || lone.has(ticks) ? null : closing.exec(text);
  if (!end) {
    lone.add(ticks);
    return ticks;
  }
  reading.at = closing.lastIndex;
  return element("code", [text.slice(at, end.index).replaceAll("\n", " ").replace(/^ ([^]*) $/, "$1")]);
}

function endLine([sign]: RegExpExecArray, { told }: Reading): Told {
  const before = told.at(-1);
  const isSoft = sign === "\n" && !(typeof before === "string" && before.endsWith("  "));
  return isSoft ? sign : element("br");
}

/** As it is written: what sets formulas is larger than all of this. */
function formula([, sign, tex = ""]: RegExpExecArray): Told | null {
  if (sign === "$" && tex.endsWith(" ")) return null;
  const made = element("span", [tex.trim()]);
  made.className = sign === "$" ? "math" : "math display";
  return made;
}

function decoded(text: string): string {
  return text.replace(ENTITY, (_, name) => NAMED[name] ?? String.fromCodePoint(Number(`0${name.slice(1)}`)));
}
