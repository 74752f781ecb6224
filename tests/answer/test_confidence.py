"""How sure an answer is, whatever `make fit` has written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.answer import confidence as module
from glossator.answer.confidence import (
    CONFIDENCE,
    LOW,
    ORDER,
    SIMILARITY,
    confidence_of,
    level_of,
    order_of,
    scaled_to_support,
    similarity_of,
)
from glossator.model import Confidence, Level, Policy
from support.answer_hits import hit

FITTED = json.loads(Path(module.__file__).with_suffix(".json").read_text("utf-8"))


SURE, UNSURE = 8.0, -8.0

logits = st.floats(-25, 25)
shares = st.floats(0, 1)
similarities = st.lists(shares, max_size=8)


def judged(
    *similarities: float, any_answers: float | None = SURE, policy: Policy = Policy.CALIBRATED
) -> Confidence:
    hits = [hit(index, similarity) for index, similarity in enumerate(similarities)]
    return confidence_of(hits, any_answers, policy)


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (1.0, Level.HIGH),
        (0.85, Level.HIGH),
        (0.84, Level.MEDIUM),
        (0.75, Level.MEDIUM),
        (0.74, Level.LOW),
        (0.6, Level.LOW),
        (0.59, Level.INSUFFICIENT),
        (0.0, Level.INSUFFICIENT),
    ],
)
def test_the_levels_have_the_cut_offs_of_the_first_design(score: float, level: Level):
    assert level_of(score) is level


@pytest.mark.parametrize(
    ("similarities", "level"),
    [
        ([0.9] * 5, Level.HIGH),
        ([0.9] * 4, Level.MEDIUM),
        ([0.8] * 3, Level.MEDIUM),
        ([0.8] * 2, Level.LOW),
        ([0.65] * 2, Level.LOW),
        ([0.99], Level.INSUFFICIENT),
        ([0.59] * 5, Level.INSUFFICIENT),
        ([], Level.INSUFFICIENT),
    ],
)
def test_the_strict_policy_is_a_table_that_asks_nobody_else(similarities: list[float], level: Level):
    for any_answers in (SURE, UNSURE):
        confidence = judged(*similarities, any_answers=any_answers, policy=Policy.STRICT)
        assert confidence.level is level
        assert confidence.should_answer is (level is not Level.INSUFFICIENT)


@given(similarities, logits)
def test_score_level_and_whether_to_answer_never_contradict(similarities: list[float], any_answers: float):
    confidence = judged(*similarities, any_answers=any_answers)
    assert 0.0 <= confidence.score <= 1.0
    assert confidence.level is level_of(confidence.score) is confidence.metrics.confidence_level
    assert confidence.should_answer is (confidence.score >= LOW) is confidence.metrics.should_answer


@given(similarities, logits, shares, st.sampled_from(Policy))
def test_nor_do_they_once_the_answer_is_written(
    similarities: list[float], any_answers: float, supported: float, policy: Policy
):
    before = judged(*similarities, any_answers=any_answers, policy=policy)
    after = scaled_to_support(before, supported)
    assert after.score <= max(before.score, LOW)
    assert after.should_answer is (after.level is not Level.INSUFFICIENT)
    assert after.should_answer is after.metrics.should_answer
    assert after.level is after.metrics.confidence_level
    if policy is Policy.CALIBRATED:
        # What was told is an answer.
        assert after.should_answer
        assert after.level is level_of(after.score)


def test_one_perfect_section_is_enough_for_the_calibrated_policy():
    confidence = judged(0.97)
    assert confidence.level is Level.HIGH
    assert not confidence.metrics.has_sufficient_context


def test_without_a_hit_nothing_is_answered():
    assert judged().score == 0.0
    assert not judged(any_answers=None).should_answer


def test_what_the_reader_finds_nowhere_is_refused():
    assert not judged(0.1, any_answers=UNSURE).should_answer


@pytest.mark.parametrize(
    ("name", "inputs"), [("order", ORDER), ("similarity", SIMILARITY), ("confidence", CONFIDENCE)]
)
def test_what_was_fitted_names_its_inputs(name: str, inputs: tuple[str, ...]):
    assert set(FITTED[name]) - {"constant"} == set(inputs)


huge = st.floats(-1e9, 1e9)


@given(huge, huge)
def test_a_similarity_is_a_probability(order: float, mean: float):
    assert 0.0 < similarity_of(order, mean) < 1.0


@given(huge)
def test_confidence_is_a_probability_whatever_the_reader_says(any_answers: float):
    assert 0.0 <= judged(0.5, any_answers=any_answers).score <= 1.0


@given(logits, st.tuples(shares, shares, shares), st.sampled_from(ORDER), st.floats(0, 10))
def test_the_order_goes_the_way_of_each_weight(
    answers: float, found: tuple[float, float, float], name: str, more: float
):
    before = dict[str, float](zip(ORDER, (answers, *found), strict=True))
    change = order_of(**{**before, name: before[name] + more}) - order_of(**before)
    assert change * FITTED["order"][name] >= -1e-9


@given(st.floats(-100, 100), logits, st.floats(0, 100))
def test_what_stands_higher_in_the_order_is_no_less_similar(order: float, mean: float, more: float):
    assert similarity_of(order + more, mean) >= similarity_of(order, mean)


@given(logits, st.floats(0, 10))
def test_a_reader_that_is_surer_makes_surer(any_answers: float, more: float):
    assert judged(0.5, any_answers=any_answers + more).score >= judged(0.5, any_answers=any_answers).score


def test_what_answers_and_matches_comes_before_what_does_not():
    assert order_of(6.0, 0.9, 0.8, 0.5) > order_of(-6.0, 0.9, 0.8, 0.5)
    assert order_of(6.0, 0.9, 0.8, 0.5) > order_of(6.0, 0.2, 0.1, 0.1)


def test_an_answer_is_no_surer_than_the_share_of_it_that_stands_in_the_book():
    confidence = judged(0.97)
    most = scaled_to_support(confidence, 0.8)
    assert most.score == pytest.approx(0.8 * confidence.score, abs=1e-3)
    assert scaled_to_support(confidence, 1.0) == confidence
    assert scaled_to_support(confidence, 0.1).level is Level.LOW


def test_the_metrics_say_how_similar_the_hits_are():
    metrics = judged(0.9, 0.8, 0.7).metrics
    assert (metrics.average_similarity, metrics.min_similarity, metrics.max_similarity) == (0.8, 0.7, 0.9)
    assert metrics.num_chunks == 3
    assert metrics.has_sufficient_context
