"""Figures of what a product found, by the same rule for all: what its five results show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from peers.corpora import Corpus, Question

K = 5
ANSWERED = 0.85
"""The share of answerable questions that a threshold must let through, where refusals are counted."""
_SHINGLE = 4
"""Words in a row that are looked for."""

Found = dict[str, Any]


def scored(corpus: Corpus, found: Sequence[Sequence[Found]]) -> dict[str, dict[str, float]]:
    """Of each set of questions."""
    if not corpus.has_gold:
        return {}
    results, figures = iter(found), {}
    for name, questions in corpus.sets.items():
        pairs = [(question, next(results)) for question in questions]
        figures[name] = retrieval(pairs) | refusal(pairs)
    return figures


def retrieval(pairs: Sequence[tuple[Question, Sequence[Found]]]) -> dict[str, float]:
    asked = [pair for pair in pairs if pair[0].answerable]
    figures = {
        "questions": len(asked),
        "hit@1": share([page_hit(question, found[:1]) for question, found in asked]),
        "hit@5": share([page_hit(question, found[:K]) for question, found in asked]),
    }
    if any(question.quotes for question, _ in asked):
        figures["quote@5"] = share([quote_hit(question, found[:K]) for question, found in asked])
    return figures


def page_hit(question: Question, found: Sequence[Found]) -> bool:
    return any(question.is_gold(passage["page"]) for passage in found)


def quote_hit(question: Question, found: Sequence[Found]) -> bool:
    texts = [words(passage["text"]) for passage in found if question.is_gold(passage["page"])]
    return any(overlap(words(quote), text) for quote in question.quotes for text in texts)


def overlap(quote: list[str], text: list[str]) -> bool:
    """Whether at least half of the quote stands in the text; markup and line breaks do not count."""
    size = min(_SHINGLE, len(quote))
    wanted, present = shingles(quote, size), shingles(text, size)
    return bool(wanted) and len(wanted & present) >= len(wanted) / 2


def shingles(text: list[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(text[start : start + size]) for start in range(len(text) - size + 1)} if size else set()


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def refusal(pairs: Sequence[tuple[Question, Sequence[Found]]]) -> dict[str, float]:
    """How well the score of the first result tells questions apart that the book does not answer."""
    scores = [(question.answerable, found[0]["score"] if found else 0.0) for question, found in pairs]
    yes, no = ([score for answerable, score in scores if answerable is wanted] for wanted in (True, False))
    if not yes or not no:
        return {}
    threshold = sorted(yes, reverse=True)[max(int(ANSWERED * len(yes)) - 1, 0)]
    return {
        "not answerable": len(no),
        "auroc": round(sum((a > b) + (a == b) / 2 for a in yes for b in no) / len(yes) / len(no), 3),
        "refused at 85 % answered": share([score < threshold for score in no]),
    }


def share(items: Sequence[bool]) -> float:
    return round(sum(items) / len(items), 3) if items else 0.0
