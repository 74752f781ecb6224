"""A whole exam of a small book, with the real model, engine and writer."""

from __future__ import annotations

import asyncio
import json
import re
from html.parser import HTMLParser

import pytest

from glossator.answer.pipeline import AnswerPipeline
from glossator.cli import show
from glossator.exam.author_questions import AuthorQuestions
from glossator.exam.fit import measure_fit
from glossator.exam.html import exam_page, fit_page
from glossator.exam.question import ExamKind, ExamQuestion, of_kind
from glossator.exam.question_set import ExamSizes, build_question_set
from glossator.exam.report import ExamReport
from glossator.exam.run import examine
from glossator.exam.summary import fit_summary, summary
from glossator.exam.twins import Change, Twin, check
from glossator.model import Verdict
from glossator.question_generation import sections_of
from glossator.testing import SilentProgress
from glossator.text.words import stems
from support.harbour_book import PAGES

OWN = """
- question: How many nights does a tin of oil last?
  page: lamps.md
  section: Lamp oil
  answer: eleven nights
- question: "Does <script>alert('oil')</script> burn?"
  answerable: false
"""


class CountingProgress(SilentProgress):
    def __init__(self) -> None:
        self.total = self.done = 0

    def start(self, what: str, total: int) -> None:
        self.total += total

    def advance(self, done: int) -> None:
        self.done += done


@pytest.fixture(scope="module")
def own(assistant: AnswerPipeline) -> list[ExamQuestion]:
    index = assistant.index
    return AuthorQuestions("own.yaml", index.manifest(), list(sections_of(index.chunks()))).read(OWN)


@pytest.fixture(scope="module")
def report(assistant: AnswerPipeline, own: list[ExamQuestion]) -> ExamReport:
    progress = CountingProgress()
    made = asyncio.run(examine(assistant, progress, own, ExamSizes.all_of(20)))
    assert progress.done == progress.total == len(made.replies) + len(made.twins)
    return made


def test_the_right_page_is_found_and_cited(report: ExamReport):
    assert (report.metrics["page_recall@5"] or 0) >= 0.9
    assert (report.metrics["cites_page"] or 0) >= 0.8


def test_a_definition_is_right_when_its_words_are_in_the_answer(report: ExamReport):
    defined = of_kind(report.replies, ExamKind.DEFINITION)
    assert defined
    assert all(reply.question.facts for reply in defined)
    (caulking,) = [reply for reply in defined if reply.question.text == "What is caulking?"]
    assert caulking.is_right
    assert "tarred oakum" in caulking.text


def test_every_kind_of_question_is_asked(report: ExamReport):
    kinds = {reply.question.kind for reply in report.replies}
    assert kinds == set(ExamKind)


def test_a_typo_asks_the_same_with_a_word_that_the_book_does_not_have(
    assistant: AnswerPipeline, report: ExamReport
):
    lexicon = assistant.index.manifest().lexicon
    asked = {reply.question.text: reply.question for reply in report.replies if reply.question.is_answerable}
    for reply in of_kind(report.replies, ExamKind.TYPO):
        wrong, _, meant = reply.question.note.partition(" for ")
        assert stems(wrong, "english")[0] not in lexicon.counts
        original = asked[reply.question.text.replace(wrong, meant)]
        assert (original.places, original.facts) == (reply.question.places, reply.question.facts)


def test_a_follow_up_is_asked_after_the_question_it_leans_on(report: ExamReport):
    (about_barge,) = [reply for reply in report.replies if reply.question.text == "What about the barge?"][:1]
    assert about_barge.question.after.startswith("What is the ")
    assert about_barge.page_rank == 1


def test_twins_differ_in_nothing_but_what_was_swapped(report: ExamReport):
    assert report.twins
    for twin in report.twins:
        other, _, own = twin.swap.partition(" for ")
        assert twin.lie.lower() == twin.faithful.lower().replace(own.lower(), other.lower(), 1)
    assert sum(change.checked for change in report.twin_changes) == len(report.twins)


