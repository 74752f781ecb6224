"""The reader that is shipped with Glossator: local models in 8-bit integers that need no network.

One network reads questions and one checks claims: of this size, one does not hold both.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from glossator.adapters.embedders import weights
from glossator.adapters.embedders.bundled import open_tokenizer
from glossator.adapters.embedders.families import fingerprint, replace_lone_surrogates
from glossator.adapters.embedders.onnx_session import ModelCache, OnnxSession
from glossator.adapters.embedders.weights import Say, Tensors, Weights, open_weights
from glossator.model import Fact, Reading, Span, Support, Window
from glossator.work import available_cores, map_in_threads

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats = NDArray[np.float32]

ANSWERS, CLAIMS = (Path(__file__).with_name(f"{name}.npz") for name in ("answers", "claims"))
"""The trained tensors, written by training/export.py; the frozen ones come from the embedder's wheel."""
GRAPH_VERSION = 2
"""Raised with every change to graph.py that changes the reader's input or output."""

LONGEST_QUESTION, LONGEST_HEADING, LONGEST_BODY = 40, 24, 112
"""The longest inputs in word pieces, as in training/packing.py."""

UNREAD = -20.0
"""The logit of a part of a window that was cut off."""

_LEAST_FACT, _RIVAL, _FACT_RANGE = -0.5, 2.0, 3.0
"""Logits. Below the first nothing is a fact; another piece within the second of the best one is a rival;
pieces beside it within the third belong to it, such as the unit of a number."""
_MARKS = ".,;:!?\"'“”‘’|*`_"
_BRACKETS = {"(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{"}

_CACHED_TEXTS = 4096
"""Headings and sentences whose word pieces are cached: questions about one chapter share many of them."""


class BundledReader:
    """Opened with `BundledReader.open`; may be shared between threads."""

    def __init__(self, answers: OnnxSession, claims: OnnxSession, tokenizer: Tokenizer, threads: int) -> None:
        self._answers = answers
        self._claims = claims
        self._tokenizer = tokenizer
        self._threads = threads
        self._ids = lru_cache(_CACHED_TEXTS)(self._encode)

    @classmethod
    def open(
        cls, cache: Path, *, wheel: Path | None = None, threads: int | None = None, say: Say = lambda _: None
    ) -> BundledReader:
        """Builds the models if `cache` does not hold them; later calls need no network."""
        trained = [file.read_bytes() for file in (ANSWERS, CLAIMS)]
        models = ModelCache(cache / "models")
        pretrained = open_weights(models, wheel, say)

        def build(folder: Path) -> None:
            _build(folder, pretrained, say)

        digests = [hashlib.sha256(content).hexdigest() for content in trained]
        digest = fingerprint(weights.TENSORS_SHA256, *digests, GRAPH_VERSION)
        folder = models.folder(f"reader-{digest[:12]}", build)
        answers, claims = (
            OnnxSession(folder / _model_of(file), pretrained.words) for file in (ANSWERS, CLAIMS)
        )
        return cls(answers, claims, open_tokenizer(pretrained.tokenizer), threads or available_cores())

    def load(self) -> None:
        """Loads the network for questions; the one for claims is loaded with the first claim."""
        self._answers.open_soon().result()

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        """The question mark is not read: not all readers write one, and it tells nothing."""
        results = self._run(self._answers, question.rstrip(" ?"), windows)
        return [
            Reading(
                float(whole[0]),
                tuple(_means(pieces[:, 0], sizes)),
                tuple(_highest(pieces[:, 1], sizes)),
                self._fact(window.texts, pieces[:, 1], sizes),
            )
            for window, (whole, pieces, sizes) in zip(windows, results, strict=True)
        ]

    def _fact(self, texts: Sequence[str], logits: Floats, sizes: Sequence[int]) -> Fact | None:
        """The run of word pieces around the likeliest one, if it is the only run that likely."""
        best = int(logits.argmax()) if len(logits) else -1
        if best < 0 or logits[best] < _LEAST_FACT:
            return None
        part = int(np.searchsorted(np.cumsum(sizes), best, side="right"))
        start, after = sum(sizes[:part]), sum(sizes[: part + 1])
        first = last = best
        while first > start and logits[first - 1] > logits[best] - _FACT_RANGE:
            first -= 1
        while last + 1 < after and logits[last + 1] > logits[best] - _FACT_RANGE:
            last += 1
        if max((*logits[:first], *logits[last + 1 :]), default=UNREAD) > logits[best] - _RIVAL:
            return None
        offsets = self._tokenizer.encode(texts[part], add_special_tokens=False).offsets
        span = whole_words(texts[part], Span(offsets[first - start][0], offsets[last - start][1]))
        return Fact(part, span, float(logits[best]))

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        """This network marks what is wrong in the claim, as the other one marks what answers a question."""
        results = self._run(self._claims, claim, windows, judges_first=True)
        return [Support(*_softmax(whole[1:]).tolist()) for whole, _, _ in results]

    def _run(
        self, session: OnnxSession, question: str, windows: Sequence[Window], *, judges_first: bool = False
    ) -> list[tuple[Floats, Floats, Sequence[int]]]:
        """`judges_first`: whether the pieces of the question are judged, instead of those of the window."""
        question_ids = self._encode(question)[:LONGEST_QUESTION]
        prefix = [weights.CLS_ID, *question_ids, weights.SEP_ID]

        def run_window(window: Window) -> tuple[Floats, Floats, Sequence[int]]:
            heading_ids = self.heading_ids(window, set(question_ids))
            ids, sizes = [*prefix, *heading_ids[:LONGEST_HEADING]], list[int]()
            start = len(ids)
            for text in window.texts:
                text_ids = self._ids(text)[: LONGEST_BODY - (len(ids) - start)]
                sizes.append(len(text_ids))
                ids += text_ids
            is_judged = (np.arange(len(ids) + 1) >= len(prefix)) != judges_first
            whole, pieces = session.run(
                ["whole", "of_pieces"],
                {
                    "pieces": np.array([[*ids, weights.SEP_ID]], np.int32),
                    "told": is_judged.astype(np.float32),
                },
            )
            return whole, pieces[start : len(ids)], sizes

        return map_in_threads(run_window, windows, self._threads)

    def heading_ids(self, window: Window, question_ids: set[int]) -> Sequence[int]:
        """Includes the chapter if it has words of the question that the window has not.

        "What is a ROS 2 node?" is answered by "A node is …" only in a chapter on ROS 2.
        """
        heading_ids, chapter = self._ids(window.heading), window.passage.chunk.chapter
        if not chapter or chapter in window.heading:
            return heading_ids
        window_ids = set(heading_ids).union(*map(self._ids, window.texts))
        if question_ids & set(self._ids(chapter)) <= window_ids:
            return heading_ids
        return self._ids(f"{chapter} > {window.heading}")

    def _encode(self, text: str) -> Sequence[int]:
        return self._tokenizer.encode(replace_lone_surrogates(text), add_special_tokens=False).ids


