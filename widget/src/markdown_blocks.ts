/**
 * Renders block Markdown.
 *
 * The first rule that matches a line takes it and the lines that belong to it. Nested blocks are rendered the same way
 * without their markers, up to a depth that no real text has; deeper ones are paragraphs.
 */

import type { RenderContext } from "./markdown";
import { codeTokens } from "./code_tokens";
import { type Content, element } from "./markdown_element";
import { inline } from "./markdown_inline";

interface State {
  readonly context: RenderContext;
  readonly lines: readonly string[];
  readonly depth: number;
  /** Index of the next line. */
  at: number;
}

/** Returns `null` when the rule does not apply after all. */
type Rule = (state: State, match: RegExpExecArray) => Node | null;

const MOST_DEPTH = 10;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|(\d{1,9})[.)])([ \t]+|$)/;
const RULE_LINE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const INDENTED = /^ {4}|^ *$/;
const DASHES = /^[ :|]*-[ :|-]*$/;
/** A line that ends the paragraph before it. */
const PARAGRAPH_END = /^ {0,3}(?:#{1,6} |>|[-+*] +\S|1[.)] +\S|```|~~~|([-*_])(?: *\1){2,} *$)|^\s*$/;

const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^( {0,3})(`{3,99}|~{3,99})(.*)/, code],
  [/^ {4}/, indentedCode],
  [/^ {0,3}(#{1,6})(?: |$)(.*)/, heading],
  [RULE_LINE, rule],
  [QUOTE, quote],
  [ITEM, list],
  [/\|/, table],
];

export function blocks(markdown: string, context: RenderContext): readonly Node[] {
  const untabbed = markdown.replace(/^[ \t]+/gm, (blanks) => blanks.replaceAll("\t", "    "));
  return read(untabbed.split(/\r\n?|\n/), 0, context);
}

function read(lines: readonly string[], depth: number, context: RenderContext): readonly Node[] {
  const state: State = { context, lines, depth, at: 0 };
  const nodes: Node[] = [];
  while (state.at < lines.length) {
    const line = lines[state.at] ?? "";
    if (line.trim()) nodes.push(block(line, state));
    else state.at++;
  }
  return nodes;
}

function block(line: string, state: State): Node {
  for (const [pattern, rule] of RULES) {
    const match = pattern.exec(line);
    const node = match && rule(state, match);
    if (node) return node;
  }
  return paragraph(state);
}

/** Takes lines as long as they belong; `belongs` also gets the number of lines taken so far. */
function takeLines(state: State, belongs: (line: string, taken: number) => boolean): readonly string[] {
  const { lines, at: start } = state;
  while (state.at < lines.length && belongs(lines[state.at] ?? "", state.at - start)) state.at++;
  return lines.slice(start, state.at);
}

function inlineElement(
  name: "h3" | "h4" | "h5" | "h6" | "p" | "td" | "th",
  source: string,
  { context }: State,
): HTMLElement {
  return element(name, inline(source, context));
}

/** An unclosed fence reaches to the end, because the rest of the answer may still be coming. */
function code(state: State, [, indent = "", fence = "", info = ""]: RegExpExecArray): Node | null {
  if (fence.startsWith("`") && info.includes("`")) return null;
  const closing = new RegExp(`^ *${fence}+ *$`);
  state.at++;
  const lines = takeLines(state, (line) => !closing.test(line));
  state.at++;
  return figure(lines.map((line) => unindented(line, indent.length)), /^[\w+#.-]*/.exec(info.trim())?.[0]);
}

function unindented(line: string, width: number): string {
  return line.slice(Math.min(width, indentOf(line)));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function figure(lines: readonly string[], language = ""): Node {
  const node = element("figure", [element("pre", [element("code", coloured(lines.join("\n"), language))])]);
  node.className = "code";
  node.dataset["language"] = language.slice(0, 30);
  return node;
}

function coloured(source: string, language: string): readonly Content[] {
  return codeTokens(source, language).map(([kind, text]) => {
    if (!kind) return text;
    const node = element("span", [text]);
    node.className = kind;
    return node;
  });
}

function indentedCode(state: State): Node {
  const lines = takeLines(state, (line) => INDENTED.test(line));
  return figure(lines.map((line) => line.slice(4)).join("\n").trimEnd().split("\n"));
}

function heading(state: State, [, hashes = "", source = ""]: RegExpExecArray): Node {
  state.at++;
  return inlineElement(HEADINGS[hashes.length - 1] ?? "h6", source.trim().replace(/(?:^| )#+$/, ""), state);
}

function rule(state: State): Node {
  state.at++;
  return element("hr");
}

function quote(state: State): Node | null {
  if (state.depth > MOST_DEPTH) return null;
  const lines = takeLines(state, (line) => QUOTE.test(line)).map((line) => line.replace(QUOTE, ""));
  return element("blockquote", read(lines, state.depth + 1, state.context));
}

function list(state: State, opening: RegExpExecArray): Node | null {
  if (state.depth > MOST_DEPTH) return null;
  const [, , marker = "", start] = opening;
  const items: Node[] = [];
  for (let item: RegExpExecArray | null = opening; item && item[2]?.at(-1) === marker.at(-1); ) {
    items.push(listItem(state, item));
    item = ITEM.exec(state.lines[state.at] ?? "");
  }
  const node = element(start ? "ol" : "ul", items);
  if (start) node.setAttribute("start", start);
  return node;
}

/** An indent of two is enough to belong to the item, even where its number is wider. */
function listItem(state: State, [whole, indent = "", marker = "", , gap = ""]: RegExpExecArray): Node {
  const width = gap.length > 4 || !gap ? indent.length + marker.length + 1 : whole.length;
  const lines = takeLines(state, (line, taken) => !taken || !line.trim() || indentOf(line) >= indent.length + 2);
  const [first = "", ...rest] = lines;
  const inner = [first.slice(width), ...rest.map((line) => unindented(line, width))];
  const [firstBlock = "", ...others] = read(inner, state.depth + 1, state.context);
  const start = firstBlock instanceof HTMLParagraphElement ? firstBlock.childNodes : [firstBlock];
  return element("li", [...start, ...others]);
}

function table(state: State): Node | null {
  if (!isTable(state)) return null;
  const [head = "", , ...body] = takeLines(state, (line, taken) => taken < 2 || line.includes("|"));
  // Short rows are not padded: many of them under a long head would multiply the size.
  const row = (name: "td" | "th", line: string): Node =>
    element("tr", cells(line).map((cell) => inlineElement(name, cell, state)));
  return element("table", [element("thead", [row("th", head)]), element("tbody", body.map((line) => row("td", line)))]);
}

function isTable({ lines, at }: State): boolean {
  const [head = "", dashes = ""] = lines.slice(at, at + 2);
  return head.includes("|") && DASHES.test(dashes) && cells(head).length === cells(dashes).length;
}

function cells(line: string): readonly string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Inside a formula of several lines only a blank line ends the paragraph: a line may start with a minus. */
function paragraph(state: State): Node {
  let isFormula = false;
  const lines = takeLines(state, (line, taken) => {
    const belongs = !taken || (isFormula ? line.trim() !== "" : !PARAGRAPH_END.test(line) && !isTable(state));
    if (line.split("$$").length % 2 === 0) isFormula = !isFormula;
    return belongs;
  });
  return inlineElement("p", lines.map((line) => line.trimStart()).join("\n").trimEnd(), state);
}
