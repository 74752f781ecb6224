"""An answer for contracts with a list of sources of their own: marks, caution, length, score."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.model import (
    Answer,
    Citation,
    Claim,
    Confidence,
    ConfidenceMetrics,
    Grounding,
    Level,
    Outcome,
    Policy,
    Verdict,
)
from glossator.web.contract import LONGEST_TEXT, score_of, text_of

CITATION = Citation(1, "a.md#0", "a.md", "A", "One", "Nodes", "/docs/a#nodes", "words", 0, 5, 0.9)


def _answer(*claims: Claim, **about: object) -> Answer:
    answer = Answer(
        id="1",
        outcome=Outcome.ANSWERED,
        text="".join(claim.text for claim in claims),
        claims=claims,
        citations=(),
        confidence=None,
        grounding=Grounding(True),
        suggestions=(),
        disclaimer=None,
        writer=None,
        model=None,
        index=None,
        timings={},
        trace=(),
    )
    return replace(answer, **about)


def _claim(text: str, *citations: int) -> Claim:
    return Claim(text, Verdict.SUPPORTED, citations)


def test_marks_become_the_places_of_the_sources():
    answer = _answer(
        _claim("One. [1][2]", 1, 2), _claim(" Two. [3]", 3), _claim("\n\n```\ncode\n```\n\n[1]", 1)
    )
    assert text_of(answer, {1: 3, 2: 1, 3: 2}) == "One. [3][1] Two. [2]\n\n```\ncode\n```\n\n[3]"


def test_two_citations_of_one_source_are_one_mark():
    assert text_of(_answer(_claim("One. [1][2]", 1, 2)), {1: 1, 2: 1}) == "One. [1]"


def test_what_is_no_source_has_no_mark():
    answer = _answer(_claim("One. [1]", 1), _claim(" Two. [2]", 2))
    assert text_of(answer, {2: 1}) == "One. Two. [1]"


def test_numbers_in_brackets_of_the_book_itself_stay():
    answer = _answer(_claim("Take `row[1]` and row [2] [1]", 1), _claim(" None has [1]"))
    assert text_of(answer, {1: 4}) == "Take `row[1]` and row [2] [4] None has [1]"


def test_the_marks_of_an_outline_stand_apart():
    assert text_of(_answer(_claim("- Start [1] [2]", 1, 2)), {1: 2, 2: 1}) == "- Start [2][1]"


def test_a_refusal_is_told_as_it_is():
    assert (
        text_of(_answer(text="It is not there [1].", outcome=Outcome.NOT_IN_BOOK), {})
        == "It is not there [1]."
    )


@pytest.mark.parametrize(("length", "is_whole"), [(LONGEST_TEXT, True), (LONGEST_TEXT + 1, False)])
def test_a_text_is_cut_at_ten_thousand_characters(length: int, is_whole: bool):
    told = text_of(_answer(_claim("x" * length)), {})
    assert len(told) == LONGEST_TEXT
    assert told.endswith("x" if is_whole else "x …")


def test_the_caution_is_never_cut_off():
    told = text_of(_answer(_claim("x" * 20_000), disclaimer="Please look twice."), {})
    assert len(told) == LONGEST_TEXT
    assert told.endswith("x …\n\nPlease look twice.")


@pytest.mark.parametrize(
    ("outcome", "score"),
    [(Outcome.ANSWERED, 1.0), (Outcome.SMALL_TALK, 0.0), (Outcome.NOT_IN_BOOK, 0.0)],
)
def test_where_nothing_was_judged_only_the_table_of_contents_is_certain(outcome: Outcome, score: float):
    assert score_of(_answer(outcome=outcome)) == score


@pytest.mark.parametrize(("judged", "score"), [(0.62, 0.62), (1.0000001, 1.0), (-0.1, 0.0)])
def test_a_score_is_within_its_bounds(judged: float, score: float):
    metrics = ConfidenceMetrics(0.9, 0.8, 1.0, 3, 0.2, Level.HIGH, True, True)
    confidence = Confidence(judged, Level.HIGH, True, Policy.CALIBRATED, metrics)
    assert score_of(_answer(confidence=confidence)) == score
