"""What must be true of every page that is read and cut; the tests and `scripts/properties.py` share it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import measure
from glossator.ingest.parse import BlockKind, Dialect, Document, markdown, parse
from glossator.ingest.split import OVERLAP, SIZE, PageSource, split
from glossator.ingest.window import LONGEST_HEADING, windows
from glossator.model import Chunk, Passage, UnitKind

CountTokens = Callable[[Sequence[str]], list[int]]

_WORD = re.compile(r"\w+")
_NEWLINE = re.compile(r"\r\n?|\n")
_INVISIBLE = re.compile(
    r"^```mdx-code-block\n.*?^```$"  # tags and imports in a fence that Docusaurus takes off
    r"|<!--.*?-->|\{/\*.*?\*/\}"  # comments
    r"|^(?:import|export)\b.*?(?=^\s*$|\Z)"  # statements, up to a blank line
    r"|</?[A-Za-z][^<>]*>|</?>"  # tags
    r"|^[ \t>]*:{3,}.*$"  # admonition marks
    r"|^[ \t>]*\[(?:\\.|[^\]\\])+\]:.*$"  # link definitions
    r"|^[ \t>]*(?:[-*_=][ \t]*){2,}$"  # rules and underlines
    r"|[-|:>*+#\s{}]",
    re.DOTALL | re.MULTILINE,
)


def count_words(texts: Sequence[str]) -> list[int]:
    """A tokenizer for tests that need no model."""
    return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


@dataclass(frozen=True)
class CutPage:
    source: str
    dialect: Dialect
    document: Document
    chunks: Sequence[Chunk]
    passages: Sequence[Passage]
    count_tokens: CountTokens
    window: int


def cut_page(
    source: str, dialect: Dialect, count_tokens: CountTokens = count_words, window: int = 254
) -> CutPage:
    document = parse(source, dialect)
    blocks = measure(document.blocks, source, window - LONGEST_HEADING, count_tokens)
    anchors = {heading.span.start: f"h{number}" for number, heading in enumerate(document.headings)}
    chunks = split(PageSource("page.md", "A page", "/page", "A chapter", source, blocks, anchors))
    passages = windows(chunks, blocks, count_tokens, window)
    return CutPage(source, dialect, document, chunks, passages, count_tokens, window)


def check_page(page: CutPage) -> None:
    chunks_are_slices_of_the_source(page)
    nothing_is_cut_that_need_not_be(page)
    nothing_is_lost(page)
    chunks_have_the_wanted_size(page)
    no_line_of_code_is_a_heading(page)
    the_model_sees_every_word(page)
    units_are_the_whole_reading(page)
    units_stand_in_order_and_begin_with_their_words(page)
    units_know_where_they_stand_in_the_reading(page)


def chunks_are_slices_of_the_source(page: CutPage) -> None:
    for chunk in page.chunks:
        assert page.source[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip(), "an empty chunk"
    starts = [chunk.start for chunk in page.chunks]
    assert starts == sorted(starts)
    assert [chunk.index for chunk in page.chunks] == list(range(len(page.chunks)))


def nothing_is_cut_that_need_not_be(page: CutPage) -> None:
    edges = sorted({edge for chunk in page.chunks for edge in (chunk.start, chunk.end)})
    for start, end in _indivisible(page):
        text = page.source[start:end].rstrip()
        inside = [edge for edge in edges if start < edge < start + len(text)]
        assert not inside or page.count_tokens([text])[0] > SIZE.most, f"cut in two: {text[:200]!r}"


def nothing_is_lost(page: CutPage) -> None:
    """Between the chunks there is nothing that a reader of the page would see."""
    ends = [_body_start(page), *(chunk.end for chunk in page.chunks)]
    starts = [*(chunk.start for chunk in page.chunks), len(page.source)]
    for end, start in zip(ends, starts, strict=True):
        left_out = _NEWLINE.sub("\n", page.source[end:start]) if end < start else ""
        assert not _INVISIBLE.sub("", left_out), f"lost: {left_out[:300]!r}"


def chunks_have_the_wanted_size(page: CutPage) -> None:
    for chunk, size in zip(
        page.chunks, page.count_tokens([chunk.text for chunk in page.chunks]), strict=True
    ):
        assert chunk.token_count <= SIZE.most
        # Counted in parts, a chunk may differ a little where a part ends inside a word.
        assert abs(chunk.token_count - size) <= 2 + size // 100, (chunk.chunk_id, chunk.token_count, size)
    for first, second in zip(page.chunks, page.chunks[1:], strict=False):
        if min(first.token_count, second.token_count) < SIZE.least:
            joined = page.count_tokens([page.source[first.start : second.end]])[0]
            assert joined > SIZE.most - OVERLAP, f"{first.chunk_id} and {second.chunk_id} could be joined"


def no_line_of_code_is_a_heading(page: CutPage) -> None:
    fences = [block.span for block in page.document.blocks if block.kind is BlockKind.CODE]
    for heading in page.document.headings:
        assert not any(start <= heading.span.start < end for start, end in fences)


def the_model_sees_every_word(page: CutPage) -> None:
    seen = {word for passage in page.passages for word in _WORD.findall(passage.reading)}
    for block in page.document.blocks:
        for word in _WORD.findall(block.reading):
            assert word in seen or _was_cut(word, seen), (
                f"{word!r} of {block.reading[:120]!r} is in no passage"
            )
    for passage in page.passages:
        assert page.count_tokens([passage.reading])[0] <= page.window
        assert passage.chunk.start <= passage.start <= passage.end <= passage.chunk.end


def units_are_the_whole_reading(page: CutPage) -> None:
    readings = [passage.reading for passage in page.passages]
    headings = [reading.split("\n", 1)[0] for reading in readings]
    sizes = zip(page.passages, page.count_tokens(readings), page.count_tokens(headings), strict=True)
    for passage, whole, heading in sizes:
        assert heading + sum(unit.tokens for unit in passage.units) == whole, passage.reading


def units_stand_in_order_and_begin_with_their_words(page: CutPage) -> None:
    for passage in page.passages:
        end = passage.start
        for unit in passage.units:
            assert end <= unit.start < unit.end <= passage.end, passage.reading
            end = unit.end
            text = page.source[unit.start : unit.end]
            assert text == text.strip(), f"blanks around {text[:100]!r}"
            begins_a_line = not page.source[: unit.start].rpartition("\n")[2].strip()
            if begins_a_line and unit.kind is not UnitKind.CODE:
                assert not _MARK.match(text), f"a mark before {text[:100]!r}"
            assert unit.block.start <= unit.start < unit.end <= unit.block.end, text[:100]


def units_know_where_they_stand_in_the_reading(page: CutPage) -> None:
    for passage in page.passages:
        spans = [unit.reading for unit in passage.units]
        said = [passage.reading[span.start : span.end] for span in spans]
        assert page.count_tokens(said) == [unit.tokens for unit in passage.units], passage.reading
        ends = [len(passage.heading), *(span.end for span in spans)]
        starts = [*(span.start for span in spans), len(passage.reading)]
        assert all(end <= start for end, start in zip(ends, starts, strict=True)), passage.reading
        between = [passage.reading[end:start] for end, start in zip(ends, starts, strict=True)]
        assert not any(page.count_tokens(between)), f"words of no unit: {between}"


_MARK = re.compile(r"(?:[-*+>]|\d{1,9}[.)]|#{1,6})[ \t]")


def _was_cut(word: str, seen: set[str]) -> bool:
    """A single word that is longer than a passage."""
    return len(word) > 100 and any(part and word.startswith(part) for part in seen)


def _indivisible(page: CutPage) -> Iterator[tuple[int, int]]:
    """Fences, rows and items, as the parser itself places them."""
    begin = _body_start(page)
    body = page.source[begin:]
    lines = [begin, *(begin + match.end() for match in _NEWLINE.finditer(body)), begin + len(body)]
    for token in markdown(page.dialect).parse(body):
        if token.type in ("fence", "tr_open", "list_item_open") and token.map:
            yield lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]


def _body_start(page: CutPage) -> int:
    match = re.match(r"---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", page.source, re.DOTALL | re.MULTILINE)
    return match.end() if match else 0
