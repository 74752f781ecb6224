"""Composing and verifying take time in proportion to the text, also to the worst that can be sent."""

from __future__ import annotations

import pytest

from glossator.answer.blocks import code_lines, list_items, table_rows
from glossator.answer.select import chunk_of
from glossator.answer.verify import Verifier
from glossator.answer.verify.plain import plain_text, without_citations
from glossator.answer.verify.verbatim import EvidenceSet, find_block, find_verbatim
from glossator.answer.verify.verifier import adds_details
from glossator.model import Evidence, Selection, Span
from glossator.testing import WordReader
from support.compose_evidence import answer
from support.linear_growth import SIZES, Read, Size, out_of_proportion


def whole_block(text: str) -> object:
    chunk, span = chunk_of(Selection(text)), Span(0, len(text))
    best = [Span(0, len(text) // 2)]
    return (
        code_lines(chunk, span, best),
        list_items(chunk, span, best, 50, whole=True),
        table_rows(chunk, span, best, 50, whole=True),
    )


def known(text: str) -> EvidenceSet:
    chunk = chunk_of(Selection(text))
    return EvidenceSet.of([Evidence(1, chunk, chunk.sections[0], (), 1.0)], "english")


READERS: dict[str, Read] = {
    "a page to answer from": lambda text: answer("What is a node?", text[:10_000]),
    "a whole block": whole_block,
    "words without marks": plain_text,
    "without citations": without_citations,
    "word for word": lambda text: find_verbatim(plain_text("a"), known(text), frozenset()),
    "line for line": lambda text: find_block("```\na\n```", known(text), frozenset()),
    "what it says exactly": lambda text: adds_details(text, "1"),
    "what the book says exactly": lambda text: adds_details("A is 1 and a_b.", text),
    "a claim": lambda text: Verifier(WordReader(), "english").check(text[:10_000], known("A node.")),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_reading_takes_time_in_proportion_to_the_text(read: Read, size: Size):
    assert out_of_proportion(read, size) == []
