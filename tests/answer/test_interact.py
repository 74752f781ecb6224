"""Late interaction, on states made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from answer_hits import chunk
from hypothesis import given
from hypothesis import strategies as st

from glossator.answer.interact import interact, of_units
from glossator.answer.weigh import coverage, has_strangers, weigh
from glossator.model import Lexicon, Passage, Span, TokenStates, Unit, UnitKind

EYE = np.eye(8, dtype=np.float32)
LEXICON = Lexicon("english", 100, {"node": 80, "urdf": 2, "the": 100, "is": 100, "what": 90})

seeds = st.integers(0, 1000)


def directions(some: np.random.Generator, count: int) -> TokenStates:
    rows = some.normal(size=(count, 8))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def passage(*sizes: int) -> Passage:
    units = tuple(Unit(UnitKind.PROSE, 0, 1, size, Span(0, 1)) for size in sizes)
    one = chunk("words")
    return Passage(one, 0, 0, 5, "words", units)


def test_words_that_are_matched_in_one_place_count_more_than_words_matched_all_over():
    question, weights = EYE[:2], np.array([0.5, 0.5], np.float32)
    filler = np.tile(EYE[7], (60, 1))
    apart, together = filler.copy(), filler.copy()
    apart[0], apart[59] = EYE[0], EYE[1]
    together[20], together[25] = EYE[0], EYE[1]
    seen = interact(question, weights, [(passage(60), apart), (passage(60), together)])
    assert [round(one.whole, 2) for one in seen] == [1.0, 1.0]
    assert seen[0].stretch == pytest.approx(0.5)
    assert seen[1].stretch == pytest.approx(1.0)


def test_a_heading_helps_every_stretch_below_it():
    states = np.concatenate([EYE[:1], np.tile(EYE[7], (40, 1))])
    states[30] = EYE[1]
    (seen,) = interact(EYE[:2], np.array([0.5, 0.5], np.float32), [(passage(40), states)])
    assert seen.stretch == pytest.approx(1.0)


@given(st.lists(st.tuples(st.lists(st.integers(0, 30), max_size=6), st.integers(-20, 20)), max_size=8), seeds)
def test_many_passages_are_compared_as_each_alone(cuts: list[tuple[list[int], int]], seed: int):
    """With headings above and without, and cut off where the model stopped reading."""
    some = np.random.default_rng(seed)
    question, weights = directions(some, 3), np.array([0.5, 0.3, 0.2], np.float32)
    pairs = [(passage(*sizes), directions(some, max(sum(sizes) + more, 0))) for sizes, more in cuts]
    together = interact(question, weights, pairs)
    alone = [one for pair in pairs for one in interact(question, weights, [pair])]
    assert len(together) == len(pairs)
    for one, other in zip(together, alone, strict=True):
        assert (one.stretch, one.whole) == pytest.approx((other.stretch, other.whole), abs=1e-6)
        assert one.best == pytest.approx(other.best, abs=1e-6)
    units = [one.units for one, _ in pairs]
    relevance = of_units(list(zip(together, units, strict=True)))
    assert list(map(len, relevance)) == list(map(len, units))
    for these, one, its in zip(relevance, alone, units, strict=True):
        assert these == pytest.approx(of_units([(one, its)])[0], abs=1e-6)


@given(st.lists(st.integers(1, 30), max_size=6), st.integers(0, 20), seeds)
def test_a_stretch_is_the_best_of_three_steps_and_the_headings(sizes: list[int], heading: int, seed: int):
    some = np.random.default_rng(seed)
    question, weights = directions(some, 3), np.array([0.5, 0.3, 0.2], np.float32)
    states = directions(some, heading + sum(sizes))
    (seen,) = interact(question, weights, [(passage(*sizes), states)])
    matches = states @ question.T
    above = matches[:heading].max(axis=0) if heading else np.zeros(3)
    body = matches[heading:]
    stretches = [body[start : start + 36].max(axis=0) for start in range(0, len(body), 12)]
    best = max((float(np.maximum(one, above) @ weights) for one in stretches), default=float(above @ weights))
    assert seen.stretch == pytest.approx(best, abs=1e-6)


def test_each_unit_has_its_own_relevance():
    states = np.stack([EYE[7], EYE[7], EYE[0], EYE[7]])
    one = passage(2, 2)
    (seen,) = interact(EYE[:1], np.ones(1, np.float32), [(one, states)])
    assert of_units([(seen, one.units)]) == [pytest.approx([0.0, 1.0])]


def test_a_passage_of_headings_alone_is_compared_too():
    (seen,) = interact(EYE[:1], np.ones(1, np.float32), [(passage(), EYE[:1])])
    assert seen.stretch == pytest.approx(1.0)
    assert of_units([(seen, ())]) == [[]]


def test_the_rarer_word_weighs_more_and_all_pieces_of_a_word_the_same():
    weights = weigh(["what", "is", "a", "node", "ur", "##df", "?"], LEXICON)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[4] == weights[5] > weights[3] > weights[6] == 0.0


def test_coverage_is_of_the_words_that_carry_the_question():
    assert coverage("What is the URDF?", "urdf files", LEXICON) == 1.0
    assert coverage("What is the URDF?", "what is the node", LEXICON) == 0.0


def test_a_name_or_number_that_nobody_wrote_is_a_stranger():
    assert has_strangers("When was Kyoto founded?", ["Tokyo was founded in 1457."])
    assert not has_strangers("When was Tokyo founded?", ["tokyo was founded in 1457."])
    assert not has_strangers("Was Tokyo founded in 1457?", ["Tokyo is old.", "It was founded in 1457."])
