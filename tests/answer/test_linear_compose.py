"""Composing and verifying take time in proportion to the text, also to the worst that can be sent."""

from __future__ import annotations

import pytest
from linear_growth import Read, out_of_proportion

from glossator.answer.compose.asking import asking
from glossator.answer.compose.block import block_of
from glossator.answer.compose.rate import is_definition
from glossator.answer.compose.sentence import (
    announces,
    is_answer,
    is_open,
    leans_back,
    points_elsewhere,
    sets_a_task,
)
from glossator.answer.select import chunk_of
from glossator.answer.verify.ledger import Ledger
from glossator.answer.verify.plain import plain, without_citations
from glossator.answer.verify.verbatim import find_verbatim
from glossator.model import Evidence, Selection, Span, UnitKind


def whole_block(text: str) -> object:
    chunk = chunk_of(Selection(text))
    return [block_of(chunk, kind, Span(0, len(text))) for kind in UnitKind]


def verbatim(text: str) -> object:
    chunk = chunk_of(Selection(text))
    evidence = Evidence(1, chunk, chunk.sections[0], (), 1.0)
    return find_verbatim(plain("a"), Ledger.of([evidence], "english"), frozenset())


READERS: dict[str, Read] = {
    "a question's kind": asking,
    "whether it answers": is_answer,
    "whether it leans back": leans_back,
    "whether it announces": announces,
    "whether it is open": is_open,
    "whether it points elsewhere": points_elsewhere,
    "whether it sets a task": sets_a_task,
    "whether it defines": lambda text: is_definition(text, "a"),
    "a whole block": whole_block,
    "words without marks": plain,
    "without citations": without_citations,
    "word for word": verbatim,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_reading_takes_time_in_proportion_to_the_text(read: Read):
    assert out_of_proportion(read) == []
