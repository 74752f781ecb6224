"""Block rules for what Docusaurus and MkDocs add to Markdown: imports, tags, expressions, admonitions, tabs.

As in MDX, a tag on lines of its own becomes a `markup` token, and the lines between the opening and the
closing tag are read as ordinary Markdown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from math import inf

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

from glossator.text.containers import ContainerLine, container_line
from glossator.text.markdown import shown_by_templates

_IMPORT = re.compile(r"import\s*+(?:['\"{*]|[\w$]++\s*+(?:,|(?<=\s)from\b))")
_EXPORT = re.compile(r"export\s+(default|const|let|var|function|async|class)\b|export\s*[{*]")
_TAG_OPENS = re.compile(r"</?(?:[A-Za-z][\w.:-]*(?=[\s/>{]|$)|(?=>))")
_SHOWN_ATTRIBUTE = re.compile(r"\b(?:label|title|alt|summary|caption)=(?:\"([^\"]*)\"|'([^']*)')")
_BRACE_OR_QUOTE = re.compile("[{}\"'`]")
_TAG_MARK = re.compile("[<>{\"']|\n\n")
_BLOCK_OPTION = re.compile(r"[\w-]+:(?:\s|$)")
_INDENT = 4

_SOURCE = "glossator_mdx_source"
_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def mdx_plugin(md: MarkdownIt) -> None:
    """Imports, exports, tags, expressions and comments, as MDX reads them; no indented code."""
    md.disable(["code", "html_block"])
    md.block.ruler.before("fence", "mdx_esm", _esm)
    md.block.ruler.before("fence", "mdx_markup", _markup, _INTERRUPTS)


def admonition_plugin(md: MarkdownIt) -> None:
    """The lines of `:::note[Title]`, `/// note | Title`, `!!! note "Title"` and template tags."""
    md.block.ruler.before("fence", "container", _container, _INTERRUPTS)
    md.block.ruler.before("fence", "templates", _template_line, _INTERRUPTS)


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
    """The first blank line outside brackets; the first blank line of all where a bracket never closes."""
    statements = _source_of(state).statements(state)
    depth = statements.depths[start_line]
    never_closes = min(statements.shallowest[start_line], statements.depths[end_line]) > depth
    for line in range(start_line, end_line):
        if state.isEmpty(line) and (never_closes or statements.depths[line] <= depth):
            return line
    return end_line


def _markup(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Lines that contain only tags, comments and expressions."""
    begin = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[begin : begin + 1] not in ("<", "{"):
        return False
    limit = state.eMarks[end_line - 1]
    source = _source_of(state)
    position, shown = begin, list[str]()
    while True:
        after = source.after_construct(position, limit)
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


def _source_of(state: StateBlock) -> _Source:
    """The scanned page, shared by all rules while it is parsed."""
    source: _Source | None = state.env.get(_SOURCE)
    if source is None or source.text != state.src:
        source = state.env[_SOURCE] = _Source(state.src)
    return source


@dataclass(frozen=True, slots=True)
class _Statements:
    """The bracket depth at the beginning of each line of a page."""

    depths: Sequence[int]
    shallowest: Sequence[float]
    """For each line, the least depth of the blank lines from there on."""


