"""Markdown source becomes a tree of blocks, each with its place in the source.

A leaf is the smallest thing that is never cut: a sentence, a line of code, a row of a table. A block
that is short enough is a leaf itself. What a reader of the page does not see (front matter, imports,
comments, tags) is no block at all.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from glossator.ingest.front_matter import body_start, front_matter
from glossator.ingest.mdx import admonition_plugin, mdx_plugin
from glossator.ingest.sentences import sentences
from glossator.model import Span


class Dialect(Enum):
    """How a page's tags and indented lines are to be read."""

    COMMONMARK = auto()
    MDX = auto()


class Kind(Enum):
    HEADING = auto()
    PARAGRAPH = auto()
    SENTENCE = auto()
    CODE = auto()
    TABLE = auto()
    LIST = auto()
    ITEM = auto()
    QUOTE = auto()
    LINE = auto()
    """A line of code, a row of a table, a line of raw HTML."""


@dataclass(frozen=True, slots=True)
class Block:
    kind: Kind
    span: Span
    reading: str
    """Its words without the markup; of a block with children, theirs joined."""
    children: tuple[Block, ...] = ()
    level: int = 0
    """Of a heading, 1 to 6."""
    custom_id: str | None = None
    code: tuple[Span, ...] = ()
    """Of a heading, where inline code stands in its reading."""


@dataclass(frozen=True, slots=True)
class Document:
    front_matter: Mapping[str, object]
    blocks: tuple[Block, ...]

    @property
    def headings(self) -> list[Block]:
        """Every one in the order of the page, those inside quotes and lists too."""
        return [block for block in walk(self.blocks) if block.kind is Kind.HEADING]


