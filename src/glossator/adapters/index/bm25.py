"""The words of passages and questions, weighed for the sparse leg of a search."""

from __future__ import annotations

from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, SparseVector, StopwordsSet, TokenizerType

from glossator.errors import SettingsError

NO_LANGUAGE = "none"
"""Words as they stand: nothing is stemmed and nothing is left out."""

_WORDS_A_TOKEN = 0.31
"""Words that count in a passage, for each token of the model's window: counted over two textbooks."""

_LONGEST_PASSAGE = 1000
"""A passage is never longer than its chunk, in tokens."""


class WordWeights:
    """BM25 without its rarity part, which the index keeps itself.

    An identifier counts whole and in its parts: `ros2_control` is found by `ros2 control`
    and by `control`, and by its own name first.
    """

    def __init__(self, language: str = "english", average_length: float = 80.0) -> None:
        self.language = language
        self._bm25 = _bm25(language, average_length)

    @classmethod
    def for_window(cls, language: str, window: int) -> WordWeights:
        """For passages cut to a model's window of so many tokens."""
        return cls(language, average_length=_WORDS_A_TOKEN * min(window, _LONGEST_PASSAGE))

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
