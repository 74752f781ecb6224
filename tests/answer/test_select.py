"""A selection is cut into few parts, whatever stands in it, and none of it is lost by that."""

from __future__ import annotations

import pytest

from glossator.answer.retrieve import DEPTH
from glossator.answer.select import select
from glossator.model import Selection
from glossator.testing import WordEmbedder, WordReader

LONGEST = 10_000
FACT = "The gripper opens within eighty milliseconds."


@pytest.mark.parametrize("kind", ["A b. ", "a\n\n", ". ", "hello, ", "機械。", "a"], ids=repr)
def test_however_tiny_its_sentences_a_selection_has_few_parts(kind: str):
    embedder = WordEmbedder()
    text = (kind * LONGEST)[: LONGEST - len(FACT) - 2] + "\n\n" + FACT
    result, _ = select(
        "How fast does the gripper open?",
        Selection(text, only=True),
        embedder,
        WordReader(),
        language="english",
    )
    assert len(embedder.embedded) <= DEPTH
    assert sum(len(found.passage.units) for found in result.found) <= 256
    best = result.windows[0].window
    assert FACT in " ".join(best.texts)
    for unit in best.passage.units:
        assert text[unit.start : unit.end] == best.passage.reading[unit.reading.start : unit.reading.end]
