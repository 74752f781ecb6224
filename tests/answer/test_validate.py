"""What a question may be, and how one is refused that may not."""

from __future__ import annotations

import pytest

from glossator.answer.validate import validate
from glossator.errors import QuestionEmpty, QuestionError, QuestionTooLong, QuestionUnreadable
from glossator.model import Exchange, Filters, Question, Selection


def test_the_white_space_around_a_question_goes_and_nothing_else():
    for text in ("کیا روبوٹ؟", "👩‍💻 why?", "==========", "a\tb\nc", "`x = [1]`", "e\u0301", "\u200fعربي"):
        assert validate(Question(f" \n{text}\n ")).text == text


@pytest.mark.parametrize("text", ["", "  \n\t", "\u3000"])
def test_an_empty_question_is_refused_with_what_to_do(text: str):
    with pytest.raises(QuestionEmpty, match="type a few words"):
        validate(Question(text))


def test_a_question_may_have_2000_characters_and_no_more():
    assert validate(Question("é" * 2000)).text
    with pytest.raises(QuestionTooLong, match="2000 characters") as refused:
        validate(Question("secret" * 400))
    assert "secret" not in str(refused.value)


def test_a_contract_may_take_longer_questions():
    assert len(validate(Question("x" * 10_000), longest=10_000).text) == 10_000
    with pytest.raises(QuestionTooLong, match="10000 characters"):
        validate(Question("x" * 10_001), longest=10_000)


@pytest.mark.parametrize(
    "text", ["a\x00b", "\ud800", "half \udc00 a pair", "bell\x07", "\x1b[31mred", "\x7f", "a\x85b"]
)
def test_characters_that_no_text_has_are_refused_without_repeating_them(text: str):
    with pytest.raises(QuestionUnreadable, match="type it again without them") as refused:
        validate(Question(text))
    assert str(refused.value).isprintable()


def test_what_comes_with_a_question_is_looked_at_too():
    bad = "a\x00b"
    for question in (
        Question("Why?", selection=Selection(bad)),
        Question("Why?", selection=Selection("words", page_url=bad)),
        Question("Why?", filters=Filters(chapter=(bad,))),
        Question("Why?", history=(Exchange(bad, ""),)),
        Question("Why?", history=(Exchange("", bad),)),
        Question("Why?", summary=bad),
    ):
        with pytest.raises(QuestionUnreadable):
            validate(question)


def test_a_selection_stays_as_it_was_marked_because_citations_count_its_characters():
    selection = Selection("  two\r\nlines ", only=True)
    assert validate(Question("Why?", selection=selection)).selection == selection


def test_a_selection_may_have_10_000_characters_and_no_more():
    assert validate(Question("Why?", selection=Selection("x" * 10_000))).selection
    with pytest.raises(QuestionTooLong, match="selection"):
        validate(Question("Why?", selection=Selection("x" * 10_001)))


def test_a_blank_selection_is_none_unless_it_is_all_there_is():
    assert validate(Question("Why?", selection=Selection(" \n"))).selection is None
    with pytest.raises(QuestionEmpty, match="mark the text"):
        validate(Question("Why?", selection=Selection(" \n", only=True)))


@pytest.mark.parametrize(
    "question",
    [
        Question("Why?", top_k=0),
        Question("Why?", top_k=21),
        Question("Why?", threshold=-0.1),
        Question("Why?", threshold=1.1),
        Question("Why?", threshold=float("nan")),
        Question("Why?", through_chapter=0),
    ],
)
def test_numbers_out_of_range_are_refused(question: Question):
    with pytest.raises(QuestionError, match="must be"):
        validate(question)


def test_numbers_at_their_limits_are_taken():
    question = Question("Why?", top_k=20, threshold=0.0, through_chapter=1)
    assert validate(question) == question