def test_a_twin_is_checked_against_the_chunk_it_is_from(assistant: AnswerPipeline):
    (chunk,) = [chunk for chunk in assistant.index.chunks() if chunk.page == "dues.md"]
    said = "A dues book has 300 leaves and lasts about nine years."
    checked = check(
        Twin(chunk, said, said.replace("300", "700"), Change.NUMBER, swap="700 for 300"), assistant
    )
    assert (checked.verdict, checked.lie_verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
    assert checked.is_shown
    assert not checked.is_believed


def test_questions_from_elsewhere_are_refused(report: ExamReport):
    assert len(of_kind(report.replies, ExamKind.FOREIGN)) == 20
    assert (report.metrics["right_foreign"] or 0) >= 0.9


def test_near_misses_ask_of_things_that_the_book_has_no_word_for(
    assistant: AnswerPipeline, report: ExamReport
):
    lexicon = assistant.index.manifest().lexicon
    near = of_kind(report.replies, ExamKind.NEAR)
    assert near
    for reply in near:
        term, _, _ = reply.question.note.partition(" for ")
        assert stems(term, "english")[0] not in lexicon.counts, reply.question


def test_a_section_left_out_is_never_cited_nor_suggested(report: ExamReport):
    left_out = of_kind(report.replies, ExamKind.LEFT_OUT)
    assert left_out
    for reply in left_out:
        hidden = {chunk_id.partition("#")[0] for chunk_id in reply.question.without}
        assert reply.question.places[0].page in hidden
        assert not [citation for citation in reply.citations if citation.page in hidden]
        assert reply.nearest is None or reply.nearest.page not in hidden


def test_what_another_section_tells_too_is_counted_apart(assistant: AnswerPipeline):
    """The tally board is explained beside the gates, and named as such in the page about fog."""
    paper = build_question_set(assistant.index, assistant.embedder, (), ExamSizes.all_of(50))
    told = {
        question.text: question.elsewhere
        for question in paper.questions
        if question.kind is ExamKind.LEFT_OUT
    }
    assert [place.page for place in told["What is a tally board?"]] == ["fog.md"]
    assert told["What is caulking?"] == ()


def test_the_same_book_gets_the_same_questions(assistant: AnswerPipeline):
    first, second = (
        build_question_set(assistant.index, assistant.embedder, (), ExamSizes.all_of(8)) for _ in range(2)
    )
    assert first.questions == second.questions
    assert (
        max(len([question for question in first.questions if question.kind is kind]) for kind in ExamKind)
        <= 8 + 2
    )


def test_the_authors_own_questions_are_marked_by_their_words(report: ExamReport):
    oil, script = of_kind(report.replies, ExamKind.AUTHOR)
    assert oil.is_answered
    assert oil.has_fact
    assert oil.cites_section
    assert not script.is_answered
    assert report.metrics["right_author"] == 1.0


def test_the_report_for_machines_has_every_figure_and_every_reply(report: ExamReport):
    read = json.loads(show.json(report))
    assert read["metrics"] == dict(report.metrics)
    assert len(read["replies"]) == len(report.replies)
    assert read["replies"][0]["question"]["places"][0]["page"] in PAGES


def test_the_report_for_people_fits_a_terminal(report: ExamReport):
    shown = summary(report)
    assert "from headings" in shown
    assert max(map(len, shown.splitlines())) <= 80


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen = list[tuple[str, dict[str, str | None]]]()
        self.open = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "line", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_asks_nothing_of_anybody_and_runs_nothing(report: ExamReport):
    page = exam_page(report)
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert not {tag for tag, _ in tags.seen} & {"script", "link", "img", "iframe", "object", "base"}
    loads = [name for _, attributes in tags.seen for name in attributes if name in ("src", "srcset", "style")]
    assert set(loads) <= {"style"}
    assert not re.search(r"@import|url\(", page)
    assert page.count("<svg") == 3


def test_a_question_is_shown_as_text_whatever_is_in_it(report: ExamReport):
    replies = [reply for reply in report.replies if "<script>" in reply.question.text]
    assert replies
    assert "<script" not in exam_page(report)


def test_the_fit_shows_what_bears_above_what_does_not(assistant: AnswerPipeline):
    fit = measure_fit(assistant.embedder, assistant.reader, assistant.index, SilentProgress())
    assert 0 < fit.bearing < fit.passages
    assert sum(bucket.count for bucket in fit.bins) == fit.passages
    assert (fit.auroc or 0) > 0.9
    assert "calibration error" in fit_summary(fit)
    assert max(map(len, fit_summary(fit).splitlines())) <= 80
    assert fit_page(fit).count("<svg") == 1
