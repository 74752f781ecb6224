"""The words of questions that the book does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from glossator.answer.route.grammar import FUNCTION_WORDS, LEANING_WORDS
from glossator.answer.weigh import asked_for
from glossator.model import Lexicon
from glossator.text.words import stemmed, words

_MOST = 10
_SAYS_NOTHING = FUNCTION_WORDS | LEANING_WORDS


def missing_words(questions: Iterable[str], lexicon: Lexicon) -> list[str]:
    """The most frequent first, each in the spelling that most questions have."""
    spellings = dict[str, Counter[str]]()
    for question in questions:
        for stem, word in dict(_missing(question, lexicon)).items():
            spellings.setdefault(stem, Counter())[word] += 1
    frequent = sorted(spellings.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    return [_usual(some) for _, some in frequent[:_MOST]]


def _missing(question: str, lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    # With one kind of apostrophe, the only one that stemmers know: `robot's` is a form of `robot`.
    question = question.replace("’", "'")
    asked = set(asked_for(question, lexicon.language))
    said = words(question)
    for word, stem in zip(said, stemmed([word.lower() for word in said], lexicon.language), strict=True):
        if stem in asked and stem not in lexicon.counts and _says_something(word):
            yield stem, word.removesuffix("'s")


def _says_something(word: str) -> bool:
    small = word.lower()
    before, _, _ = small.partition("'")
    is_word = len(word) > 1 and not word.isdigit()
    return is_word and small not in _SAYS_NOTHING and before not in _SAYS_NOTHING


def _usual(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda word: (-spellings[word], word))