def _means(logits: Floats, sizes: Sequence[int]) -> list[float]:
    """The mean logit of each part's word pieces; UNREAD for a part that was cut off."""
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


def whole_words(text: str, span: Span) -> Span:
    """The span out to the blanks around it, without the marks of the sentence at its ends."""
    start, end = span
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    while start < end:
        if text[start] in _MARKS or _is_odd(text[start], text[start:end]):
            start += 1
        elif text[end - 1] in _MARKS or _is_odd(text[end - 1], text[start:end]):
            end -= 1
        elif _BRACKETS.get(text[start]) == text[end - 1] and text.count(text[start], start, end) == 1:
            start, end = start + 1, end - 1
        else:
            break
    return Span(start, end)


def _is_odd(bracket: str, text: str) -> bool:
    """Whether it is a bracket whose other half stands elsewhere."""
    other = _BRACKETS.get(bracket)
    return other is not None and text.count(bracket) > text.count(other)


def _softmax(logits: Floats) -> Floats:
    exponentials = np.exp(logits - logits.max())
    return exponentials / exponentials.sum()


def _build(folder: Path, pretrained: Weights, say: Say) -> None:
    say("Building the reader (once)…")
    # Imported here because onnx is slow to import and needed only for building.
    from glossator.adapters.reader.graph import build_reader

    for file in (ANSWERS, CLAIMS):
        tensors = {**pretrained.tensors, **trained_tensors(file.read_bytes())}
        (folder / _model_of(file)).write_bytes(build_reader(tensors))


def _model_of(trained: Path) -> str:
    return f"{trained.stem}.onnx"


def trained_tensors(content: bytes) -> Tensors:
    """Restored to 32-bit floats."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {
            name: _dequantize(arrays[name], arrays.get(f"{name}/scales"))
            for name in arrays.files
            if not name.endswith("/scales")
        }


def _dequantize(values: NDArray[np.int8] | Floats, scales: Floats | None) -> Floats:
    if scales is None:
        return values.astype(np.float32)
    return values.astype(np.float32) * scales[:, None]
