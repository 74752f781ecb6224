"""An answer made of the book's own sentences.

It leads with the sentence that answers, goes on with what stands beside it and with what else bears on
the question, in reading order, and shows a list, a table or code whole where the question asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.answer.compose.asking import asking
from glossator.answer.compose.block import row_in_words
from glossator.answer.compose.draft import Draft
from glossator.answer.compose.rate import Rated, rate
from glossator.answer.compose.sentence import remembered
from glossator.model import Brief, UnitKind
from glossator.text.inline import clean


@dataclass(frozen=True, slots=True)
class _Entry:
    """A sentence or a block of the answer."""

    unit: Rated
    """The block's first."""
    after: int
    """The place of the unit behind it."""
    text: str
    is_block: bool = False

    @property
    def number(self) -> int:
        return self.unit.evidence.number


def compose(brief: Brief) -> list[str]:
    """Pieces of Markdown, each with the white space before it and its citation mark at its end."""
    asked = asking(brief.question)
    draft = Draft(asked, rate(brief.evidence, asked))
    draft.show_block()
    draft.choose_lead()
    draft.go_on()
    draft.look_elsewhere()
    draft.fill_up()
    return list(_written(_ordered(draft)))


def _ordered(draft: Draft) -> list[_Entry]:
    """The lead and what goes on from it, then the rest of its evidence, then the others, in reading order."""
    runs = _runs(sorted(_entries(draft), key=lambda entry: (entry.number, entry.unit.place)), draft.lead)
    leading = next((run for run in runs if any(_has_lead(entry, draft.lead) for entry in run)), None)
    if leading is None:
        return []
    rest = [run for run in runs if run is not leading]
    rest.sort(key=lambda run: run[0].number != leading[0].number)
    return [entry for run in (leading, *rest) for entry in run]


def _has_lead(entry: _Entry, lead: Rated | None) -> bool:
    """Whether it is the lead, or the list that the lead is an item of."""
    is_its_block = lead is not None and entry.is_block and entry.unit.block == lead.block
    return entry.unit is lead or (is_its_block and lead is not None and entry.number == lead.evidence.number)


def _entries(draft: Draft) -> Iterator[_Entry]:
    """Each with its text; a sentence of a list that is shown whole stands there already."""
    shown = {(first.evidence.number, block.span) for first, block in draft.blocks}
    for unit in draft.sentences.values():
        text = row_in_words(unit.source) if unit.kind is UnitKind.ROW else _shown(unit.source)
        if text and (unit.evidence.number, unit.block) not in shown:
            yield _Entry(unit, unit.place + 1, text)
    for first, block in draft.blocks:
        count = sum(other.unit.block == block.span for other in first.evidence.units)
        yield _Entry(first, first.place + count, block.text, is_block=True)


_shown = remembered(clean)


def _runs(entries: Sequence[_Entry], lead: Rated | None) -> list[list[_Entry]]:
    """What stands side by side in the evidence; of what stands before the lead, one sentence at most."""
    runs = list[list[_Entry]]()
    for entry in entries:
        before = runs[-1][-1] if runs else None
        goes_on = before and before.number == entry.number and before.after == entry.unit.place
        is_late = entry.unit is lead and before and (before.is_block or len(runs[-1]) > 1)
        if goes_on and not is_late:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return runs


def _written(entries: Sequence[_Entry]) -> Iterator[str]:
    before: _Entry | None = None
    for entry in entries:
        gap = "" if before is None else " " if _runs_on(before, entry) else "\n\n"
        mark = "\n\n" if entry.is_block and not _ends_in_words(entry) else " "
        yield f"{gap}{entry.text}{mark}[{entry.number}]"
        before = entry


def _runs_on(before: _Entry, entry: _Entry) -> bool:
    """Within a paragraph; what begins an item, or comes from another section, begins one of its own."""
    if before.is_block or entry.is_block or before.number != entry.number or entry.unit.begins_item:
        return False
    return before.unit.section == entry.unit.section


def _ends_in_words(entry: _Entry) -> bool:
    """A formula and a list do, unless code stands at its end."""
    is_words = entry.unit.kind is UnitKind.ITEM or entry.text.startswith("$$")
    return is_words and not entry.text.rstrip().endswith(("```", "~~~"))
