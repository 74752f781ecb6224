"""BM25 term weights of passages and questions, for the sparse leg of a search."""

from __future__ import annotations

from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, SparseVector, StopwordsSet, TokenizerType

from glossator.errors import SettingsError

NO_LANGUAGE = "none"
"""Words are indexed as they are written: no stemming, no stop words."""

_TERMS_PER_TOKEN = 0.31
"""Terms that BM25 counts in a passage, per token of the model's window; measured on two textbooks."""

_LONGEST_PASSAGE = 1000
"""In tokens: a passage is never longer than its chunk."""


class WordWeights:
    """BM25 without the inverse document frequency, which the index computes itself.

    An identifier is indexed whole and in its parts: `ros2_control` matches `ros2 control`
    and `control`, and matches its own name best.
    """

    def __init__(self, language: str = "english", average_length: float = 80.0) -> None:
        self.language = language
        self._bm25 = _bm25(language, average_length)

    @classmethod
    def for_window(cls, language: str, window: int) -> WordWeights:
        """For passages cut to a model's window, in tokens."""
        return cls(language, average_length=_TERMS_PER_TOKEN * min(window, _LONGEST_PASSAGE))

    def of_passage(self, reading: str) -> SparseVector:
        return self._bm25.embed_document(reading)

    def of_question(self, text: str) -> SparseVector:
        return self._bm25.embed_query(text)


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
