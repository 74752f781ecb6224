/**
 * Markdown's blocks.
 *
 * The first rule that fits the line where the reading stands takes its lines. What nests is read again without its
 * signs, to a depth that no honest text has; below it everything is a paragraph.
 */

import type { Context } from "./markdown";
import { element } from "./markdown_element";
import { inline } from "./markdown_inline";

interface Reading {
  readonly context: Context;
  readonly lines: readonly string[];
  readonly depth: number;
  at: number;
}

/** `null` when it is something else after all. */
type Rule = (reading: Reading, found: RegExpExecArray) => Node | null;

const DEEPEST = 10;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|(\d{1,9})[.)])([ \t]+|$)/;
const LINE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const INDENTED = /^ {4}|^ *$/;
const DASHES = /^[ :|]*-[ :|-]*$/;
/** What a paragraph does not go on with. */
const OTHER = /^ {0,3}(?:#{1,6} |>|[-+*] +\S|1[.)] +\S|```|~~~|([-*_])(?: *\1){2,} *$)|^\s*$/;

const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^( {0,3})(`{3,99}|~{3,99})(.*)/, code],
  [/^ {4}/, indentedCode],
  [/^ {0,3}(#{1,6})(?: |$)(.*)/, heading],
  [LINE, rule],
  [QUOTE, quote],
  [ITEM, list],
  [/\|/, table],
];

export function blocks(markdown: string, context: Context): readonly Node[] {
  const untabbed = markdown.replace(/^[ \t]+/gm, (blanks) => blanks.replaceAll("\t", "    "));
  return read(untabbed.split(/\r\n?|\n/), 0, context);
}

function read(lines: readonly string[], depth: number, context: Context): readonly Node[] {
  const reading: Reading = { context, lines, depth, at: 0 };
  const found: Node[] = [];
  while (reading.at < lines.length) {
    const line = lines[reading.at] ?? "";
    if (line.trim()) found.push(block(line, reading));
    else reading.at++;
  }
  return found;
}

function block(line: string, reading: Reading): Node {
  for (const [pattern, rule] of RULES) {
    const found = pattern.exec(line);
    const made = found && rule(reading, found);
    if (made) return made;
  }
  return paragraph(reading);
}

/** The lines from here on as long as they belong to it; how many came before is told to the test. */
function take(reading: Reading, belongs: (line: string, before: number) => boolean): readonly string[] {
  const { lines, at: begin } = reading;
  while (reading.at < lines.length && belongs(lines[reading.at] ?? "", reading.at - begin)) reading.at++;
  return lines.slice(begin, reading.at);
}

function text(name: "h3" | "h4" | "h5" | "h6" | "p" | "td" | "th", words: string, { context }: Reading): HTMLElement {
  return element(name, inline(words, context));
}

/** One that is not closed reaches to the end: it may still be on its way. */
function code(reading: Reading, [, indent = "", fence = "", info = ""]: RegExpExecArray): Node | null {
  if (fence.startsWith("`") && info.includes("`")) return null;
  const closing = new RegExp(`^ *${fence}+ *$`);
  reading.at++;
  const lines = take(reading, (line) => !closing.test(line));
  reading.at++;
  return figure(lines.map((line) => unindented(line, indent.length)), /^[\w+#.-]*/.exec(info.trim())?.[0]);
}

function unindented(line: string, width: number): string {
  return line.slice(Math.min(width, indentOf(line)));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function figure(lines: readonly string[], language = ""): Node {
  const made = element("figure", [element("pre", [element("code", [lines.join("\n")])])]);
  made.className = "code";
  made.dataset["language"] = language.slice(0, 30);
  return made;
}

function indentedCode(reading: Reading): Node {
  const lines = take(reading, (line) => INDENTED.test(line));
  return figure(lines.map((line) => line.slice(4)).join("\n").trimEnd().split("\n"));
}

function heading(reading: Reading, [, signs = "", words = ""]: RegExpExecArray): Node {
  reading.at++;
  return text(HEADINGS[signs.length - 1] ?? "h6", words.trim().replace(/(?:^| )#+$/, ""), reading);
}

function rule(reading: Reading): Node {
  reading.at++;
  return element("hr");
}

function quote(reading: Reading): Node | null {
  if (reading.depth > DEEPEST) return null;
  const lines = take(reading, (line) => QUOTE.test(line)).map((line) => line.replace(QUOTE, ""));
  return element("blockquote", read(lines, reading.depth + 1, reading.context));
}

function list(reading: Reading, opening: RegExpExecArray): Node | null {
  if (reading.depth > DEEPEST) return null;
  const [, , sign = "", start] = opening;
  const items: Node[] = [];
  for (let item: RegExpExecArray | null = opening; item && item[2]?.at(-1) === sign.at(-1); ) {
    items.push(listItem(reading, item));
    item = ITEM.exec(reading.lines[reading.at] ?? "");
  }
  const made = element(start ? "ol" : "ul", items);
  if (start) made.setAttribute("start", start);
  return made;
}

/** What is indented by two belongs to an item, though its number would ask for more. */
function listItem(reading: Reading, [whole, indent = "", sign = "", , gap = ""]: RegExpExecArray): Node {
  const width = gap.length > 4 || !gap ? indent.length + sign.length + 1 : whole.length;
  const lines = take(reading, (line, before) => !before || !line.trim() || indentOf(line) >= indent.length + 2);
  const [first = "", ...rest] = lines;
  const inner = [first.slice(width), ...rest.map((line) => unindented(line, width))];
  const [begin = "", ...more] = read(inner, reading.depth + 1, reading.context);
  return element("li", [...(begin instanceof HTMLParagraphElement ? begin.childNodes : [begin]), ...more]);
}

function table(reading: Reading): Node | null {
  if (!isTable(reading)) return null;
  const [head = "", , ...body] = take(reading, (line, before) => before < 2 || line.includes("|"));
  // A row is never filled up: many short ones under a long head would cost its length each.
  const row = (name: "td" | "th", line: string): Node => element("tr", cells(line).map((cell) => text(name, cell, reading)));
  return element("table", [element("thead", [row("th", head)]), element("tbody", body.map((line) => row("td", line)))]);
}

function isTable({ lines, at }: Reading): boolean {
  const [head = "", dashes = ""] = lines.slice(at, at + 2);
  return head.includes("|") && DASHES.test(dashes) && cells(head).length === cells(dashes).length;
}

function cells(line: string): readonly string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** In a formula of several lines one may begin with a minus, but none is blank. */
function paragraph(reading: Reading): Node {
  let isFormula = false;
  const lines = take(reading, (line, before) => {
    const belongs = !before || (isFormula ? line.trim() !== "" : !OTHER.test(line) && !isTable(reading));
    if (line.split("$$").length % 2 === 0) isFormula = !isFormula;
    return belongs;
  });
  return text("p", lines.map((line) => line.trimStart()).join("\n").trimEnd(), reading);
}
