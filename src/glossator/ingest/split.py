"""Split a page into chunks, which are what an answer cites.

A page is a sequence of units that are never cut: a heading, a paragraph or its sentences, a fence, a row of a
table, an item of a list. `partition` chooses all cuts of a page together, at the least total cost: it prefers
headings to paragraphs, paragraphs to sentences, and leaves no small chunk that would fit into its neighbour.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import MeasuredBlock
from glossator.ingest.parse import BlockKind
from glossator.ingest.window import Boundary, TargetSize, partition
from glossator.model import Chunk, Origin, Section, Span

VERSION = "5"
"""Changes whenever the same page would be split differently."""

SIZE = TargetSize(least=500, most=1000)
OVERLAP = 100
_LONG_PARAGRAPH = 200
"""Tokens; only a longer paragraph is cut between its sentences."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """A parsed page with its title, address and anchors in the site."""

    path: str
    title: str
    url: str
    chapter: str
    text: str
    blocks: Sequence[MeasuredBlock]
    anchors: Mapping[int, str]
    """The anchor of each heading, by the heading's start in the source."""
    origins: Sequence[Origin] = ()


@dataclass(frozen=True, slots=True)
class _Draft:
    """A chunk's span in the source, and its size."""

    span: Span
    tokens: int


def split(page: PageSource) -> list[Chunk]:
    sections = sections_of(page)
    units = list(_units(page.blocks))
    boundaries = [_boundary(units, index) for index in range(len(units))]
    sizes = [unit.gap + unit.source for unit in units]
    runs = partition(sizes, boundaries, SIZE, lambda start: _room(units, start))
    drafts = [_draft(units, run) for run in runs]
    return [_chunk(page, sections, index, draft) for index, draft in enumerate(drafts)]


def sections_of(page: PageSource) -> list[Section]:
    """The page itself as the first section, then one for each heading."""
    sections = [Section(title=page.title, anchor="", path=(), start=0)]
    ancestors = list[tuple[int, str]]()
    headings = [measured.block for measured in page.blocks if measured.kind is BlockKind.HEADING]
    for heading in headings:
        title = " ".join(heading.reading.split())
        ancestors = [
            *((level, name) for level, name in ancestors if level < heading.level),
            (heading.level, title),
        ]
        path = tuple(name for _, name in ancestors if name and name != page.title)
        anchor = page.anchors[heading.span.start]
        sections.append(Section(title or page.title, anchor, path, heading.span.start))
    return sections


def _units(blocks: Sequence[MeasuredBlock]) -> Iterator[MeasuredBlock]:
    """Blocks, or their parts where a block is too long or of a kind that may always be cut."""
    for block in blocks:
        if block.children and _may_be_cut(block):
            yield from _units(block.children)
        else:
            yield block


def _may_be_cut(block: MeasuredBlock) -> bool:
    match block.kind:
        case BlockKind.LIST | BlockKind.TABLE | BlockKind.QUOTE:
            return True
        case BlockKind.PARAGRAPH:
            return block.source > _LONG_PARAGRAPH
        case _:
            return block.source > SIZE.most


_CUT_BEFORE = {
    BlockKind.PARAGRAPH: 2.0,
    BlockKind.CODE: 3.0,
    BlockKind.HTML: 3.0,
    BlockKind.ITEM: 3.0,
    BlockKind.QUOTE: 2.0,
    BlockKind.TABLE: 3.0,
    BlockKind.LIST: 3.0,
    BlockKind.SENTENCE: 5.0,
    BlockKind.LINE: 6.0,
}


def _boundary(units: Sequence[MeasuredBlock], index: int) -> Boundary:
    """The costs before a unit: low before a heading, high after a heading or a line that ends in a colon."""
    unit, previous = units[index], units[max(index - 1, 0)]
    if unit.kind is BlockKind.HEADING:
        follows_heading = previous.kind is BlockKind.HEADING and index > 0
        return Boundary(cut=20.0 if follows_heading else 0.0, keep=4.0 / unit.block.level)
    if previous.kind is BlockKind.HEADING:
        return Boundary(cut=30.0)
    announced = 3.0 if previous.block.reading.endswith(":") else 0.0
    return Boundary(cut=_CUT_BEFORE[unit.kind] + announced)


def _room(units: Sequence[MeasuredBlock], start: int) -> int:
    """A chunk that begins inside a section leaves room for its overlap with the chunk before."""
    return SIZE.most if start == 0 or units[start].kind is BlockKind.HEADING else SIZE.most - OVERLAP


def _draft(units: Sequence[MeasuredBlock], run: range) -> _Draft:
    chunk_units = units[run.start : run.stop]
    tokens = sum(unit.gap + unit.source for unit in chunk_units) - chunk_units[0].gap
    start, most = chunk_units[0].span.start, min(tokens + OVERLAP, SIZE.most)
    gap = chunk_units[0].gap
    for part in _parts_backwards(units, run.start):
        if tokens + gap + part.source > most:
            break
        start, tokens, gap = part.span.start, tokens + gap + part.source, part.gap
    return _Draft(Span(start, chunk_units[-1].span.end), tokens)


def _parts_backwards(units: Sequence[MeasuredBlock], begin: int) -> Iterator[MeasuredBlock]:
    """The sentences, rows and items before the unit, nearest first, up to the heading of its section."""
    if units[begin].kind is BlockKind.HEADING:
        return
    for unit in reversed(units[:begin]):
        if unit.kind is BlockKind.HEADING:
            return
        parts = unit.children if unit.kind is BlockKind.PARAGRAPH else ()
        yield from reversed(parts or (unit,))


def _chunk(page: PageSource, sections: Sequence[Section], index: int, draft: _Draft) -> Chunk:
    span = draft.span
    text = page.text[span.start : span.end]
    return Chunk(
        page=page.path,
        page_title=page.title,
        page_url=page.url,
        chapter=page.chapter,
        index=index,
        sections=_covered(sections, span),
        text=text,
        start=span.start,
        end=span.end,
        token_count=draft.tokens,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        origins=_origins(page, span),
    )


def _origins(page: PageSource, span: Span) -> tuple[Origin, ...]:
    first = bisect_right(page.origins, span.start, key=lambda origin: origin.text.end)
    after_last = bisect_left(page.origins, span.end, key=lambda origin: origin.text.start)
    return tuple(page.origins[first:after_last])


def _covered(sections: Sequence[Section], span: Span) -> tuple[Section, ...]:
    first = bisect_right([section.start for section in sections], span.start) - 1
    later = (section for section in sections[first + 1 :] if section.start < span.end)
    return (sections[first], *later)
