"""Questions as they are typed in a hurry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from glossator.answer.weigh import asked_for
from glossator.exam.question import ExamQuestion, Kind, by_chance
from glossator.model import Lexicon
from glossator.text.words import stems, word_spans

_LONG = 6
"""Letters of a word that can be guessed with one of them wrong."""
_OF_THE_FRAME = frozenset(["example", "command", "explain", "difference", "compare"])


def typos(questions: Sequence[ExamQuestion], lexicon: Lexicon, most: int) -> list[ExamQuestion]:
    """Each with one mistake in its rarest long word, which makes a word that the book does not have."""
    some = sorted(questions, key=lambda question: by_chance(f"typo {question.text}"))
    made = (_mistyped(question, lexicon, number) for number, question in enumerate(some))
    return [question for question in made if question][:most]


def _mistyped(question: ExamQuestion, lexicon: Lexicon, number: int) -> ExamQuestion | None:
    carrying = asked_for(question.text, lexicon.language)
    spans = [span for span in word_spans(question.text) if span.end - span.start >= _LONG]
    words = {span: question.text[span.start : span.end] for span in spans}
    known = [span for span in spans if _is_own(words[span]) and _stem(words[span], lexicon) in carrying]
    if not known:
        return None
    span = max(known, key=lambda span: lexicon.rarity(_stem(words[span], lexicon)))
    wrong = _wrong(words[span], number)
    if _stem(wrong, lexicon) in lexicon.counts:
        return None
    text = question.text[: span.start] + wrong + question.text[span.end :]
    return replace(question, kind=Kind.TYPO, text=text, note=f"{wrong} for {words[span]}")


def _wrong(word: str, number: int) -> str:
    """By turns two letters exchanged, one lost, one doubled; never the first, which is rarely mistyped."""
    at = len(word) // 2
    match number % 3:
        case 0 if word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case 1:
            return word[:at] + word[at + 1 :]
        case _:
            return word[:at] + word[at] + word[at:]


def _is_own(word: str) -> bool:
    """Whether it is of the book, and not of how questions are put."""
    return word.isalpha() and word.lower() not in _OF_THE_FRAME


def _stem(word: str, lexicon: Lexicon) -> str:
    return stems(word, lexicon.language)[0]
