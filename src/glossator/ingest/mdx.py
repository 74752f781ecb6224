"""Block rules for what Docusaurus adds to Markdown: imports, tags, expressions, comments, admonitions.

A tag on lines of its own is transparent: the lines become a `markup` token and what stands between
the opening and the closing tag is read as ordinary Markdown, as MDX does.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

_IMPORT = re.compile(r"import\s*(['\"{*]|[\w$]+\s*(,|\s+from\b))")
_EXPORT = re.compile(r"export\s+(default|const|let|var|function|async|class)\b|export\s*[{*]")
_TAG_OPENS = re.compile(r"</?(?:[A-Za-z][\w.:-]*(?=[\s/>{]|$)|(?=>))")
_SHOWN_ATTRIBUTE = re.compile(r"\b(?:label|title|alt|summary|caption)=(?:\"([^\"]*)\"|'([^']*)')")
_ADMONITION = re.compile(r"(:{3,})\s*([\w-]*)\s*(?:\[(.*)\]|(.*))\s*$")

_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def mdx_plugin(md: MarkdownIt) -> None:
    """Imports, exports, tags, expressions and comments, as MDX reads them; no indented code."""
    md.disable(["code", "html_block"])
    md.block.ruler.before("fence", "mdx_esm", _esm)
    md.block.ruler.before("fence", "mdx_markup", _markup, _INTERRUPTS)


def admonition_plugin(md: MarkdownIt) -> None:
    """`:::note[Title]` and its closing colons; what stands between them is ordinary Markdown."""
    md.block.ruler.before("fence", "admonition", _admonition, _INTERRUPTS)


def _esm(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.level or state.sCount[start_line] != 0:
        return False
    line = _line(state, start_line)
    if not (_IMPORT.match(line) or _EXPORT.match(line)):
        return False
    if not silent:
        _push(state, start_line, _end_of_statement(state, start_line, end_line), "")
    return True


def _end_of_statement(state: StateBlock, start_line: int, end_line: int) -> int:
    """The first blank line outside brackets; the first blank line at all when they never close."""
    depth, first_blank = 0, None
    for line in range(start_line, end_line):
        if not state.isEmpty(line):
            text = _line(state, line)
            depth += sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
            continue
        if depth <= 0:
            return line
        first_blank = line if first_blank is None else first_blank
    return first_blank if depth > 0 and first_blank is not None else end_line


def _markup(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Lines that hold nothing but tags, comments and expressions."""
    begin = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[begin : begin + 1] not in ("<", "{"):
        return False
    limit = state.eMarks[end_line - 1]
    position, shown = begin, list[str]()
    while True:
        after = _skip_construct(state.src, position, limit)
        if after is None:
            return False
        shown += _shown_attributes(state.src[position:after])
        position = _skip_blanks(state.src, after, limit)
        if position >= limit or state.src[position] == "\n":
            break
    if not silent:
        last_line = start_line + state.src.count("\n", begin, position)
        _push(state, start_line, last_line + 1, ", ".join(shown))
    return True


def _skip_construct(source: str, position: int, limit: int) -> int | None:
    """The position after the comment, expression or tag that begins here; None when there is none."""
    if source.startswith("<!--", position):
        end = source.find("-->", position + 4, limit)
        return None if end < 0 else end + 3
    if source[position] == "{":
        return _skip_braces(source, position, limit)
    opening = _TAG_OPENS.match(source, position, limit)
    return _skip_tag(source, opening.end(), limit) if opening else None


def _skip_braces(source: str, position: int, limit: int) -> int | None:
    if source.startswith("{/*", position):
        end = source.find("*/", position, limit)
        position = end + 2 if end >= 0 else limit
        depth = 1
    else:
        depth = 0
    while position < limit:
        character = source[position]
        if character in "\"'`":
            position = _skip_quoted(source, position, limit)
            continue
        depth += {"{": 1, "}": -1}.get(character, 0)
        position += 1
        if depth == 0:
            return position
    return None


def _skip_quoted(source: str, position: int, limit: int) -> int:
    """Past a string; an apostrophe that opens none is stepped over alone."""
    end = source.find(source[position], position + 1, limit)
    return position + 1 if end < 0 or "\n\n" in source[position:end] else end + 1


def _skip_tag(source: str, position: int, limit: int) -> int | None:
    while position < limit:
        match source[position]:
            case ">":
                return position + 1
            case '"' | "'":
                position = _skip_quoted(source, position, limit)
            case "{":
                after = _skip_braces(source, position, limit)
                if after is None:
                    return None
                position = after
            case "<":
                return None
            case "\n" if source.startswith("\n\n", position):
                return None
            case _:
                position += 1
    return None


def _skip_blanks(source: str, position: int, limit: int) -> int:
    while position < limit and source[position] in " \t":
        position += 1
    return position


def _shown_attributes(tag: str) -> list[str]:
    """Words a reader sees although they stand in an attribute, such as the label of a tab."""
    return [first or second for first, second in _SHOWN_ATTRIBUTE.findall(tag)] if tag[:1] == "<" else []


def _admonition(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    match = _ADMONITION.match(_line(state, start_line))
    if not match:
        return False
    if not silent:
        _push(state, start_line, start_line + 1, (match[3] or match[4] or "").strip())
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _push(state: StateBlock, start_line: int, end_line: int, shown: str) -> None:
    """The lines as one token; `shown` is what of them a reader sees."""
    token = state.push("markup", "", 0)
    token.map = [start_line, end_line]
    token.content = shown
    state.line = end_line
