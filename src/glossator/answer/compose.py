"""Composes an answer from the book's own blocks, without a language model.

Every sentence, row, item and line of code has a relevance from the reader model. The most relevant ones are
shown with their block: the paragraph, the list, the rows of a table under their header, the code after the
sentence that introduces it. The best block comes first.
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
"""Once an answer has so many words, no further block is added."""
MOST_WORDS = 150
_WHOLE_PARAGRAPH = 75
"""Words up to which a paragraph is shown whole; of a longer one, the sentences around the best one."""
_LEAST_SHARE = 0.1
"""Of the best relevance: what another block needs to be shown too."""
_SHARE_AFTER, _SHARE_BEFORE = (0.2, 0.1), 0.1
"""Of a block's relevance: what the next two blocks and the one before get (docs/quality.md)."""
_LEAST_SHARE_IN_BLOCK = 0.3
"""Of the best relevance in its block: what an item, row or line needs if not all fit."""
_MOST_CODE_WORDS = 60
"""Code counts as at most so many words, because nobody reads it word by word."""

_LONGEST_INTRODUCTION = 40
"""Words up to which the paragraph that introduces a block is shown whole."""

_MAX_GAP = 40
"""Characters between a block and the sentence that introduces it: only markup may stand there."""
_ANNOUNCES = re.compile(r"[:：][\s*_]*$")
_SENTENCE_END = re.compile(r"[.!?…:。！？؟۔：][\s*_\"'”’)\]]*$")
_LONGEST_TITLE = 12
"""Words of a line that may be a title, such as that of an admonition."""
_LABEL = re.compile(r"\*\*[^*\n]+\*\*[:：]?|__[^_\n]+__[:：]?")


