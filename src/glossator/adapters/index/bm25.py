"""BM25 term weights of passages and questions, for the sparse leg of a search."""

from __future__ import annotations

from functools import cache

from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, SparseVector, StopwordsSet, TokenizerType

from glossator.errors import SettingsError
from glossator.text.languages import NO_LANGUAGE, languages
from glossator.text.words import stem_words, stop_words, word_spans

_TERMS_PER_TOKEN = 0.31
"""Terms that BM25 counts in a passage, per token of the model's window; measured on two textbooks."""

_LONGEST_PASSAGE = 1000
"""The length of the longest passage in tokens: a passage is never longer than its chunk."""


class WordWeights:
    """BM25 without the inverse document frequency, which the index computes itself.

    An identifier is indexed whole and in its parts: `ros2_control` matches `ros2 control`
    and `control`, and matches its own name best.
    """

    def __init__(self, language: str = "english", average_length: float = 80.0) -> None:
        self.language = language
        self._stems_itself = language in languages() and not _has_stemmer(language)
        self._bm25 = _bm25(NO_LANGUAGE if self._stems_itself else language, average_length)

    @classmethod
    def for_window(cls, language: str, window: int) -> WordWeights:
        """Expects passages that are cut to a model's window, in tokens."""
        return cls(language, average_length=_TERMS_PER_TOKEN * min(window, _LONGEST_PASSAGE))

    def of_passage(self, reading: str) -> SparseVector:
        return self._bm25.embed_document(self._stemmed(reading))

    def of_question(self, text: str) -> SparseVector:
        return self._bm25.embed_query(self._stemmed(text))

    def _stemmed(self, text: str) -> str:
        """The text with stems in place of its words, for languages that the engine has no stemmer for."""
        return stemmed_text(text, self.language) if self._stems_itself else text


def stemmed_text(text: str, language: str) -> str:
    lowered = text.lower()
    spans = word_spans(lowered)
    stems = stem_words([lowered[span.start : span.end] for span in spans], language)
    parts, position = list[str](), 0
    for span, stem in zip(spans, stems, strict=True):
        parts += (lowered[position : span.start], "" if stem in stop_words(language) else stem)
        position = span.end
    return "".join([*parts, lowered[position:]])


@cache
def _has_stemmer(language: str) -> bool:
    try:
        Bm25(_config(language, 1.0))
    except ValueError:
        return False
    return True


def _bm25(language: str, average_length: float) -> Bm25:
    try:
        return Bm25(_config(language, average_length))
    except ValueError as error:
        raise SettingsError(
            f"There is no stemmer for the language {language!r}: name another, or {NO_LANGUAGE!r}."
        ) from error


def _config(language: str, average_length: float) -> Bm25Config:
    if language != NO_LANGUAGE:
        return Bm25Config(avg_len=average_length, tokenizer=TokenizerType.Code, language=language)
    return Bm25Config(
        avg_len=average_length,
        tokenizer=TokenizerType.Code,
        stemmer=DisabledStemmer(),
        stopwords=StopwordsSet(),
    )
