"""Late interaction, on states made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.answer.retrieve import late_interaction
from glossator.model import Passage, Span, TokenStates, Unit, UnitKind
from support.answer_hits import chunk

EYE = np.eye(8, dtype=np.float32)
HALVES = np.array([0.5, 0.5], np.float32)

seeds = st.integers(0, 1000)


def directions(some: np.random.Generator, count: int) -> TokenStates:
    rows = some.normal(size=(count, 8))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def passage(*sizes: int) -> Passage:
    units = tuple(Unit(UnitKind.PROSE, 0, 1, size, Span(0, 1), Span(0, 1)) for size in sizes)
    return Passage(chunk("words"), 0, 0, 5, "words", units)


def test_words_count_where_they_stand_together():
    apart, together = np.tile(EYE[7], (2, 60, 1))
    apart[0], apart[59] = EYE[0], EYE[1]
    together[20], together[25] = EYE[0], EYE[1]
    one, other = late_interaction(EYE[:2], [(passage(60), apart), (passage(60), together)])
    assert (one.match(0, 30, HALVES), one.match(30, 60, HALVES)) == pytest.approx((0.5, 0.5))
    assert one.match(0, 60, HALVES) == pytest.approx(1.0)
    assert (other.match(0, 30, HALVES), other.match(30, 60, HALVES)) == pytest.approx((1.0, 0.0))


def test_a_heading_helps_every_window_below_it():
    states = np.concatenate([EYE[:1], np.tile(EYE[7], (40, 1))])
    states[31] = EYE[1]
    [found] = late_interaction(EYE[:2], [(passage(40), states)])
    assert found.match(0, 20, HALVES) == pytest.approx(0.5)
    assert found.match(20, 40, HALVES) == pytest.approx(1.0)


def test_a_window_beyond_what_the_model_read_has_only_its_headings():
    [found] = late_interaction(EYE[:1], [(passage(2, 2), np.stack([EYE[0], EYE[7], EYE[7], EYE[7], EYE[7]]))])
    assert found.match(9, 12, np.ones(1, np.float32)) == pytest.approx(1.0)


def test_a_passage_of_headings_alone_is_compared_too():
    [found] = late_interaction(EYE[:1], [(passage(), EYE[:1])])
    assert found.match(0, 0, np.ones(1, np.float32)) == pytest.approx(1.0)


def test_no_passages_give_nothing():
    assert late_interaction(EYE[:2], []) == []


@given(st.lists(st.integers(1, 30), max_size=6), st.integers(0, 20), seeds, st.data())
def test_every_word_of_the_question_finds_its_best_match_in_the_window_or_above_it(
    sizes: list[int], heading: int, seed: int, data: st.DataObject
):
    some = np.random.default_rng(seed)
    question, weights = directions(some, 3), np.array([0.5, 0.3, 0.2], np.float32)
    states = directions(some, heading + sum(sizes))
    first = data.draw(st.integers(0, sum(sizes)))
    after = data.draw(st.integers(first, sum(sizes)))
    [found] = late_interaction(question, [(passage(*sizes), states)])
    matches = states @ question.T
    above = matches[:heading].max(axis=0) if heading else np.zeros(3)
    body = matches[heading + first : heading + after]
    best = np.maximum(body.max(axis=0), above) if len(body) else above
    assert found.match(first, after, weights) == pytest.approx(float(best @ weights), abs=1e-6)


@given(st.lists(st.tuples(st.lists(st.integers(0, 30), max_size=6), st.integers(-20, 20)), max_size=8), seeds)
def test_many_passages_are_compared_as_each_alone(cuts: list[tuple[list[int], int]], seed: int):
    """With headings above and without, and cut off where the model stopped reading."""
    some = np.random.default_rng(seed)
    question, weights = directions(some, 3), np.array([0.5, 0.3, 0.2], np.float32)
    pairs = [(passage(*sizes), directions(some, max(sum(sizes) + more, 0))) for sizes, more in cuts]
    together = late_interaction(question, pairs)
    alone = [interaction for pair in pairs for interaction in late_interaction(question, [pair])]
    assert len(together) == len(pairs)
    for one, other in zip(together, alone, strict=True):
        assert one.match(0, 20, weights) == other.match(0, 20, weights)


def test_a_passage_too_large_for_one_product_is_compared_whole():
    some = np.random.default_rng(0)
    question, states = directions(some, 500), directions(some, 300)
    [found] = late_interaction(question, [(passage(300), states)])
    assert np.allclose(found.body, states @ question.T, atol=1e-5)
