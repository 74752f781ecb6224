"""Refuses questions that cannot be processed; valid ones stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from glossator.errors import QuestionEmpty, QuestionError, QuestionTooLong, QuestionUnreadable
from glossator.model import Question, Selection

LONGEST_QUESTION = 2000
LONGEST_SELECTION = 10_000
MOST_HITS = 20

# Lone surrogates and control characters, except new lines and tabs.
_UNREADABLE = re.compile(r"[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def validate(question: Question, *, longest: int = LONGEST_QUESTION) -> Question:
    """The question without surrounding white space. Error messages never repeat its text."""
    checked = replace(question, text=question.text.strip(), selection=_selection(question.selection))
    if not checked.text:
        raise QuestionEmpty
    if len(checked.text) > longest:
        raise QuestionTooLong(f"The question is too long: shorten it to {longest} characters.")
    if any(_UNREADABLE.search(text) for text in _texts(checked)):
        raise QuestionUnreadable(
            "The question contains characters that are not text, such as control characters: "
            "type it again without them."
        )
    _check_ranges(checked)
    return checked


def _selection(selection: Selection | None) -> Selection | None:
    """Unchanged, because citations count its characters; None if it is empty."""
    if selection is None or (not selection.text.strip() and not selection.only):
        return None
    if not selection.text.strip():
        raise QuestionEmpty("There is no selection: mark the text that you ask about.")
    if len(selection.text) > LONGEST_SELECTION:
        raise QuestionTooLong(f"The selection is too long: mark at most {LONGEST_SELECTION} characters.")
    return selection


def _texts(question: Question) -> Iterator[str]:
    yield question.text
    yield question.summary
    if question.selection:
        yield question.selection.text
        yield question.selection.page_url or ""
    for exchange in question.history:
        yield exchange.question
        yield exchange.answer
    for _name, values in list(question.filters.items()):
        yield from values


def _check_ranges(question: Question) -> None:
    if not 1 <= question.top_k <= MOST_HITS:
        raise QuestionError(f"The number of hits must be from 1 to {MOST_HITS}.")
    # Written so that NaN fails too.
    if question.threshold is not None and not 0.0 <= question.threshold <= 1.0:
        raise QuestionError("The threshold must be from 0 to 1.")
    if question.through_chapter is not None and question.through_chapter < 1:
        raise QuestionError("The last chapter to look at must be 1 or a later one.")
