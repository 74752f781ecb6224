"""Composes an answer from the book's own blocks, without a language model.

Every sentence, row, item and line of code has a relevance from the reader model. The most relevant ones are
shown with their block: the paragraph, the list, the rows of a table under their header, the code after the
sentence that introduces it. The best block comes first, under the heading of its section; what other sections
say beside it follows below a line that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from glossator.answer import wording
from glossator.answer.blocks import code_lines, code_title, list_items, table_rows
from glossator.answer.confidence import block_probability
from glossator.model import Brief, Evidence, ScoredUnit, Section, Span, UnitKind
from glossator.text.markdown import OMITTED, clean, escape

ENOUGH_WORDS = 130
"""Once an answer has so many words, no further block is added (docs/quality.md)."""
MOST_WORDS = 170
_WHOLE_PARAGRAPH = 100
"""Words up to which a paragraph is shown whole; of a longer one, the sentences around the best one."""
_LEAST_SHARE_OF_BEST = 0.3
"""Of the best block's probability: what a further block needs to be shown (docs/quality.md)."""
_LEAST_SHARE_IN_BLOCK = 0.3
"""Of the best relevance in its block: what an item, row or line needs if not all fit."""
_LEAST_SHARE_FOR_WHOLE, _LEAST_RELEVANT = 0.1, 0.25
"""A longer list or table is shown whole if so many of its parts have so much of the best relevance."""
_SHORT_LIST = 60
"""Words up to which a list or table is shown whole in any case."""
_GLANCE = 25
"""Words that are read at a glance: nothing needs to stand above so few."""
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
_NUMBERED = re.compile(r"[\s>]*\d{1,9}[.)]\s")
_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
_LABEL = re.compile(r"\*\*[^*\n]+\*\*[:：]?|__[^_\n]+__[:：]?")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list, table or listing, with its scored units in reading order."""

    evidence: Evidence
    kind: UnitKind
    span: Span
    units: tuple[ScoredUnit, ...]
    position: int
    """Its index among the blocks of its evidence."""
    is_introduced: bool = False
    """Whether the sentence before it introduces it."""

    @property
    def section(self) -> Section:
        return self.evidence.chunk.section_at(self.span.start)

    @property
    def relevance(self) -> float:
        return max(unit.relevance for unit in self.units)

    @property
    def probability(self) -> float:
        """That it belongs to the answer."""
        return block_probability(self.relevance, self.evidence.similarity)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A block as the answer shows it."""

    block: Block
    text: str
    words: int


def compose(brief: Brief) -> list[str]:
    """Pieces of Markdown, each with leading white space and a citation mark at its end."""
    blocks = {evidence.number: blocks_of(evidence) for evidence in brief.evidence}
    ranked = sorted(
        (block for evidence_blocks in blocks.values() for block in evidence_blocks),
        key=lambda block: -block.probability,
    )
    shown, leading = list[_Shown](), 0
    for block in ranked:
        is_unlikely = block.probability < _LEAST_SHARE_OF_BEST * ranked[0].probability
        if shown and (is_unlikely or _word_count(shown) >= ENOUGH_WORDS):
            break
        for part in _with_neighbours(block, blocks[block.evidence.number]):
            _add(part, shown)
        leading = leading or len(shown)
    if not shown and ranked:
        # The only line looks like a heading, as a selection may.
        _add(ranked[0], shown)
    leading = _with_adjacent(shown, leading)
    in_order, beside = _arranged(shown[:leading], shown[leading:])
    while len(in_order) > 1 and _is_label(in_order[-1].block):
        in_order.pop()
    if in_order:
        in_order[0] = _after_fact(ranked[0], in_order[0])
    return list(_markdown([_finished(position, in_order) for position in range(len(in_order))], beside))


