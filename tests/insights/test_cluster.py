"""Groups of what is alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.insights.similarity import Matrix, cluster, mean_cosine, question_similarity
from glossator.model import Lexicon

BOOK = Lexicon("english", passages=100, counts={"robot": 90, "node": 20})


def _alike(seed: int, count: int) -> Matrix:
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors @ vectors.T).astype(np.float32)


def _slowly(alike: Matrix, least: float) -> list[list[int]]:
    """The two nearest groups of all, again and again."""
    groups = [[row] for row in range(len(alike))]

    def nearness(one: int, other: int) -> float:
        return float(np.mean([alike[a, b] for a in groups[one] for b in groups[other]]))

    while len(groups) > 1:
        pairs = [(nearness(one, other), one, other) for other in range(len(groups)) for one in range(other)]
        best, one, other = max(pairs)
        if best < least:
            break
        groups[one] = sorted(groups[one] + groups.pop(other))
    return sorted(groups)


@given(st.integers(0, 10_000), st.integers(1, 14), st.sampled_from([-0.3, 0.1, 0.4, 0.7, 0.95]))
def test_the_groups_are_those_of_the_slow_way(seed: int, count: int, least: float):
    alike = _alike(seed, count)
    assert cluster(alike, least) == _slowly(alike, least)


def test_every_row_is_in_one_group():
    groups = cluster(_alike(7, 200), 0.6)
    assert sorted(row for group in groups for row in group) == list(range(200))
    assert groups == sorted(groups)


def test_of_nothing_there_are_no_groups():
    assert cluster(np.zeros((0, 0), np.float32), 0.5) == []
    assert cluster(np.ones((1, 1), np.float32), 0.5) == [[0]]


def test_equal_rows_come_together():
    assert cluster(np.ones((5, 5), np.float32), 1.0) == [[0, 1, 2, 3, 4]]


def test_what_is_asked_of_is_not_changed():
    alike = _alike(3, 20)
    before = alike.copy()
    cluster(alike, 0.5)
    assert np.array_equal(alike, before)


def test_a_rare_word_that_is_shared_counts_more_than_one_that_the_book_has_everywhere():
    questions = ["WebRTC robot", "WebRTC node", "robot arm", "arm node"]
    apart = np.eye(4, dtype=np.float32)
    alike = question_similarity(questions, apart, 0.0, BOOK)
    assert alike[0, 1] > alike[0, 2]
    assert alike[0, 3] == 0.0


@pytest.mark.parametrize("shift", [0.0, 1.0, 3.0])
def test_a_model_to_which_everything_is_rather_alike_finds_the_same(shift: float):
    vectors = np.random.default_rng(1).normal(size=(40, 24))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    shifted = np.hstack([vectors, np.full((40, 1), shift)])
    shifted = (shifted / np.linalg.norm(shifted, axis=1, keepdims=True)).astype(np.float32)
    usual = mean_cosine(shifted[:20])
    plain = mean_cosine(vectors[:20].astype(np.float32))
    questions = [f"w{n}" for n in range(20)]
    found = question_similarity(questions, shifted[20:], usual, BOOK)
    expected = question_similarity(questions, vectors[20:].astype(np.float32), plain, BOOK)
    assert np.allclose(found, expected, atol=1e-3)


def test_a_model_to_which_everything_is_the_same_is_no_failure():
    same = np.ones((3, 1), np.float32)
    assert np.isfinite(question_similarity(["one", "two", "?"], same, mean_cosine(same), BOOK)).all()


def test_of_one_question_there_is_no_usual_cosine():
    assert mean_cosine(np.ones((1, 4), np.float32)) == 0.0
    assert mean_cosine(np.ones((0, 4), np.float32)) == 0.0