_NEWLINE = re.compile(r"\r\n?|\n")
_CUSTOM_ID = re.compile(r"\s*\{(?:/\*)?\s*:?\s*#([^\s{}*]+)[^{}]*\}\s*$")
_STATEMENT = re.compile(r"^(?:import|export)\b.*;$", re.MULTILINE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
_CONTAINERS = {
    "bullet_list": Kind.LIST,
    "ordered_list": Kind.LIST,
    "list_item": Kind.ITEM,
    "footnote_reference": Kind.ITEM,
    "blockquote": Kind.QUOTE,
}
_LONG_PARAGRAPH = 400
"""Characters; a shorter one is not worth cutting into sentences."""


def parse(source: str, dialect: Dialect = Dialect.COMMONMARK) -> Document:
    start = body_start(source)
    body = source[start:]
    reader = _Reader(markdown(dialect), source, _line_starts(body, start))
    return Document(front_matter(source), tuple(reader.blocks(body)))


@cache
def markdown(dialect: Dialect) -> MarkdownIt:
    """The parser, as it is set up for a dialect."""
    md = MarkdownIt("commonmark", {"maxNesting": 60}).enable(["table", "strikethrough"])
    md.use(dollarmath_plugin, allow_digits=False)
    md.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    md.use(admonition_plugin)
    if dialect is Dialect.MDX:
        md.use(mdx_plugin)
    # The parser puts its rules together at the first page it reads, and two threads may bring one at once.
    md.parse("A *page*.")
    return md


def _line_starts(body: str, offset: int) -> list[int]:
    return [offset, *(offset + match.end() for match in _NEWLINE.finditer(body)), offset + len(body)]


class _Reader:
    """Turns the parser's tokens into blocks of one source."""

    def __init__(self, md: MarkdownIt, source: str, line_starts: Sequence[int]) -> None:
        self._md = md
        self._source = source
        self._line_starts = line_starts
        self._environment: dict[str, Any] = {}

    def blocks(self, body: str) -> Iterator[Block]:
        root = SyntaxTreeNode(self._md.parse(body, self._environment))
        return self._blocks(root.children)

    def _blocks(self, nodes: Sequence[SyntaxTreeNode]) -> Iterator[Block]:
        for node in nodes:
            block = self._block(node)
            if block and block.span.start < block.span.end:
                yield block

    def _block(self, node: SyntaxTreeNode) -> Block | None:
        match node.type:
            case "heading":
                return self._heading(node)
            case "paragraph":
                return self._paragraph(node)
            case "fence" if node.info.strip() == "mdx-code-block":
                # A fence that Docusaurus takes off before it reads the page.
                return self._shown(node, _STATEMENT.sub("", node.content))
            case "fence" | "code_block" | "math_block" | "math_block_label":
                return self._lines(node, Kind.CODE, node.content)
            case "html_block":
                return self._shown(node, node.content)
            case "table":
                return self._parent(node, Kind.TABLE, self._rows(node))
            case container if container in _CONTAINERS:
                return self._parent(node, _CONTAINERS[container], list(self._blocks(node.children)))
            case "markup":
                return self._leaf(node, Kind.LINE, node.content) if node.content else None
            case _:
                return None

    def _heading(self, node: SyntaxTreeNode) -> Block:
        """Its reading keeps the line breaks and blanks that site generators put into anchors."""
        inline = node.children[0]
        parts = list(_plain_parts(inline.children, line_break="\n"))
        custom_id = _CUSTOM_ID.search(inline.content)
        reading = "".join(text for _, text in parts)
        return Block(
            Kind.HEADING,
            self._span(node),
            _CUSTOM_ID.sub("", reading) if custom_id else reading,
            level=int(node.tag[1]),
            custom_id=custom_id[1] if custom_id else None,
            code=tuple(_code_spans(parts)),
        )

    def _paragraph(self, node: SyntaxTreeNode) -> Block:
        whole = self._leaf(node, Kind.PARAGRAPH, plain(node.children[0].children) if node.children else "")
        text = self._source[whole.span.start : whole.span.end]
        if len(text) < _LONG_PARAGRAPH:
            return whole
        return Block(
            Kind.PARAGRAPH, whole.span, whole.reading, tuple(self._sentences(text, whole.span.start))
        )

    def _sentences(self, text: str, offset: int) -> Iterator[Block]:
        for span in sentences(text):
            inline = self._md.parseInline(text[span.start : span.end], self._environment)
            reading = plain(SyntaxTreeNode(inline).children)
            yield Block(Kind.SENTENCE, Span(span.start + offset, span.end + offset), reading)

    def _lines(self, node: SyntaxTreeNode, kind: Kind, reading: str) -> Block:
        """A block that may be cut between its lines when it alone is too long."""
        span = self._span(node)
        lines = [self._line(line) for line in self._line_spans(span)]
        return Block(kind, span, reading.strip("\n"), tuple(line for line in lines if line.reading))

    def _shown(self, node: SyntaxTreeNode, content: str) -> Block | None:
        shown = plain_html(content)
        return self._lines(node, Kind.CODE, shown) if shown else None

    def _line(self, span: Span) -> Block:
        return Block(Kind.LINE, span, self._source[span.start : span.end].rstrip())

    def _rows(self, table: SyntaxTreeNode) -> list[Block]:
        """Row by row; the names of the columns stay with the first."""
        rows = [self._row(row) for part in table.children for row in part.children]
        if len(rows) < 2:
            return rows
        head, first, *rest = rows
        named = Block(Kind.LINE, Span(head.span.start, first.span.end), f"{head.reading}\n{first.reading}")
        return [named, *rest]

    def _row(self, node: SyntaxTreeNode) -> Block:
        cells = [plain(cell.children[0].children) if cell.children else "" for cell in node.children]
        return self._leaf(node, Kind.LINE, " | ".join(cells))

    def _parent(self, node: SyntaxTreeNode, kind: Kind, children: list[Block]) -> Block:
        if not children:
            return self._lines(node, kind, self._text(self._span(node)))
        reading = "\n".join(child.reading for child in children if child.reading)
        return Block(kind, self._span(node), reading, tuple(children))

    def _leaf(self, node: SyntaxTreeNode, kind: Kind, reading: str) -> Block:
        return Block(kind, self._span(node), reading)

    def _span(self, node: SyntaxTreeNode) -> Span:
        """The node's lines, without the blank ones at its end."""
        first, after_last = node.map or (0, 0)
        start = self._line_starts[first]
        end = self._line_starts[min(after_last, len(self._line_starts) - 1)]
        return Span(start, start + len(self._source[start:end].rstrip()))

    def _line_spans(self, span: Span) -> Iterator[Span]:
        start = span.start
        for newline in _NEWLINE.finditer(self._source, span.start, span.end):
            yield Span(start, newline.start())
            start = newline.end()
        yield Span(start, span.end)

    def _text(self, span: Span) -> str:
        return self._source[span.start : span.end]


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from walk(block.children)


def plain(nodes: Sequence[SyntaxTreeNode]) -> str:
    """The words of inline Markdown: link texts, image descriptions and code, without marks and tags."""
    return "".join(text for _, text in _plain_parts(nodes))


def _plain_parts(nodes: Sequence[SyntaxTreeNode], line_break: str = " ") -> Iterator[tuple[str, str]]:
    """Pieces of the text, each with the type of what it comes from."""
    for node in nodes:
        match node.type:
            case "text" | "code_inline" | "text_special":
                yield node.type, node.content
            case "softbreak" | "hardbreak":
                yield node.type, line_break
            case "math_inline" | "math_inline_double":
                yield node.type, f"${node.content}$"
            case "html_inline" | "footnote_ref":
                continue
            case _:
                yield from _plain_parts(node.children, line_break)


def _code_spans(parts: Sequence[tuple[str, str]]) -> Iterator[Span]:
    position = 0
    for kind, text in parts:
        if kind == "code_inline":
            yield Span(position, position + len(text))
        position += len(text)


def plain_html(source: str) -> str:
    """What a browser would show of raw HTML, roughly: the text between its tags."""
    return html.unescape(re.sub(r"[ \t]+", " ", _TAG.sub(" ", source))).strip()
