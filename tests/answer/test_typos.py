"""Misspelt words, mended against the book's own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from glossator.answer.route.typos import mend
from glossator.model import Lexicon
from glossator.text.words import stems

KNOWN = "service services quality publisher subscriber make made topics kubernetes controller node exits"
LEXICON = Lexicon("english", 100, dict.fromkeys(stems(KNOWN, "english"), 5))
WORDS = {"bake", "baker", "what", "which", "color", "edit", *KNOWN.split()}


def count_tokens(words: Sequence[str]) -> list[int]:
    return [1 if word in WORDS else 2 for word in words]


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("What is a sevrice?", "What is a service?"),
        ("What is the qualty of a publsher?", "What is the quality of a publisher?"),
        ("Kuberntes contrller", "Kubernetes controller"),
        ("which toppics", "which topics"),
    ],
)
def test_one_slip_of_a_finger_is_mended(asked: str, meant: str):
    assert mend(asked, LEXICON, count_tokens) == meant


@pytest.mark.parametrize(
    "asked",
    [
        "Who is a baker?",
        "What is a service?",
        "What is sourdough?",
        "Who edits this?",
        "What does `sevrice` do?",
        "What is use_sevrice?",
        "What is rclpy.sevrice?",
        "What is SevRice?",
        "What is a zervice?",
        "nodd",
        "کتاب",
        "",
    ],
)
def test_words_names_and_code_stay(asked: str):
    assert mend(asked, LEXICON, count_tokens) == asked


def test_a_word_that_the_book_has_once_may_be_a_slip_of_its_own():
    once = Lexicon("english", 100, {"servic": 1})
    assert mend("sevrice", once, count_tokens) == "sevrice"
