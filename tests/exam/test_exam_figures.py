"""The figures, on replies whose figures are known."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.errors import SettingsError
from glossator.exam.measure import auroc, calibration_error, measure, metric_names, refusal_curve, reliability
from glossator.exam.question import CitedPlace, ExamKind, ExamQuestion, ExamReply
from glossator.exam.report import MetricGoal, missed_goals
from glossator.exam.twins import Change, CheckedTwin
from glossator.model import Outcome, Verdict
from glossator.question_generation import SectionPlace

HERE = SectionPlace("here.md", "Here", "/here", 0, 100)
HERE_ASKED = ExamQuestion(ExamKind.HEADING, "Where?", is_answerable=True, places=(HERE,), facts=("here",))


def cited(page: str) -> CitedPlace:
    return CitedPlace(page, page, f"/{page}", "", on_page=page == "here.md", in_section=page == "here.md")


def answered(
    *pages: str, rank: int | None = 1, confidence: float = 0.9, has_fact: bool | None = None
) -> ExamReply:
    citations = tuple(cited(page) for page in pages)
    return ExamReply(
        HERE_ASKED, Outcome.ANSWERED, confidence, "Here.", citations, rank, rank, None, has_fact, 10.0
    )


def twin(verdict: Verdict, lie_verdict: Verdict) -> CheckedTwin:
    return CheckedTwin("a.md", "A", "Two.", "Three.", Change.NUMBER, "three for two", verdict, lie_verdict)


def unanswerable(
    outcome: Outcome, confidence: float, kind: ExamKind = ExamKind.NEAR, told: bool = False
) -> ExamReply:
    question = ExamQuestion(kind, "Where?", is_answerable=False, elsewhere=(HERE,) if told else ())
    return ExamReply(question, outcome, confidence, "No.", (), None, None, None, None, 30.0)


def test_recall_and_mean_reciprocal_rank():
    figures = measure([answered("here.md", rank=rank) for rank in (1, 2, 4, None)], ())
    assert [figures[f"page_recall@{depth}"] for depth in (1, 3, 5)] == [0.25, 0.5, 0.75]
    assert figures["page_mrr"] == pytest.approx((1 + 1 / 2 + 1 / 4) / 4, abs=1e-4)


def test_citations_are_counted_one_by_one_and_by_answer():
    figures = measure([answered("here.md", "there.md", "there.md"), answered("there.md")], ())
    assert figures["citation_precision"] == 0.25
    assert figures["cites_page"] == 0.5


def test_an_answer_is_right_when_it_says_what_carries_it_and_not_when_it_only_cites_the_page():
    replies = [
        answered("here.md", has_fact=True),
        answered("here.md", has_fact=False),
        answered("there.md", has_fact=True),
        answered("here.md"),
    ]
    assert [reply.is_right for reply in replies] == [True, False, False, True]
    long = replace(HERE_ASKED, kind=ExamKind.DEFINITION, facts=("A lamp is a light on a wall by the sea.",))
    assert replace(replies[2], question=long).is_right
    figures = measure(replies, ())
    assert (figures["right_heading"], figures["has_fact"]) == (0.5, pytest.approx(2 / 3, abs=1e-4))


def test_twins_are_measured_by_what_would_be_shown():
    figures = measure(
        (), [twin(Verdict.SUPPORTED, Verdict.UNSUPPORTED), twin(Verdict.UNSUPPORTED, Verdict.PARTLY)]
    )
    assert (figures["faithful_shown"], figures["lies_caught"]) == (0.5, 0.5)


def test_refusals_are_counted_by_kind_and_not_where_another_section_tells():
    figures = measure(
        [
            unanswerable(Outcome.NOT_IN_BOOK, 0.1),
            unanswerable(Outcome.ANSWERED, 0.8),
            unanswerable(Outcome.NEEDS_MORE_WORDS, 0.1, ExamKind.FOREIGN),
            unanswerable(Outcome.ANSWERED, 0.9, ExamKind.LEFT_OUT, told=True),
        ],
        (),
    )
    assert (figures["right_near"], figures["right_foreign"]) == (0.5, 1.0)
    assert figures["right_left_out"] is None
    assert figures["refused"] == pytest.approx(2 / 3, abs=1e-4)


def test_confidence_is_compared_with_whether_the_evidence_carried_the_answer():
    figures = measure(
        [
            answered("here.md", confidence=0.95),
            answered("there.md", confidence=0.95),
            unanswerable(Outcome.NOT_IN_BOOK, 0.05),
        ],
        (),
    )
    assert figures["calibration_error"] == pytest.approx((2 * 0.45 + 0.05) / 3, abs=1e-4)
    assert figures["auroc"] == 1.0
    assert figures["latency_ms"] == 10.0


def test_a_score_that_keeps_its_word_has_no_error_and_one_that_lies_has_all_of_it():
    honest = [(0.25, number < 1) for number in range(4)] + [(0.75, number < 3) for number in range(4)]
    assert calibration_error(reliability(honest)) == 0.0
    assert calibration_error(reliability([(1.0, False), (0.0, True)])) == 1.0
    assert calibration_error(reliability([])) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
def test_what_separates_upside_down_separates_as_much_less(scored: list[tuple[float, bool]]):
    value, turned = auroc(scored), auroc([(score, not right) for score, right in scored])
    if value is None or turned is None:
        assert len({right for _, right in scored}) < 2
    else:
        assert value + turned == pytest.approx(1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_a_higher_threshold_answers_less_and_refuses_more(scored: list[tuple[float, bool]]):
    curve = refusal_curve(scored)
    for lower, higher in pairwise(curve):
        assert lower.answered >= higher.answered
        assert lower.refused <= higher.refused


def test_goals_say_what_was_missed_and_by_how_much():
    figures = measure([answered("here.md", rank=2, confidence=0.5)], ())
    goals = [
        MetricGoal.of("page_recall@1=0.5"),
        MetricGoal.of("page_recall@5=0.9"),
        MetricGoal.of("right_near=0.9"),
    ]
    assert list(
        missed_goals(
            [*goals, MetricGoal.of("calibration_error=0.1"), MetricGoal.of("latency_ms=50")], figures
        )
    ) == [
        "page_recall@1 is 0, less than 0.5.",
        "right_near was not measured: the book gave no question for it.",
        "calibration_error is 0.5, more than 0.1.",
    ]


def test_an_unknown_metric_is_refused_with_the_known_ones():
    with pytest.raises(SettingsError) as raised:
        MetricGoal.of("recall=0.9")
    assert all(name in str(raised.value) for name in metric_names())


@pytest.mark.parametrize("pair", ["auroc", "auroc=", "auroc=high"])
def test_a_goal_without_a_number_is_refused(pair: str):
    with pytest.raises(SettingsError, match=r"auroc=0\.9"):
        MetricGoal.of(pair)
