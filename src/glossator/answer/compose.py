"""An answer made of the book's own words, in the shape the author gave them.

The reader has said of every sentence, row, item and piece of code how likely it belongs to the answer. What
belongs is shown with the block it stands in: the paragraph, the list, the rows of a table under their header,
the code behind the sentence that introduces it. It leads with what answers best.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from glossator.answer.blocks import code_lines, list_items, table_rows
from glossator.model import Brief, Evidence, ScoredUnit, Section, Span, UnitKind
from glossator.text.markdown import clean

ENOUGH_WORDS = 110
"""From here on nothing more comes in."""
MOST_WORDS = 150
_WHOLE_PARAGRAPH = 75
"""Words of a paragraph that is shown whole; of a longer one, the sentences around those that belong."""
_ALSO = 0.1
"""How much of the best relevance another block needs to be shown too."""
_FOLLOWS, _PRECEDES = (0.2, 0.1), 0.1
"""Of a block's relevance, what the next ones and the one before it are worth (docs/quality.md)."""
_IN_BLOCK = 0.3
"""How much of the best relevance in its block an item, a row or a line needs where not all have room."""
_MOST_CODE_WORDS = 60
"""How many words of code count; nobody reads code word by word."""

_LONGEST_INTRODUCTION = 40
"""Words of a paragraph before a block that is shown whole with it."""

_FAR_APART = 40
"""Characters between two blocks that have nothing to do with each other; what is between them is marks."""
_ANNOUNCES = re.compile(r"[:：][\s*_]*$")
_ENDS = re.compile(r"[.!?…:。！？؟۔：][\s*_\"'”’)\]]*$")
_LONGEST_TITLE = 12
"""Words: the title of an admonition is one."""
_LABEL = re.compile(r"\*\*[^*\n]+\*\*[:：]?|__[^_\n]+__[:：]?")


