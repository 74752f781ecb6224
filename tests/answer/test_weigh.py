"""How much each word of a question matters."""

from __future__ import annotations

import pytest

from glossator.answer.weigh import weigh
from glossator.model import Lexicon

LEXICON = Lexicon("english", 100, {"node": 80, "urdf": 2, "the": 100, "is": 100, "what": 90})


def test_the_rarer_word_weighs_more_and_all_pieces_of_a_word_the_same():
    weights = weigh(["what", "is", "a", "node", "ur", "##df", "?"], LEXICON)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[4] == weights[5] > weights[3] > weights[6] == 0.0


@pytest.mark.parametrize("pieces", [["?", "!"], ["##s"], ["?"] * 5])
def test_where_no_word_weighs_anything_all_weigh_the_same(pieces: list[str]):
    assert weigh(pieces, Lexicon("english", 0, {})).sum() == pytest.approx(1.0)
