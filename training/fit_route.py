"""Fits what kind a question is: src/glossator/answer/route/learned.json.

    PYTHONPATH=src python training/fit_route.py

Questions about a whole selection stand in `whole_questions.txt`, follow-ups in `questions/`, as do most that are
neither, and `standing_questions.txt` has more of those. First a fifth of them, by books, is left out in turn: what a fit without them says of those is printed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from glossator.answer.route import route
from glossator.answer.route.lean import needs_context
from glossator.answer.route.route import CONSTANT, LEANS, OTHER, LearnedKind, features, probability
from glossator.text.english import ASPECT_WORDS, EMPTY_WORDS, PRONOUNS
from glossator.text.words import stem_words

HERE = Path(__file__).parent
TARGET = Path(route.__file__).with_name("learned.json")
STEPS, RATE, DECAY = 600, 0.5, 0.002
PARTS = 5
AGAIN = 10
"""How often those of `standing_questions.txt` count."""
EQUAL, CAUTIOUS = 0.5, 0.3
"""The share of the kind in the fit. Of 72 follow-ups 49 are answered right when they are read as such, and 37 otherwise;
of 210 questions that stand alone 158 are answered right, and 107 when they are taken for follow-ups. So follow-ups
weigh less."""

Questions = Sequence[tuple[str, str]]
"""Each with the book it is about, or a number: what is left out together."""


def main() -> None:
    rows = [
        json.loads(line)
        for file in sorted((HERE / "questions").glob("*.jsonl"))
        for line in file.read_text().splitlines()
    ]
    particular = list(_of(rows, lambda kind: kind not in ("followup", "summary")))
    followups = [(str(len(book) % PARTS), question) for book, question in _of(rows, "followup".__eq__)]
    whole = [(str(number % PARTS), question) for number, question in enumerate(_lines("whole_questions.txt"))]
    # Readers of these books ask at length; a beginner's questions are short, and stand by themselves all the same.
    # They are written by hand and count several times, so they are in every fit and in no figure.
    standing = [("", question) for question in _lines("standing_questions.txt") * AGAIN]
    fitted = dict[LearnedKind, dict[str, float]]()
    for kind, some, is_word, weight in (
        (LearnedKind.WHOLE, whole, any_word, EQUAL),
        (LearnedKind.FOLLOW_UP, followups, holds_together, CAUTIOUS),
    ):
        _report(kind, some, particular, standing, is_word, weight)
        fitted[kind] = fit(some, [*particular, *standing], is_word, weight)
    TARGET.write_text(json.dumps(fitted, ensure_ascii=False, indent=0) + "\n")


def _lines(name: str) -> list[str]:
    return (HERE / name).read_text().splitlines()


def _of(rows: Sequence[dict[str, str]], is_wanted: Callable[[str], bool]) -> Questions:
    return [(row["book"], row["question"]) for row in rows if is_wanted(row["kind"])]


def _report(
    kind: LearnedKind,
    some: Questions,
    others: Questions,
    standing: Questions,
    is_word: Callable[[str], bool],
    weight: float,
) -> None:
    """Every part is judged by weights that were fitted without it."""
    found, missed, taken = 0, list[str](), list[str]()
    parts = sorted({part for part, _ in some})
    for number, part in enumerate(parts):
        left_out = [example for place, example in enumerate(others) if place % len(parts) == number]
        rest = [example for place, example in enumerate(others) if place % len(parts) != number]
        weights = fit(
            [example for example in some if example[0] != part], [*rest, *standing], is_word, weight
        )
        for _, question in (example for example in some if example[0] == part):
            if probability(question, weights) >= 0.5:
                found += 1
            else:
                missed.append(question)
        taken += [question for _, question in left_out if probability(question, weights) >= 0.5]
    grammar = [sum(needs_context(question) for _, question in group) for group in (some, others)]
    print(f"{kind}: grammar alone finds {grammar[0]}, and takes {grammar[1]}")
    print(f"{kind}: {found} of {len(some)} found, {len(taken)} of {len(others)} others taken for it")
    print("  missed:", *missed[:20], sep="\n    ")
    print("  taken:", *taken[:30], sep="\n    ")


def any_word(name: str) -> bool:
    return True


def holds_together(name: str) -> bool:
    """A subject tells nothing of follow-ups on other books, and of pronouns grammar knows more."""
    return all(part in _LITTLE or part.startswith("<") for part in name.split())


_LITTLE = frozenset(stem_words(sorted((EMPTY_WORDS | ASPECT_WORDS) - PRONOUNS), "english"))


def fit(
    some: Questions, others: Questions, is_word: Callable[[str], bool], weight: float
) -> dict[str, float]:
    """A logistic regression in which all of `some` together have this share of the weight."""
    seen = Counter(name for _, question in some for name in features(question, _EVERYTHING))
    learned = (name for name, count in seen.items() if count > 1 and is_word(name))
    names = list(dict.fromkeys([CONSTANT, OTHER, LEANS, *learned]))
    column = {name: place for place, name in enumerate(names)}
    inputs = np.zeros((len(some) + len(others), len(names)), np.float32)
    for row, (_, question) in enumerate((*some, *others)):
        for name, value in features(question, column).items():
            inputs[row, column[name]] = value
    wanted = np.array([1.0] * len(some) + [0.0] * len(others), np.float32)
    share = np.where(wanted == 1.0, weight / len(some), (1 - weight) / len(others)).astype(np.float32)
    weights = np.zeros(len(names), np.float32)
    for _ in range(STEPS):
        said = 1.0 / (1.0 + np.exp(-inputs @ weights))
        weights -= RATE * (inputs.T @ (share * (said - wanted)) + DECAY * weights)
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


class _Everything:
    def __contains__(self, name: object) -> bool:
        return True


_EVERYTHING = _Everything()


if __name__ == "__main__":
    main()
