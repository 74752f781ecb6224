"""Corrects typos with the book's own words, and recognises questions in another language."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from string import ascii_lowercase

from glossator.model import Lexicon, Span
from glossator.text.spans import Spans, code_spans
from glossator.text.words import stem_words, stop_words, word_spans, words

_SHORTEST = 5
"""Letters; shorter words have too many similar words."""
_LEAST_PASSAGES = 2
"""Passages that must have the book's word, because a rarer one may be a misprint."""

_MOST_CORRECTIONS = 3
"""Corrections that are tried for one word."""

CountTokens = Callable[[Sequence[str]], Sequence[int]]
Nearness = Callable[[str], float]
"""The highest cosine of a question with a passage of the book."""


def correct_typos(question: str, lexicon: Lexicon, count_tokens: CountTokens, nearness: Nearness) -> str:
    """Replaces unknown words by words of the book that differ in one letter.

    A word that is one piece for the embedder is a word of the language and stays: `bake` is not `make`. Of
    several corrections, and the word itself, the one is taken that brings the question nearest to the book.
    """
    corrected, shift = question, 0
    for span in _unknown_words(question, lexicon, count_tokens):
        word = question[span.start : span.end]
        before, after = corrected[: span.start + shift], corrected[span.end + shift :]
        candidates = [
            _with_case_of(candidate, word) for candidate in _corrections(word.lower(), lexicon, count_tokens)
        ]
        if candidates:
            best = max([word, *candidates], key=lambda candidate: nearness(f"{before}{candidate}{after}"))
            corrected = f"{before}{best}{after}"
            shift += len(best) - len(word)
    return corrected


def is_other_spelling(question: str, corrected: str) -> bool:
    """Whether they differ as British and American do: the search needs the book's, the reader no note."""
    return _without_spelling(question) == _without_spelling(corrected)


def _without_spelling(text: str) -> str:
    return text.lower().replace("z", "s").replace("our", "or")


def _with_case_of(candidate: str, original: str) -> str:
    return candidate.capitalize() if original[0].isupper() else candidate


def _unknown_words(question: str, lexicon: Lexicon, count_tokens: CountTokens) -> list[Span]:
    code = Spans(code_spans(question))
    spans = [
        span for span in word_spans(question) if not code.touch(span) and _is_ordinary_word(question, span)
    ]
    words = [question[span.start : span.end].lower() for span in spans]
    unknown = [
        (span, word, stem)
        for span, word, stem in zip(spans, words, stem_words(words, lexicon.language), strict=True)
        if stem not in lexicon.counts
    ]
    if not unknown:
        return []
    # `edits` is two pieces and its stem is one, so an inflected word counts by the smaller number.
    pieces = [
        min(counts)
        for counts in zip(
            count_tokens([word for _, word, _ in unknown]),
            count_tokens([stem for *_, stem in unknown]),
            strict=True,
        )
    ]
    return [span for (span, *_), count in zip(unknown, pieces, strict=True) if count > 1]


def _is_ordinary_word(question: str, span: Span) -> bool:
    """Whether it is an ordinary word, not part of a name such as `use_sim_time` or `rclpy.spin`."""
    word = question[span.start : span.end]
    neighbours = question[max(span.start - 1, 0) : span.start] + question[span.end : span.end + 1]
    is_name = any(mark in neighbours for mark in "_./-:@#$") and not question[span.end :].startswith(
        (". ", ": ")
    )
    is_last = span.end + 1 >= len(question)
    is_word = len(word) >= _SHORTEST and word.isascii() and word.isalpha() and word[1:].islower()
    return is_word and (not is_name or (is_last and question[span.start - 1 : span.start] in ("", " ")))


def _corrections(word: str, lexicon: Lexicon, count_tokens: CountTokens) -> list[str]:
    """The most frequent first; only words with the same first letter, which people rarely mistype.

    The lexicon has only stems, which several candidates may share. The candidate with the fewest pieces is
    most likely a word; if it has no fewer pieces than the typed word, or more than another correction, it is
    no better: "hardere" also has the stem of a word of the book.
    """
    candidates = [
        candidate
        for candidate in dict.fromkeys(_edits(word))
        if candidate[:1] == word[0] and candidate != word
    ]
    by_stem = dict[str, list[str]]()
    for candidate, stem in zip(candidates, stem_words(candidates, lexicon.language), strict=True):
        # "jittery" is made of the book's "jitter", and no mistake.
        if lexicon.counts.get(stem, 0) >= _LEAST_PASSAGES and not word.startswith(stem):
            by_stem.setdefault(stem, []).append(candidate)
    corrections = list[tuple[int, str]]()
    for stem in sorted(by_stem, key=lambda stem: -lexicon.counts[stem])[:_MOST_CORRECTIONS]:
        forms = by_stem[stem]
        word_pieces, *pieces = count_tokens([word, *forms])
        fewest, _, form = min(zip(pieces, (-len(form) for form in forms), forms, strict=True))
        if fewest < word_pieces:
            corrections.append((fewest, form))
    least = min((pieces for pieces, _ in corrections), default=0)
    return [form for pieces, form in corrections if pieces == least]


def _edits(word: str) -> Iterator[str]:
    """All words at an edit distance of one: delete, swap, insert, replace."""
    for position in range(len(word) + 1):
        before, after = word[:position], word[position:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in ascii_lowercase:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]


# Questions in another language than the book's.

_FEWEST_WORDS = 4
"""With fewer words, all may be names."""
_LEAST_KNOWN = 1 / 3


def is_other_language(question: str, lexicon: Lexicon) -> bool:
    """Whether the script is not the book's, or the book knows hardly any of the words."""
    question_words = [word for word in words(question.lower()) if word.isalpha()]
    if not question_words or not lexicon.counts:
        return False
    if _in_other_script(question_words, lexicon) * 2 > len(question_words):
        return True
    stops = stop_words(lexicon.language)
    stems = stem_words(question_words, lexicon.language)
    count = sum(stem in lexicon.counts or stem in stops for stem in stems)
    return len(question_words) >= _FEWEST_WORDS and count < _LEAST_KNOWN * len(question_words)


def _in_other_script(question_words: Sequence[str], lexicon: Lexicon) -> int:
    """How many words no word of the book shares its script with.

    Looks no further than the first word of a script: lexicons are long, and every question is asked this.
    """
    scripts = Counter(map(_script, question_words))
    return sum(
        count
        for script, count in scripts.items()
        if not any(_script(stem) == script for stem in lexicon.counts if stem.isalpha())
    )


def _script(word: str) -> str:
    return unicodedata.name(word[0], "?").split()[0]
