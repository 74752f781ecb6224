"""Parse Markdown into a tree of blocks, each with its span in the source and its plain reading.

A leaf is the smallest thing that is never cut: a sentence, a line of code, a row of a table. Front matter,
imports, comments and tags are not displayed on the page, so they become no blocks.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin

from glossator.ingest.front_matter import body_start, front_matter
from glossator.ingest.mdx import admonition_plugin, mdx_plugin
from glossator.ingest.paragraph import Sentence, SourceMap, sentences_of
from glossator.model import Span
from glossator.text.languages import ENGLISH
from glossator.text.markdown import footnotes, templates, warm_up
from glossator.text.spans import remove_spans, spans_between


class Dialect(Enum):
    """Decides how tags and indented lines are read."""

    COMMONMARK = auto()
    MDX = auto()


class BlockKind(Enum):
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
    HTML = auto()


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    kind: BlockKind
    span: Span
    """The span in the source, with marks of lists and quotes before it that belong to no other block."""
    reading: str
    """Its text without markup; for a block with children, their readings joined."""
    words: Span
    """The span without those marks."""
    children: tuple[MarkdownBlock, ...] = ()
    level: int = 0
    """1 to 6 for a heading, otherwise 0."""
    custom_id: str | None = None
    code: tuple[Span, ...] = ()
    """For a heading, the spans of inline code in its reading."""


@dataclass(frozen=True, slots=True)
class Document:
    front_matter: Mapping[str, object]
    blocks: tuple[MarkdownBlock, ...]

    @property
    def headings(self) -> list[MarkdownBlock]:
        """All headings in page order, with those inside quotes and lists."""
        return [block for block in walk(self.blocks) if block.kind is BlockKind.HEADING]


_NEWLINE = re.compile(r"\r\n?|\n")
CUSTOM_ID = re.compile(
    r"""(?<!\s)\s*+\{(?:/\*)?\s*+:?\s*+
    (?:[.\w][^\s{}#=]*+(?:=[^\s{}]*+)?\s++)*?
    (?:\#(?P<hash>[^\s{}*]++)|id=["']?(?P<named>[^\s"'{}]++)["']?)
    [^{}]*+\}\s*+$""",
    re.VERBOSE,
)
"""An id at the end of a heading or a paragraph."""
_STATEMENT = re.compile(r"^(?:import|export)\b.*;$", re.MULTILINE)
_CONTAINERS = {
    "bullet_list": BlockKind.LIST,
    "ordered_list": BlockKind.LIST,
    "list_item": BlockKind.ITEM,
    "footnote_reference": BlockKind.ITEM,
    "blockquote": BlockKind.QUOTE,
}
# The marks of quotes, lists and headings at the beginning of a block.
_MARKS = re.compile(r"(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t]))*")


class Tokenized(NamedTuple):
    """What the Markdown parser makes of a page behind its front matter."""

    parser: MarkdownIt
    tokens: Sequence[Token]
    environment: dict[str, Any]


def parse(source: str, dialect: Dialect = Dialect.COMMONMARK, language: str = ENGLISH) -> Document:
    return document_of(source, tokenize(source, dialect), language)


def tokenize(source: str, dialect: Dialect) -> Tokenized:
    parser, environment = markdown(dialect), dict[str, Any]()
    return Tokenized(parser, parser.parse(source[body_start(source) :], environment), environment)


def document_of(source: str, tokenized: Tokenized, language: str = ENGLISH) -> Document:
    start = body_start(source)
    reader = _Reader(tokenized, source, _line_starts(source[start:], start), language)
    return Document(front_matter(source), tuple(reader.blocks()))


@cache
def markdown(dialect: Dialect) -> MarkdownIt:
    """The parser for a dialect."""
    md = MarkdownIt("commonmark", {"maxNesting": 60}).enable(["table", "strikethrough"])
    md.use(dollarmath_plugin, allow_digits=False)
    md.use(footnotes)
    md.use(templates)
    md.use(admonition_plugin)
    if dialect is Dialect.MDX:
        md.use(mdx_plugin)
    return warm_up(md)


def _line_starts(body: str, offset: int) -> list[int]:
    return [offset, *(offset + match.end() for match in _NEWLINE.finditer(body)), offset + len(body)]


class _Reader:
    """Turns the parser's tokens of one page into blocks."""

    def __init__(self, tokenized: Tokenized, source: str, line_starts: Sequence[int], language: str) -> None:
        self._page = tokenized
        self._source = source
        self._line_starts = line_starts
        self._language = language

    def blocks(self) -> Iterator[MarkdownBlock]:
        return self._blocks(SyntaxTreeNode(self._page.tokens).children)

    def _blocks(self, nodes: Sequence[SyntaxTreeNode]) -> Iterator[MarkdownBlock]:
        for node in nodes:
            block = self._block(node)
            if block and block.span.start < block.span.end:
                yield block

    def _block(self, node: SyntaxTreeNode) -> MarkdownBlock | None:
        match node.type:
            case "heading":
                return self._heading(node)
            case "paragraph":
                return self._paragraph(node)
            case "fence" if node.info.strip() == "mdx-code-block":
                # Docusaurus removes this fence and reads its content as part of the page.
                return self._shown(node, _STATEMENT.sub("", node.content))
            case "fence" | "code_block" | "math_block" | "math_block_label":
                return self._lines(node, BlockKind.CODE, node.content)
            case "html_block":
                return self._shown(node, node.content)
            case "table":
                return self._parent(node, BlockKind.TABLE, self._rows(node))
            case container if container in _CONTAINERS:
                return self._parent(node, _CONTAINERS[container], list(self._blocks(node.children)))
            case "markup":
                return self._markup(node)
            case _:
                return None

    def _heading(self, node: SyntaxTreeNode) -> MarkdownBlock:
        """The reading keeps line breaks and blanks, because site generators put them into anchors."""
        inline = node.children[0]
        parts = list(plain_parts(_inside(inline), line_break="\n"))
        custom_id = CUSTOM_ID.search(inline.content)
        reading = "".join(text for _, text in parts)
        span = self._span(node)
        return MarkdownBlock(
            BlockKind.HEADING,
            span,
            CUSTOM_ID.sub("", reading) if custom_id else reading,
            self._without_marks(span),
            level=int(node.tag[1]),
            custom_id=custom_id["hash"] or custom_id["named"] if custom_id else None,
            code=tuple(_code_spans(parts)),
        )

    def _paragraph(self, node: SyntaxTreeNode) -> MarkdownBlock | None:
        if not node.children:
            return None
        inline = node.children[0]
        span, reading = self._span(node), token_text(_inside(inline))
        source_map = SourceMap(self._source, self._line_spans(span), inline.content)
        words = source_map.of(Span(0, len(inline.content)))
        sentences = sentences_of(inline.content, reading, self._read, self._language)
        children = self._sentences(sentences, source_map, span) if len(sentences) > 1 else ()
        return MarkdownBlock(BlockKind.PARAGRAPH, span, reading, words, tuple(children))

    def _read(self, text: str) -> str:
        (inline,) = self._page.parser.parseInline(text, self._page.environment)
        return token_text(inline.children)

    def _sentences(
        self, sentences: Sequence[Sentence], source_map: SourceMap, paragraph: Span
    ) -> Iterator[MarkdownBlock]:
        """The first sentence gets the marks before the paragraph."""
        start = paragraph.start
        for sentence in sentences:
            words = source_map.of(sentence.span)
            yield MarkdownBlock(
                BlockKind.SENTENCE, Span(min(start, words.start), words.end), sentence.reading, words
            )
            start = paragraph.end

    def _lines(self, node: SyntaxTreeNode, kind: BlockKind, reading: str) -> MarkdownBlock:
        """A block with its lines as children, so that it can be cut between them where it is too long."""
        span = self._span(node)
        words = self._without_marks(span)
        lines = (self._line(line, words.start) for line in self._line_spans(span))
        return MarkdownBlock(
            kind, span, reading.strip("\n"), words, tuple(line for line in lines if line.reading)
        )

    def _shown(self, node: SyntaxTreeNode, content: str) -> MarkdownBlock | None:
        shown = plain_html(content)
        return self._lines(node, BlockKind.HTML, shown) if shown else None

    def _line(self, span: Span, words_start: int) -> MarkdownBlock:
        line = self._source[span.start : span.end].rstrip()
        end = span.start + len(line)
        start = max(end - len(line.lstrip()), min(words_start, end))
        return MarkdownBlock(BlockKind.LINE, span, line, Span(start, end))

    def _markup(self, node: SyntaxTreeNode) -> MarkdownBlock | None:
        """The displayed text of a tag, or of the line that opens an admonition."""
        shown = node.content.strip()
        if not shown:
            return None
        span = self._span(node)
        start = self._source.find(shown, span.start, span.end)
        words = Span(start, start + len(shown)) if start >= 0 else self._without_marks(span)
        return MarkdownBlock(BlockKind.LINE, span, shown, words)

    def _rows(self, table: SyntaxTreeNode) -> list[MarkdownBlock]:
        """Makes one block of each row; the header is joined to the first row."""
        rows = [self._row(row) for part in table.children for row in part.children]
        if len(rows) < 2:
            return rows
        head, first, *rest = rows
        span, words = Span(head.span.start, first.span.end), Span(head.words.start, first.words.end)
        return [MarkdownBlock(BlockKind.LINE, span, f"{head.reading}\n{first.reading}", words), *rest]

    def _row(self, node: SyntaxTreeNode) -> MarkdownBlock:
        cells = [token_text(_inside(cell.children[0])) if cell.children else "" for cell in node.children]
        span = self._span(node)
        return MarkdownBlock(BlockKind.LINE, span, " | ".join(cells), self._without_marks(span))

    def _parent(
        self, node: SyntaxTreeNode, kind: BlockKind, children: list[MarkdownBlock]
    ) -> MarkdownBlock | None:
        if not children:
            return None
        reading = "\n".join(child.reading for child in children if child.reading)
        span = self._span(node)
        return MarkdownBlock(kind, span, reading, self._without_marks(span), tuple(children))

    def _without_marks(self, span: Span) -> Span:
        marks = _MARKS.match(self._source, span.start, span.end)
        return Span(marks.end() if marks else span.start, span.end)

    def _span(self, node: SyntaxTreeNode) -> Span:
        """The lines of the node, without trailing white space."""
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


def _inside(inline: SyntaxTreeNode) -> Sequence[Token] | None:
    return inline.token.children if inline.token else None


def walk(blocks: Sequence[MarkdownBlock]) -> Iterator[MarkdownBlock]:
    for block in blocks:
        yield block
        yield from walk(block.children)


def _code_spans(parts: Sequence[tuple[str, str]]) -> Iterator[Span]:
    position = 0
    for kind, text in parts:
        if kind == "code_inline":
            yield Span(position, position + len(text))
        position += len(text)


# Plain text of inline Markdown and of raw HTML.

_COMMENT_OPENS, _COMMENT_CLOSES = re.compile("<!--"), re.compile("-->")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BLANKS = re.compile(r"[ \t]+")


def token_text(tokens: Sequence[Token] | None) -> str:
    """The text of the tokens, with link texts, image descriptions and code."""
    return "".join(text for _, text in plain_parts(tokens))


def plain_parts(tokens: Sequence[Token] | None, line_break: str = " ") -> Iterator[tuple[str, str]]:
    """Pieces of the text, each with the type of its token."""
    for token in tokens or ():
        match token.type:
            case "text" | "code_inline" | "text_special" | "template":
                yield token.type, token.content
            case "softbreak" | "hardbreak":
                yield token.type, line_break
            case "math_inline" | "math_inline_double":
                yield token.type, f"${token.content}$"
            case "image":
                yield from plain_parts(token.children, line_break)
            case _:
                continue


def plain_html(source: str) -> str:
    """Roughly what a browser would display: the text between the tags."""
    shown = remove_spans(source, spans_between(source, _COMMENT_OPENS, _COMMENT_CLOSES), blank=" ")
    return html.unescape(_BLANKS.sub(" ", _TAG.sub(" ", shown))).strip()
