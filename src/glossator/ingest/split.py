"""A page becomes chunks: the units that are cited.

The page is a row of units that are never cut: a heading, a paragraph or its sentences, a fence, a row of a
table, an item of a list. Where to cut between them is one choice over the whole page: at headings rather
than between paragraphs, between paragraphs rather than sentences, and never so that a small chunk remains
that its neighbour had room for.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from glossator.ingest.measure import Measured
from glossator.ingest.parse import BlockKind
from glossator.ingest.window import Joint, Wanted, partition
from glossator.model import Chunk, Section, Span

VERSION = "4"
"""Changes whenever the same page would be cut differently."""

SIZE = Wanted(least=500, most=1000)
OVERLAP = 100
_LONG_PARAGRAPH = 200
"""Tokens; a shorter paragraph is not cut between its sentences."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page as the splitter gets it: read, parsed, and placed in its site."""

    path: str
    title: str
    url: str
    chapter: str
    text: str
    blocks: Sequence[Measured]
    anchors: Mapping[int, str]
    """Of each heading, by where it begins."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """Where a chunk stands, and how long it is."""

    span: Span
    tokens: int


def split(page: PageSource) -> list[Chunk]:
    sections = sections_of(page)
    units = list(_units(page.blocks))
    joints = [_joint(units, index) for index in range(len(units))]
    sizes = [unit.gap + unit.source for unit in units]
    runs = partition(sizes, joints, SIZE, lambda start: _room(units, start))
    drafts = [_draft(units, run) for run in runs]
    return [_chunk(page, sections, index, draft) for index, draft in enumerate(drafts)]


def sections_of(page: PageSource) -> list[Section]:
    """The page itself as the first section, then one for each heading."""
    sections = [Section(title=page.title, anchor="", path=(), start=0)]
    above = list[tuple[int, str]]()
    headings = [measured.block for measured in page.blocks if measured.kind is BlockKind.HEADING]
    for heading in headings:
        title = " ".join(heading.reading.split())
        above = [*((level, name) for level, name in above if level < heading.level), (heading.level, title)]
        path = tuple(name for _, name in above if name and name != page.title)
        anchor = page.anchors[heading.span.start]
        sections.append(Section(title or page.title, anchor, path, heading.span.start))
    return sections


def _units(blocks: Sequence[Measured]) -> Iterator[Measured]:
    """What is not cut: blocks, or their parts where a block is too long or may always be cut."""
    for block in blocks:
        if block.children and _may_be_cut(block):
            yield from _units(block.children)
        else:
            yield block


def _may_be_cut(block: Measured) -> bool:
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


def _joint(units: Sequence[Measured], index: int) -> Joint:
    """Sections want to stand alone; a list or a piece of code wants the line that announces it."""
    unit, before = units[index], units[max(index - 1, 0)]
    if unit.kind is BlockKind.HEADING:
        follows_heading = before.kind is BlockKind.HEADING and index > 0
        return Joint(cut=20.0 if follows_heading else 0.0, keep=4.0 / unit.block.level)
    if before.kind is BlockKind.HEADING:
        return Joint(cut=30.0)
    announced = 3.0 if before.block.reading.endswith(":") else 0.0
    return Joint(cut=_CUT_BEFORE[unit.kind] + announced)


def _room(units: Sequence[Measured], start: int) -> int:
    """A chunk that begins inside a section needs room for what it repeats of the one before."""
    return SIZE.most if start == 0 or units[start].kind is BlockKind.HEADING else SIZE.most - OVERLAP


def _draft(units: Sequence[Measured], run: range) -> _Draft:
    inside = units[run.start : run.stop]
    tokens = sum(unit.gap + unit.source for unit in inside) - inside[0].gap
    start, most = inside[0].span.start, min(tokens + OVERLAP, SIZE.most)
    gap = inside[0].gap
    for part in _parts_backwards(units, run.start):
        if tokens + gap + part.source > most:
            break
        start, tokens, gap = part.span.start, tokens + gap + part.source, part.gap
    return _Draft(Span(start, inside[-1].span.end), tokens)


def _parts_backwards(units: Sequence[Measured], begin: int) -> Iterator[Measured]:
    """Whole sentences, rows and items before the unit, back to the heading of its section."""
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
    )


def _covered(sections: Sequence[Section], span: Span) -> tuple[Section, ...]:
    first = bisect_right([section.start for section in sections], span.start) - 1
    later = (section for section in sections[first + 1 :] if section.start < span.end)
    return (sections[first], *later)