class _Source:
    """A page in which the end of every brace, quote and comment is searched for once.

    Without this memory, marks that never close would each be searched for to the end of the page, which
    takes quadratic time.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._positions = dict[str, list[int]]()
        self._braces = dict[int, int | None]()
        self._statements: _Statements | None = None

    def statements(self, state: StateBlock) -> _Statements:
        if self._statements is None:
            lines = [_line(state, line) for line in range(state.lineMax)]
            steps = (sum(map(line.count, "([{")) - sum(map(line.count, ")]}")) for line in lines)
            depths = list(accumulate(steps, initial=0))
            blank = [depth if state.isEmpty(line) else inf for line, depth in enumerate(depths[:-1])]
            self._statements = _Statements(depths, [*accumulate(reversed(blank), min)][::-1])
        return self._statements

    def after_construct(self, position: int, limit: int) -> int | None:
        """The position after the comment, expression or tag that begins here; None when there is none."""
        if self.text.startswith("<!--", position):
            return _within(self._after("-->", position + 4), limit)
        if self.text[position] == "{":
            return _within(self._after_braces(position), limit)
        opening = _TAG_OPENS.match(self.text, position, limit)
        return self._after_tag(opening.end(), limit) if opening else None

    def _after(self, mark: str, position: int) -> int | None:
        """The position after the next occurrence of `mark`."""
        if mark not in self._positions:
            matches = re.finditer(f"(?={re.escape(mark)})", self.text)
            self._positions[mark] = [match.start() for match in matches]
        positions = self._positions[mark]
        following = bisect_left(positions, position)
        return positions[following] + len(mark) if following < len(positions) else None

    def _after_braces(self, position: int) -> int | None:
        if self.text.startswith("{/*", position):
            # Braces inside a comment do not count, so the search goes on after its end.
            comment = self._after("*/", position)
            return None if comment is None else self._after_brace(comment - 1)
        return self._after_brace(position)

    def _after_brace(self, opened: int) -> int | None:
        """The position after the brace that closes `opened`; nested braces are recorded on the way."""
        position, open_braces = opened + 1, [opened]
        while opened not in self._braces:
            mark = _BRACE_OR_QUOTE.search(self.text, position)
            if mark is None:
                self._braces.update(dict.fromkeys(open_braces, None))
                break
            position = mark.end()
            match mark[0]:
                case "{" if mark.start() in self._braces:
                    known = self._braces[mark.start()]
                    if known is None:
                        self._braces.update(dict.fromkeys(open_braces, None))
                        break
                    position = known
                case "{":
                    open_braces.append(mark.start())
                case "}":
                    self._braces[open_braces.pop()] = position
                case _:
                    position = self._after_quoted(mark.start())
        return self._braces[opened]

    def _after_quoted(self, position: int) -> int:
        """The position after a string, or after the mark alone where it is only an apostrophe."""
        end = self._after(self.text[position], position + 1)
        blank = self._after("\n\n", position)
        return position + 1 if end is None or (blank is not None and blank < end) else end

    def _after_tag(self, position: int, limit: int) -> int | None:
        while mark := _TAG_MARK.search(self.text, position, limit):
            match mark[0]:
                case ">":
                    return mark.end()
                case "{":
                    after = _within(self._after_braces(mark.start()), limit)
                    if after is None:
                        return None
                    position = after
                case '"' | "'":
                    position = self._after_quoted(mark.start())
                case _:
                    return None
        return None


def _within(position: int | None, limit: int) -> int | None:
    return position if position is not None and position <= limit else None


def _skip_blanks(source: str, position: int, limit: int) -> int:
    while position < limit and source[position] in " \t":
        position += 1
    return position


def _shown_attributes(tag: str) -> list[str]:
    """Attribute values that the page displays, such as the label of a tab."""
    return [first or second for first, second in _SHOWN_ATTRIBUTE.findall(tag)] if tag[:1] == "<" else []


def _container(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    line = _line(state, start_line)
    container = container_line(line)
    if not container:
        return False
    if container.indents:
        return _indented_container(state, start_line, end_line, container, silent)
    if not silent:
        after = start_line + 1
        # The options of a block with slashes stand below it.
        while (
            line.startswith("/")
            and after < end_line
            and _indent(state, after) >= _INDENT
            and _BLOCK_OPTION.match(_line(state, after))
        ):
            after += 1
        _push(state, start_line, after, _title(line, container), Container.of(container), container.kind)
    return True


def _indented_container(
    state: StateBlock, start_line: int, end_line: int, container: ContainerLine, silent: bool
) -> bool:
    indent = state.sCount[start_line] + _INDENT
    after = start_line + 1
    while after < end_line and (state.isEmpty(after) or state.sCount[after] >= indent):
        after += 1
    if all(map(state.isEmpty, range(start_line + 1, after))):
        return False
    if not silent:
        title = _title(_line(state, start_line), container)
        _push(state, start_line, start_line + 1, title, Container.of(container), container.kind)
        outside = state.blkIndent, state.lineMax
        state.blkIndent, state.lineMax = indent, after
        state.level += 1
        state.md.block.tokenize(state, start_line + 1, after)
        state.level -= 1
        state.blkIndent, state.lineMax = outside
        _push(state, after, after, "", Container.END_OF_TAB if container.is_tab else Container.END)
    return True


def _title(line: str, container: ContainerLine) -> str:
    return line[container.title.start : container.title.end].strip()


def _template_line(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """A line of nothing but tags of templates."""
    line = _line(state, start_line)
    shown = shown_by_templates(line) if line.startswith("{") else None
    if shown is None:
        return False
    if not silent:
        _push(state, start_line, start_line + 1, shown)
    return True


def _indent(state: StateBlock, line: int) -> int:
    return state.sCount[line] - state.blkIndent


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


class Container(StrEnum):
    """Says what a `markup` token opens or closes, as its `info`; the `meta` of a box has its kind: `note`."""

    BOX = "box"
    TAB = "tab"
    END = "end"
    END_OF_TAB = "end of tab"

    @classmethod
    def of(cls, line: ContainerLine) -> Container:
        return cls.TAB if line.is_tab else cls.BOX if line.opens else cls.END


def _push(
    state: StateBlock,
    start_line: int,
    end_line: int,
    shown: str,
    container: Container | None = None,
    kind: str = "",
) -> None:
    """Add the lines as one token; `shown` is the text of theirs that the page displays."""
    token = state.push("markup", "", 0)
    token.map = [start_line, end_line]
    token.content = shown
    token.info, token.meta = container or "", {"kind": kind}
    state.line = end_line
