"""How sure an answer is."""

from __future__ import annotations

import pytest
from answer_hits import hit

from glossator.answer.judge import OF_A_BOOK, judge, level_of, support
from glossator.answer.retrieve import Retrieved, Signs
from glossator.model import Level, Policy

SURE = Signs(stretch=0.9, whole=0.9, cosine=0.8, coverage=1.0, length=1.8)
UNSURE = Signs(stretch=0.3, whole=0.35, cosine=0.15, coverage=0.0, length=1.8)


def retrieved(*similarities: float, signs: Signs = SURE) -> Retrieved:
    hits = tuple(hit(index, similarity) for index, similarity in enumerate(similarities))
    return Retrieved(hits, {one.chunk.chunk_id: () for one in hits}, signs)


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (0.85, Level.HIGH),
        (0.84, Level.MEDIUM),
        (0.75, Level.MEDIUM),
        (0.6, Level.LOW),
        (0.59, Level.INSUFFICIENT),
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
def test_the_strict_policy_is_a_table(similarities: list[float], level: Level):
    confidence = judge(retrieved(*similarities), Policy.STRICT)
    assert confidence.level is level
    assert confidence.should_answer is (level is not Level.INSUFFICIENT)


def test_one_perfect_section_is_enough_for_the_calibrated_policy():
    confidence = judge(retrieved(0.97))
    assert confidence.level is Level.HIGH
    assert not confidence.metrics.has_sufficient_context


def test_without_a_hit_nothing_is_answered():
    assert judge(retrieved()).score == 0.0


def test_what_matches_nowhere_is_refused():
    assert not judge(retrieved(0.1, signs=UNSURE)).should_answer


@pytest.mark.parametrize("sign", ["stretch", "whole", "cosine", "coverage"])
def test_more_of_any_sign_never_makes_less_sure(sign: str):
    from dataclasses import replace

    assert OF_A_BOOK.probability(replace(UNSURE, **{sign: 1.0})) > OF_A_BOOK.probability(UNSURE)


def test_an_answer_is_no_surer_than_the_share_of_it_that_stands_in_the_book():
    confidence = judge(retrieved(0.97))
    half = support(confidence, 0.5)
    assert half.score == pytest.approx(confidence.score / 2, abs=1e-3)
    assert half.level is Level.LOW
    assert half.should_answer


def test_the_metrics_say_how_similar_the_hits_are():
    metrics = judge(retrieved(0.9, 0.8, 0.7)).metrics
    assert (metrics.average_similarity, metrics.min_similarity, metrics.max_similarity) == (0.8, 0.7, 0.9)
    assert metrics.num_chunks == 3
    assert metrics.has_sufficient_context