@dataclass(frozen=True, slots=True)
class _Group:
    """The units of one block, in reading order."""

    evidence: Evidence
    kind: UnitKind
    span: Span
    units: tuple[ScoredUnit, ...]
    place: int
    """Among the groups of its evidence."""
    lent: float = 0.0
    """What the relevance of the groups around it makes it worth."""

    @property
    def section(self) -> Section:
        return self.evidence.chunk.section_at(self.span.start)

    @property
    def own(self) -> float:
        return max(unit.relevance for unit in self.units)

    @property
    def relevance(self) -> float:
        return max(self.own, self.lent)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A group as the answer shows it."""

    group: _Group
    text: str
    words: int


def compose(brief: Brief) -> list[str]:
    """Pieces of Markdown, each with the white space before it and its citation mark at its end."""
    groups = {one.number: _groups(one) for one in brief.evidence}
    ranked = sorted((group for some in groups.values() for group in some), key=lambda group: -group.relevance)
    shown, leading = list[_Shown](), 0
    for group in ranked:
        if shown and (_words(shown) >= ENOUGH_WORDS or group.relevance < _ALSO * ranked[0].relevance):
            break
        for part in _with_neighbours(group, groups[group.evidence.number]):
            _take(part, shown)
        leading = leading or len(shown)
    if not shown and ranked:
        # A line that only looks like a heading, as a selection may be.
        _take(ranked[0], shown)
    return list(_written(_ordered(shown[:leading]) + _ordered(shown[leading:])))


def _groups(evidence: Evidence) -> list[_Group]:
    runs = groupby(evidence.units, key=lambda one: (one.unit.block, one.unit.kind))
    groups = [
        _Group(evidence, kind, span, tuple(units), place) for place, ((span, kind), units) in enumerate(runs)
    ]
    return [replace(group, lent=_lent(group, groups)) for group in groups]


def _lent(group: _Group, groups: Sequence[_Group]) -> float:
    """Authors state a matter and go on with it: a section is told to its end before another is begun."""
    before = groups[max(group.place - len(_FOLLOWS), 0) : group.place]
    after = groups[group.place + 1 : group.place + 2]
    beside = [*zip(_FOLLOWS, reversed(before), strict=False), *((_PRECEDES, one) for one in after)]
    return max((share * one.own for share, one in beside if one.section == group.section), default=0.0)


def _with_neighbours(group: _Group, groups: Sequence[_Group]) -> list[_Group]:
    """With the sentence that introduces a block, or with the block that a sentence introduces."""
    before = groups[group.place - 1] if group.place else None
    after = groups[group.place + 1] if group.place + 1 < len(groups) else None
    if after and _introduces(group, after):
        return [after, group] if _is_label(group) else [group, after]
    if before and _introduces(before, group):
        return [group, _introduction(before)]
    return [] if _is_label(group) else [group]


def _introduction(group: _Group) -> _Group:
    """Of a long paragraph the last sentence, which is the one that introduces."""
    words = sum(len(unit.text.split()) for unit in group.units)
    return group if words <= _LONGEST_INTRODUCTION else replace(group, units=group.units[-1:])


def _introduces(before: _Group, group: _Group) -> bool:
    if before.kind is not UnitKind.PROSE or group.span.start - before.span.end >= _FAR_APART:
        return False
    if _is_label(before):
        return not _is_label(group)
    announces = bool(_ANNOUNCES.search(before.units[-1].text))
    return group.kind is UnitKind.CODE or (announces and group.kind is not UnitKind.PROSE)


def _is_label(group: _Group) -> bool:
    """A line in bold, or a short one that ends no sentence, stands for a heading: alone it says nothing."""
    if group.kind is not UnitKind.PROSE or len(group.units) != 1:
        return False
    text = group.units[0].text.strip()
    is_title = len(text.split()) <= _LONGEST_TITLE and not _ENDS.search(text)
    return is_title or bool(_LABEL.fullmatch(text))


def _take(group: _Group, shown: list[_Shown]) -> None:
    """Unless it is there already, or makes the answer too long."""
    if any(_is_same(one.group, group) for one in shown):
        return
    room = MOST_WORDS - _words(shown)
    part = _show(group, max(room, 0) if shown else MOST_WORDS)
    if part and part.text and (not shown or part.words <= room):
        shown.append(part)


def _is_same(one: _Group, other: _Group) -> bool:
    """The same place, or the same words in a chunk that overlaps or repeats it."""
    return one.units[-1].text == other.units[-1].text and one.kind is other.kind


def _show(group: _Group, room: int) -> _Shown | None:
    match group.kind:
        case UnitKind.PROSE:
            text = _paragraph(group, min(room, _WHOLE_PARAGRAPH))
        case UnitKind.ITEM:
            text = list_items(group.evidence.chunk, group.span, _belonging(group), room)
        case UnitKind.ROW:
            text = table_rows(group.evidence.chunk, group.span, _belonging(group), room)
        case UnitKind.CODE:
            text = code_lines(group.evidence.chunk, group.span, _belonging(group))
    words = len(text.split())
    return _Shown(group, text, min(words, _MOST_CODE_WORDS) if group.kind is UnitKind.CODE else words)


def _belonging(group: _Group) -> list[Span]:
    """The best first."""
    least = _IN_BLOCK * group.own
    belonging = [one for one in group.units if one.relevance >= least]
    belonging.sort(key=lambda one: -one.relevance)
    return [Span(one.unit.start, one.unit.end) for one in belonging]


def _paragraph(group: _Group, room: int) -> str:
    """Whole, or the run of sentences around the best one that has room."""
    texts = [clean(unit.text) for unit in group.units]
    sizes = [len(text.split()) for text in texts]
    best = max(range(len(texts)), key=lambda place: group.units[place].relevance)
    first, after, size = best, best + 1, sizes[best]
    while True:
        sides = [
            place for place in (first - 1, after) if 0 <= place < len(texts) and size + sizes[place] <= room
        ]
        if not sides:
            return " ".join(text for text in texts[first:after] if text)
        side = max(sides, key=lambda place: group.units[place].relevance)
        size += sizes[side]
        first, after = min(first, side), max(after, side + 1)


def _words(shown: Sequence[_Shown]) -> int:
    return sum(part.words for part in shown)


def _ordered(shown: Sequence[_Shown]) -> list[_Shown]:
    """The evidence of the best first, each in reading order."""
    numbers = list(dict.fromkeys(part.group.evidence.number for part in shown))
    return sorted(shown, key=lambda part: (numbers.index(part.group.evidence.number), part.group.place))


def _written(shown: Sequence[_Shown]) -> Iterator[str]:
    for place, part in enumerate(shown):
        gap = "\n\n" if place else ""
        is_words = part.group.kind in (UnitKind.PROSE, UnitKind.ITEM) and not part.text.endswith(
            ("```", "~~~")
        )
        mark = " " if is_words else "\n\n"
        yield f"{gap}{part.text}{mark}[{part.group.evidence.number}]"