def blocks_of(evidence: Evidence) -> list[Block]:
    runs = groupby(evidence.units, key=lambda unit: (unit.unit.block, unit.unit.kind))
    blocks = [
        Block(evidence, kind, span, tuple(units), position)
        for position, ((span, kind), units) in enumerate(runs)
    ]
    introduced = [_introduces(before, block) for before, block in pairwise(blocks)]
    return [
        replace(block, is_introduced=is_introduced)
        for block, is_introduced in zip(blocks, [False, *introduced], strict=False)
    ]


def _with_neighbours(block: Block, blocks: Sequence[Block]) -> list[Block]:
    """The block with what introduces it and what it introduces: a sentence, a label, or one after the other.

    Labels come last: what they introduce needs the room more.
    """
    above, below = list[Block](), list[Block]()
    first, last = block, block
    while first.is_introduced:
        first = blocks[first.position - 1]
        above.append(_introduction(first))
    while last.kind is UnitKind.PROSE and (after := _next_introduced(last, blocks)):
        last = after
        below.append(after)
    chain = [block, *above, *below]
    if all(map(_is_label, chain)):
        return []
    return sorted(chain, key=_is_label)


def _next_introduced(block: Block, blocks: Sequence[Block]) -> Block | None:
    after = blocks[block.position + 1] if block.position + 1 < len(blocks) else None
    return after if after and after.is_introduced else None


def _introduction(block: Block) -> Block:
    """Of a long paragraph only the last sentence, which introduces the block."""
    words = sum(len(unit.text.split()) for unit in block.units)
    return block if words <= _LONGEST_INTRODUCTION else replace(block, units=block.units[-1:])


def _introduces(before: Block, block: Block) -> bool:
    if before.kind is not UnitKind.PROSE or block.span.start - before.span.end >= _MAX_GAP:
        return False
    if _is_label(before):
        return not _is_label(block)
    announces = bool(_ANNOUNCES.search(before.units[-1].text))
    return block.kind is UnitKind.CODE or (
        announces and (block.kind is not UnitKind.PROSE or _is_label(block))
    )


def _is_label(block: Block) -> bool:
    """A bold line, or a short one without a full stop, is a heading, which says nothing alone."""
    if block.kind is not UnitKind.PROSE or len(block.units) != 1 or _is_excerpt(block):
        return False
    text = block.units[0].text.strip()
    is_title = len(text.split()) <= _LONGEST_TITLE and not _SENTENCE_END.search(text)
    return is_title or bool(_LABEL.fullmatch(text))


def _is_excerpt(block: Block) -> bool:
    """Whether it begins after the first sentence of its paragraph."""
    first = block.units[0].unit
    return first.start - block.span.start > _MAX_GAP


def _add(block: Block, shown: list[_Shown]) -> None:
    """Adds the block unless it is shown already or makes the answer too long.

    What it contains is shown with it and no longer alone: the code of a list item, the row of a table in an
    overlapping chunk, the last sentence of a paragraph.
    """
    room = MOST_WORDS - _word_count(shown)
    part = _render(_without_overlap(block, shown), max(room, 0) if shown else MOST_WORDS)
    if not part.text or (shown and part.words > room) or any(_contains(other, part) for other in shown):
        return
    contained = [position for position, other in enumerate(shown) if _contains(part, other)]
    shown.insert(contained[0] if contained else len(shown), part)
    for position in reversed(contained):
        del shown[position + 1]


def _without_overlap(block: Block, shown: Sequence[_Shown]) -> Block:
    """Without the sentences at its ends that an overlapping chunk has shown already."""
    others = [part.text for part in shown if part.block.evidence.number != block.evidence.number]
    new = list(block.units) if block.kind is UnitKind.PROSE else []
    while new and _is_in(new[0], others):
        del new[0]
    while new and _is_in(new[-1], others):
        del new[-1]
    return replace(block, units=tuple(new)) if new else block


def _is_in(unit: ScoredUnit, texts: Sequence[str]) -> bool:
    return any(clean(unit.text) in text for text in texts)