@dataclass(frozen=True, slots=True)
class _Group:
    """The units of one block, in reading order."""

    evidence: Evidence
    kind: UnitKind
    span: Span
    units: tuple[ScoredUnit, ...]
    position: int
    """Its index among the groups of its evidence."""
    context_relevance: float = 0.0
    """The relevance it gets from the groups around it."""

    @property
    def section(self) -> Section:
        return self.evidence.chunk.section_at(self.span.start)

    @property
    def own_relevance(self) -> float:
        return max(unit.relevance for unit in self.units)

    @property
    def relevance(self) -> float:
        return max(self.own_relevance, self.context_relevance)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A group as the answer shows it."""

    group: _Group
    text: str
    words: int


def compose(brief: Brief) -> list[str]:
    """Pieces of Markdown, each with leading white space and a citation mark at its end."""
    groups = {evidence.number: _groups(evidence) for evidence in brief.evidence}
    ranked = sorted(
        (group for evidence_groups in groups.values() for group in evidence_groups),
        key=lambda group: -group.relevance,
    )
    shown, leading = list[_Shown](), 0
    for group in ranked:
        if shown and (
            _word_count(shown) >= ENOUGH_WORDS or group.relevance < _LEAST_SHARE * ranked[0].relevance
        ):
            break
        for part in _with_neighbours(group, groups[group.evidence.number]):
            _add(part, shown)
        leading = leading or len(shown)
    if not shown and ranked:
        # The only line looks like a heading, as a selection may.
        _add(ranked[0], shown)
    return list(_markdown(_in_reading_order(shown[:leading]) + _in_reading_order(shown[leading:])))


def _groups(evidence: Evidence) -> list[_Group]:
    runs = groupby(evidence.units, key=lambda unit: (unit.unit.block, unit.unit.kind))
    groups = [
        _Group(evidence, kind, span, tuple(units), position)
        for position, ((span, kind), units) in enumerate(runs)
    ]
    return [replace(group, context_relevance=_context_relevance(group, groups)) for group in groups]


def _context_relevance(group: _Group, groups: Sequence[_Group]) -> float:
    """Authors continue a topic in the next blocks, so these get a share of the relevance in their section."""
    before = groups[max(group.position - len(_SHARE_AFTER), 0) : group.position]
    after = groups[group.position + 1 : group.position + 2]
    neighbours = [
        *zip(_SHARE_AFTER, reversed(before), strict=False),
        *((_SHARE_BEFORE, neighbour) for neighbour in after),
    ]
    return max(
        (
            share * neighbour.own_relevance
            for share, neighbour in neighbours
            if neighbour.section == group.section
        ),
        default=0.0,
    )


def _with_neighbours(group: _Group, groups: Sequence[_Group]) -> list[_Group]:
    """The group with the sentence that introduces it, or with the block that it introduces."""
    before = groups[group.position - 1] if group.position else None
    after = groups[group.position + 1] if group.position + 1 < len(groups) else None
    if after and _introduces(group, after):
        return [after, group] if _is_label(group) else [group, after]
    if before and _introduces(before, group):
        return [group, _introduction(before)]
    return [] if _is_label(group) else [group]


def _introduction(group: _Group) -> _Group:
    """Of a long paragraph only the last sentence, which introduces the block."""
    words = sum(len(unit.text.split()) for unit in group.units)
    return group if words <= _LONGEST_INTRODUCTION else replace(group, units=group.units[-1:])


def _introduces(before: _Group, group: _Group) -> bool:
    if before.kind is not UnitKind.PROSE or group.span.start - before.span.end >= _MAX_GAP:
        return False
    if _is_label(before):
        return not _is_label(group)
    announces = bool(_ANNOUNCES.search(before.units[-1].text))
    return group.kind is UnitKind.CODE or (announces and group.kind is not UnitKind.PROSE)


def _is_label(group: _Group) -> bool:
    """A bold line, or a short one without a full stop, is a heading, which says nothing alone."""
    if group.kind is not UnitKind.PROSE or len(group.units) != 1:
        return False
    text = group.units[0].text.strip()
    is_title = len(text.split()) <= _LONGEST_TITLE and not _SENTENCE_END.search(text)
    return is_title or bool(_LABEL.fullmatch(text))


def _add(group: _Group, shown: list[_Shown]) -> None:
    """Adds the group unless it is shown already or makes the answer too long."""
    if any(_is_same(other.group, group) for other in shown):
        return
    room = MOST_WORDS - _word_count(shown)
    part = _render(group, max(room, 0) if shown else MOST_WORDS)
    if part and part.text and (not shown or part.words <= room):
        shown.append(part)


def _is_same(first: _Group, second: _Group) -> bool:
    """The same position, or the same words in an overlapping or repeated chunk."""
    return first.units[-1].text == second.units[-1].text and first.kind is second.kind


def _render(group: _Group, room: int) -> _Shown | None:
    match group.kind:
        case UnitKind.PROSE:
            text = _paragraph(group, min(room, _WHOLE_PARAGRAPH))
        case UnitKind.ITEM:
            text = list_items(group.evidence.chunk, group.span, _relevant_spans(group), room)
        case UnitKind.ROW:
            text = table_rows(group.evidence.chunk, group.span, _relevant_spans(group), room)
        case UnitKind.CODE:
            text = code_lines(group.evidence.chunk, group.span, _relevant_spans(group))
    words = len(text.split())
    return _Shown(group, text, min(words, _MOST_CODE_WORDS) if group.kind is UnitKind.CODE else words)


def _relevant_spans(group: _Group) -> list[Span]:
    """Best first."""
    least = _LEAST_SHARE_IN_BLOCK * group.own_relevance
    relevant = [unit for unit in group.units if unit.relevance >= least]
    relevant.sort(key=lambda unit: -unit.relevance)
    return [Span(unit.unit.start, unit.unit.end) for unit in relevant]


def _paragraph(group: _Group, room: int) -> str:
    """The whole paragraph, or as many sentences around the best one as fit."""
    texts = [clean(unit.text) for unit in group.units]
    sizes = [len(text.split()) for text in texts]
    best = max(range(len(texts)), key=lambda index: group.units[index].relevance)
    first, after, size = best, best + 1, sizes[best]
    while True:
        sides = [
            index for index in (first - 1, after) if 0 <= index < len(texts) and size + sizes[index] <= room
        ]
        if not sides:
            return " ".join(text for text in texts[first:after] if text)
        side = max(sides, key=lambda index: group.units[index].relevance)
        size += sizes[side]
        first, after = min(first, side), max(after, side + 1)


def _word_count(shown: Sequence[_Shown]) -> int:
    return sum(part.words for part in shown)


def _in_reading_order(shown: Sequence[_Shown]) -> list[_Shown]:
    """The best evidence first; within each evidence, reading order."""
    numbers = list(dict.fromkeys(part.group.evidence.number for part in shown))
    return sorted(shown, key=lambda part: (numbers.index(part.group.evidence.number), part.group.position))


def _markdown(shown: Sequence[_Shown]) -> Iterator[str]:
    for index, part in enumerate(shown):
        gap = "\n\n" if index else ""
        is_words = part.group.kind in (UnitKind.PROSE, UnitKind.ITEM) and not part.text.endswith(
            ("```", "~~~")
        )
        mark = " " if is_words else "\n\n"
        yield f"{gap}{part.text}{mark}[{part.group.evidence.number}]"
