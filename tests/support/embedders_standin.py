"""A stand-in for `fastembed.TextEmbedding`, which is not installed everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from support.embedders_service import vector_of

DIMENSION = 16


class StandIn:
    """Makes a vector of each text, of any length but one, as some of the real models do."""

    def __init__(self, name: str = "stand-in") -> None:
        self.model_name = name
        self.embedding_size = DIMENSION
        self.read: list[str] = []

    def query_embed(self, query: str) -> Iterator[NDArray[np.float32]]:
        yield from self.passage_embed([query], batch_size=1)

    def passage_embed(self, texts: Iterable[str], *, batch_size: int) -> Iterator[NDArray[np.float32]]:
        for text in texts:
            self.read.append(text)
            yield np.array(vector_of(text, DIMENSION), np.float32) * 3


def tokenizer() -> Tokenizer:
    """Every word is one piece, and unknown; a text is cut after twenty."""
    made = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]", max_input_chars_per_word=0))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.enable_truncation(20)
    made.enable_padding()
    return made