def _contains(whole: _Shown, part: _Shown) -> bool:
    """Whether each line of the part stands in the whole; of code, as a line and not inside a sentence."""
    lines = _lines(part.text)
    if part.block.kind is UnitKind.CODE:
        # Only its own fences do not count: code may be about fences. A formula has none.
        body = lines[1:-1] if _FENCE.match(lines[0]) else lines
        return set(body) <= set(_lines(whole.text))
    return all(line in whole.text for line in lines if not _FENCE.match(line))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _render(block: Block, room: int) -> _Shown:
    match block.kind:
        case UnitKind.PROSE if _is_label(block):
            title = clean(block.units[0].text).replace("**", "").strip(" :：*_")
            text = f"**{title}**" if title else ""
        case UnitKind.PROSE:
            text = _paragraph(block, min(room, _WHOLE_PARAGRAPH))
        case UnitKind.ITEM:
            text = list_items(
                block.evidence.chunk, block.span, _relevant_spans(block), room, whole=_is_about_all(block)
            )
        case UnitKind.ROW:
            text = table_rows(
                block.evidence.chunk, block.span, _relevant_spans(block), room, whole=_is_about_all(block)
            )
        case UnitKind.CODE:
            text = code_lines(block.evidence.chunk, block.span, _relevant_spans(block))
    words = len(text.split())
    return _Shown(block, text, min(words, _MOST_CODE_WORDS) if block.kind is UnitKind.CODE else words)


def _is_about_all(block: Block) -> bool:
    """Not if few of many parts belong to the answer: of a glossary, only the entry is shown.

    The items of a numbered or introduced list belong together: "three parts:" is wrong without the others.
    """
    source = block.evidence.chunk.text[block.span.start - block.evidence.chunk.start :]
    if block.kind is UnitKind.ITEM and (block.is_introduced or _NUMBERED.match(source)):
        return True
    if sum(len(unit.text.split()) for unit in block.units) <= _SHORT_LIST:
        return True
    relevant = [unit for unit in block.units if unit.relevance >= _LEAST_SHARE_FOR_WHOLE * block.relevance]
    return len(relevant) >= _LEAST_RELEVANT * len(block.units)


def _relevant_spans(block: Block) -> list[Span]:
    """Best first."""
    least = _LEAST_SHARE_IN_BLOCK * block.relevance
    relevant = [unit for unit in block.units if unit.relevance >= least]
    relevant.sort(key=lambda unit: -unit.relevance)
    return [Span(unit.unit.start, unit.unit.end) for unit in relevant]


def _paragraph(block: Block, room: int) -> str:
    """The whole paragraph, or as many sentences around the best one as fit."""
    texts = [clean(unit.text) for unit in block.units]
    sizes = [len(text.split()) for text in texts]
    best = max(range(len(texts)), key=lambda index: block.units[index].relevance)
    first, after, size = best, best + 1, sizes[best]
    while True:
        sides = [
            index for index in (first - 1, after) if 0 <= index < len(texts) and size + sizes[index] <= room
        ]
        if not sides:
            return " ".join(text for text in texts[first:after] if text)
        side = max(sides, key=lambda index: block.units[index].relevance)
        size += sizes[side]
        first, after = min(first, side), max(after, side + 1)


def _word_count(shown: Sequence[_Shown]) -> int:
    return sum(part.words for part in shown)


def _with_adjacent(shown: list[_Shown], leading: int) -> int:
    """Moves blocks that follow the leading ones up to them; one before them would take the answer's place."""
    index = leading
    while index < len(shown):
        if any(_follows(shown[index].block, part.block) for part in shown[:leading]):
            shown.insert(leading, shown.pop(index))
            leading += 1
            index = leading
        else:
            index += 1
    return leading


def _follows(block: Block, before: Block) -> bool:
    is_next = block.position == before.position + 1
    return is_next and block.evidence.number == before.evidence.number and block.section == before.section


