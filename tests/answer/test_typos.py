"""Misspelt words, mended against the book's own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from glossator.answer.route.typos import correct_typos, is_other_spelling
from glossator.model import Lexicon
from glossator.text.words import stems

KNOWN = "service services quality publisher subscriber make made topics kubernetes controller node exits"
LEXICON = Lexicon("english", 100, dict.fromkeys(stems(KNOWN, "english"), 5))
WORDS = {"bake", "baker", "what", "which", "color", "edit", *KNOWN.split()}


def count_tokens(words: Sequence[str]) -> list[int]:
    return [1 if word in WORDS else 2 for word in words]


def nearness(question: str) -> float:
    """A book that speaks of `services` more than of anything else."""
    known = [stem for stem in stems(question, "english") if stem in LEXICON.counts]
    return len(known) + 0.5 * known.count("servic")


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
    assert correct_typos(asked, LEXICON, count_tokens, nearness) == meant


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
        "Which exitss are there?",
        "nodd",
        "کتاب",
        "",
    ],
)
def test_words_names_and_code_stay(asked: str):
    assert correct_typos(asked, LEXICON, count_tokens, nearness) == asked


def test_a_word_that_the_book_has_once_may_be_a_slip_of_its_own():
    once = Lexicon("english", 100, {"servic": 1})
    assert correct_typos("sevrice", once, count_tokens, nearness) == "sevrice"


def test_of_two_words_the_one_that_the_book_speaks_of_is_meant():
    lexicon = Lexicon("english", 100, {"relat": 9, "releas": 5})
    words = {"relate", "release", "how", "do"}

    def near(question: str) -> float:
        return float("release" in question)

    def count(some: Sequence[str]) -> list[int]:
        return [1 if word in words else 2 for word in some]

    assert correct_typos("How do I cut a relase?", lexicon, count, near) == "How do I cut a release?"


def test_a_word_that_brings_the_question_no_nearer_to_the_book_stays():
    assert correct_typos("sevrice", LEXICON, count_tokens, lambda question: 0.0) == "sevrice"


def test_a_word_of_the_language_is_meant_before_letters_that_share_a_stem_with_one():
    words = {"hardware": 1, "hardere": 2, "hardwre": 3}
    lexicon = Lexicon("english", 100, dict.fromkeys(stems("hardware hardere", "english"), 5))

    def count_pieces(asked: Sequence[str]) -> list[int]:
        return [words.get(word, 3) for word in asked]

    assert correct_typos("Which hardwre?", lexicon, count_pieces, len) == "Which hardware?"


@pytest.mark.parametrize(
    ("asked", "corrected", "is_same"),
    [
        ("memory optimisation?", "memory optimization?", True),
        ("Colour of a node", "Color of a node", True),
        ("What is a sevrice?", "What is a service?", False),
    ],
)
def test_british_spelling_is_no_mistake(asked: str, corrected: str, is_same: bool):
    assert is_other_spelling(asked, corrected) is is_same
