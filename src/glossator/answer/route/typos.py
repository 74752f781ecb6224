"""A word that neither the book nor the embedder knows is taken for the book's word beside it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from string import ascii_lowercase

from glossator.answer.weigh import little_words
from glossator.model import Lexicon, Span
from glossator.text.spans import Spans, code_spans
from glossator.text.words import stemmed, word_spans, words

_SHORTEST = 5
"""Letters; shorter words have too many neighbours."""
_LEAST_PASSAGES = 2
"""In which the book's word stands, lest a misprint of the book is taken for a word."""

_MOST_MEANT = 3
"""Words of the book that one misspelt word may stand for."""

CountTokens = Callable[[Sequence[str]], Sequence[int]]
Nearness = Callable[[str], float]
"""How near a question is to what the book says nearest to it."""


def mend(question: str, lexicon: Lexicon, count_tokens: CountTokens, nearness: Nearness) -> str:
    """With the book's words in the place of those that differ from them by one letter.

    A word that is one piece for the embedder is a word of the language, and stays: `bake` is not `make`. Of
    others the one is taken that brings the question nearest to the book, where any does.
    """
    mended, shift = question, 0
    for span in _unknown(question, lexicon, count_tokens):
        word = question[span.start : span.end]
        before, after = mended[: span.start + shift], mended[span.end + shift :]
        meant = [_as_written(one, word) for one in _meant(word.lower(), lexicon, count_tokens)]
        if meant:
            best = max([word, *meant], key=lambda one: nearness(f"{before}{one}{after}"))
            mended = f"{before}{best}{after}"
            shift += len(best) - len(word)
    return mended


def _as_written(meant: str, word: str) -> str:
    return meant.capitalize() if word[0].isupper() else meant


def _unknown(question: str, lexicon: Lexicon, count_tokens: CountTokens) -> list[Span]:
    code = Spans(code_spans(question))
    spans = [span for span in word_spans(question) if not code.touch(span) and _is_plain(question, span)]
    words = [question[span.start : span.end].lower() for span in spans]
    new = [
        (span, word, stem)
        for span, word, stem in zip(spans, words, stemmed(words, lexicon.language), strict=True)
        if stem not in lexicon.counts
    ]
    if not new:
        return []
    # `edits` is two pieces, and its stem one: a word of the language is one however it is inflected.
    pieces = [
        min(counts)
        for counts in zip(
            count_tokens([word for _, word, _ in new]), count_tokens([stem for *_, stem in new]), strict=True
        )
    ]
    return [span for (span, *_), count in zip(new, pieces, strict=True) if count > 1]


def _is_plain(question: str, span: Span) -> bool:
    """Whether it is a word like others, and no part of a name such as `use_sim_time` or `rclpy.spin`."""
    word = question[span.start : span.end]
    beside = question[max(span.start - 1, 0) : span.start] + question[span.end : span.end + 1]
    is_name = any(mark in beside for mark in "_./-:@#$") and not question[span.end :].startswith((". ", ": "))
    is_last = span.end + 1 >= len(question)
    is_word = len(word) >= _SHORTEST and word.isascii() and word.isalpha() and word[1:].islower()
    return is_word and (not is_name or (is_last and question[span.start - 1 : span.start] in ("", " ")))


def _meant(word: str, lexicon: Lexicon, count_tokens: CountTokens) -> list[str]:
    """Those that stand in most passages first; people rarely miss the first letter.

    The book knows its words by their stems, which several neighbours may share. That of the fewest pieces is
    most likely a word; where it has no fewer than what was written, neither is more of one than the other.
    """
    candidates = [one for one in dict.fromkeys(_edits(word)) if one[:1] == word[0] and one != word]
    by_stem = dict[str, list[str]]()
    for one, stem in zip(candidates, stemmed(candidates, lexicon.language), strict=True):
        if lexicon.counts.get(stem, 0) >= _LEAST_PASSAGES:
            by_stem.setdefault(stem, []).append(one)
    meant = list[str]()
    for stem in sorted(by_stem, key=lambda stem: -lexicon.counts[stem])[:_MOST_MEANT]:
        forms = by_stem[stem]
        written, *pieces = count_tokens([word, *forms])
        fewest, _, form = min(zip(pieces, (-len(form) for form in forms), forms, strict=True))
        if fewest < written:
            meant.append(form)
    return meant


def _edits(word: str) -> Iterator[str]:
    """All that one slip of a finger makes of it."""
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in ascii_lowercase:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]


# Whether a question is in another language than the book, by the book's own words.

_FEWEST_WORDS = 4
"""Of fewer, all may be names."""
_LEAST_KNOWN = 1 / 3
_URDU = re.compile("[ٹڈڑںھہےگچپکی]")
"""Letters that Arabic does not have."""


def is_foreign(question: str, lexicon: Lexicon) -> bool:
    """In letters that the book does not use, or in words of which it knows next to none."""
    said = [word for word in words(question.lower()) if word.isalpha()]
    if not said or not lexicon.counts:
        return False
    scripts = {_script(stem) for stem in lexicon.counts if stem.isalpha()}
    if sum(_script(word) not in scripts for word in said) * 2 > len(said):
        return True
    known = lexicon.counts.keys() | little_words(lexicon.language)
    count = sum(stem in known for stem in stemmed(said, lexicon.language))
    return len(said) >= _FEWEST_WORDS and count < _LEAST_KNOWN * len(said)


def is_urdu(question: str) -> bool:
    return bool(_URDU.search(question))


def _script(word: str) -> str:
    return unicodedata.name(word[0], "?").split()[0]