def _arranged(leading: Sequence[_Shown], others: Sequence[_Shown]) -> tuple[list[_Shown], int]:
    """What leads, then the rest of its sections, then other sections; and where these begin."""
    sections = {(part.block.evidence.chunk.page, part.block.section) for part in leading}
    here, elsewhere = list[_Shown](), list[_Shown]()
    for part in others:
        is_here = (part.block.evidence.chunk.page, part.block.section) in sections
        (here if is_here else elsewhere).append(part)
    leading = _in_reading_order(leading)
    before = _leading_up_to(leading[0], here) if leading else []
    here = [part for part in here if part not in before]
    first = [*before, *leading, *_in_reading_order(here)]
    return [*first, *_in_reading_order(elsewhere)], len(first)


def _leading_up_to(first: _Shown, others: Sequence[_Shown]) -> list[_Shown]:
    """Short paragraphs directly before the first block, which may lean on them: "The old behavior …"."""
    paragraphs = [part for part in others if part.block.kind is UnitKind.PROSE and not _is_label(part.block)]
    found, room = list[_Shown](), _LONGEST_INTRODUCTION
    while before := next((part for part in paragraphs if _follows(first.block, part.block)), None):
        room -= before.words
        if room < 0:
            break
        found.insert(0, before)
        first = before
    return found


def _in_reading_order(shown: Sequence[_Shown]) -> list[_Shown]:
    """The best evidence first; within each evidence, reading order."""
    numbers = list(dict.fromkeys(part.block.evidence.number for part in shown))
    return sorted(shown, key=lambda part: (numbers.index(part.block.evidence.number), part.block.position))


def _after_fact(best: Block, first: _Shown) -> _Shown:
    """The first block below the number, name or few words that are asked for, unless it is short itself."""
    fact = next((unit.fact for unit in best.units if unit.fact), "")
    if not fact or "*" in fact or first.words <= _GLANCE:
        return first
    shown_fact = f"`{fact}`" if best.kind is UnitKind.CODE and "`" not in fact else escape(fact)
    return replace(first, text=f"**{shown_fact}**\n\n{first.text}")


def _finished(position: int, shown: Sequence[_Shown]) -> _Shown:
    """With its heading, where it needs one; without a colon that announces nothing."""
    part = shown[position]
    block, text = part.block, part.text
    if block.kind is UnitKind.PROSE:
        text = text if _is_continued(block, shown) else _ANNOUNCES.sub(f" {OMITTED}", text)
    elif block.kind is UnitKind.CODE and (title := code_title(block.evidence.chunk, block.span)):
        text = f"**{title}**\n\n{text}"
    is_other_section = position == 0 or not _has_same_heading(block, shown[position - 1].block)
    heading = block.section.heading
    # A selection is the reader's own and has no place in the book.
    if is_other_section and not block.evidence.chunk.is_selection and "*" not in heading:
        text = f"**{escape(heading)}**\n\n{text}"
    return replace(part, text=text)


def _is_continued(block: Block, shown: Sequence[_Shown]) -> bool:
    """Whether the block after it is shown, behind its label if there is one."""
    after = next((other.block for other in shown if _follows(other.block, block)), None)
    return after is not None and (not _is_label(after) or _is_continued(after, shown))


def _has_same_heading(first: Block, second: Block) -> bool:
    """The first section of a page may have the title of the page."""
    is_same_page = first.evidence.chunk.page == second.evidence.chunk.page
    return is_same_page and first.section.heading == second.section.heading


def _markdown(shown: Sequence[_Shown], beside: int) -> Iterator[str]:
    """`beside` is the position of the first block of another section than those that lead."""
    for index, part in enumerate(shown):
        gap = "\n\n" if index else ""
        if index == beside and not part.block.evidence.chunk.is_selection:
            gap = f"{gap}{wording.also_in_book()}\n\n"
        is_words = part.block.kind in (UnitKind.PROSE, UnitKind.ITEM) and not part.text.endswith(
            ("```", "~~~")
        )
        mark = " " if is_words else "\n\n"
        yield f"{gap}{part.text}{mark}[{part.block.evidence.number}]"
