"""Finds the passages for a question and ranks them with the reader model.

The index brings passages by vector and by words; late interaction picks the windows that the reader scores.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from glossator.answer.confidence import is_far, order_of, search_score, similarity_of
from glossator.answer.weigh import weigh
from glossator.answer.windows import windows
from glossator.model import (
    Embedding,
    Filters,
    FoundPassage,
    Hit,
    IndexQuery,
    Lexicon,
    Passage,
    Reading,
    TokenStates,
    Vector,
    Window,
)
from glossator.ports import Embedder, Index, Reader
from glossator.work import available_cores, check_cancelled

DEPTH = 40
"""Passages taken from the index."""
READ = 10
"""Windows scored by the reader."""
_LEAST_READ = 4
_AT_ONCE, _CROWD = 1, 5
"""Questions a core: so many at once are read in full; from the crowd on, only `_LEAST_READ` windows are."""
_UNLIKELY = -20.0
"""The logit of a window that was not read, because the question is too far from the book."""


@dataclass(slots=True)
class SearchLoad:
    """How many questions this process searches for at the same time, or is about to."""

    cores: int = field(default_factory=available_cores)
    searching: int = 0

    @contextmanager
    def one_more(self) -> Generator[None]:
        self.searching += 1
        try:
            yield
        finally:
            self.searching -= 1

    @property
    def most_windows(self) -> int:
        """How many windows may be read for one of them."""
        return windows_to_read(self.searching / self.cores)


def windows_to_read(questions: float) -> int:
    """`READ` for few questions a core at the same time; fewer for more, because reading is what costs most.

    docs/reader.md has what fewer windows cost.
    """
    crowded = (questions - _AT_ONCE) / (_CROWD - _AT_ONCE)
    return READ - round((READ - _LEAST_READ) * min(max(crowded, 0.0), 1.0))


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """A window with its search scores and the reader's scores."""

    window: Window
    found: FoundPassage
    match: float
    """How much of the question its words match, 0 to 1; the cosine if there are no token states."""
    words: float
    """The BM25 score of its passage, divided by the highest one."""
    reading: Reading
    order: float
    """The score it is ranked by."""


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk with the best of its windows' scores, which may be those of different windows."""

    found: FoundPassage
    """The passage of its best window."""
    answers: float
    """The reader's logit; for a chunk that was not read, the lowest one of the question."""
    match: float
    cosine: float
    words: float
    order: float
    """The score it is ranked by."""
    similarity: float
    """The probability that it answers the question."""


@dataclass(frozen=True, slots=True)
class RankedPassages:
    chunks: tuple[RankedChunk, ...]
    """Best first, without duplicate texts; those whose windows were not read among them."""
    hits: tuple[Hit, ...]
    """The first of the chunks."""
    windows: tuple[ReadWindow, ...]
    """The windows that were chosen for the reader, best first."""
    found: tuple[FoundPassage, ...]
    any_answers: float | None
    """The logit that some window answers, for the confidence; None if nothing near was found."""
    diversity: float
    """1 minus the mean cosine between two hits; 0 if unknown."""

    @property
    def windows_read(self) -> int:
        return 0 if self.any_answers is None else len(self.windows)


@dataclass(frozen=True, slots=True)
class ReaderQuery:
    """A question in all the forms that passages are compared with."""

    texts: tuple[str, ...]
    """The forms that the reader reads; their mean counts."""
    embedding: Embedding
    lexicon: Lexicon


def retrieve(
    text: str,
    embedder: Embedder,
    reader: Reader,
    index: Index,
    *,
    top_k: int = 5,
    filters: Filters | None = None,
    reads: Sequence[str] = (),
    most_windows: int = READ,
) -> RankedPassages:
    """Returns at most `top_k` chunks, each by its best window, without duplicate texts.

    `reads` are the forms of the question for the reader, if they differ from the search text.
    """
    # Read first, so that a missing index or one of another model fails before anything is embedded.
    manifest = index.manifest()
    embedding = embedder.embed_query(text, states=True)
    check_cancelled()
    query = IndexQuery(
        text=text,
        vector=embedding.vector,
        limit=DEPTH,
        candidates=DEPTH,
        filters=filters or Filters(),
        states=True,
    )
    reader_query = ReaderQuery(tuple(reads) or (text,), embedding, manifest.lexicon)
    return read(reader_query, index.search(query), reader, top_k=top_k, most_windows=most_windows)


def read(
    query: ReaderQuery, found: Sequence[FoundPassage], reader: Reader, *, top_k: int, most_windows: int = READ
) -> RankedPassages:
    check_cancelled()
    best_first = _best_first(query, found)
    selected = _without_overlaps(best_first, most_windows)
    is_near = bool(selected) and not is_far(_best_match(selected), _best_cosine(selected))
    if is_near:
        windows_read = [candidate.window for candidate in selected]
        readings = mean_readings([reader.read(text, windows_read) for text in query.texts])
    else:
        readings = [_unread(candidate.window) for candidate in selected]
    read_windows = _in_order(selected, readings)
    chunks = _rank_chunks(best_first, read_windows)
    return RankedPassages(
        chunks=tuple(chunks),
        hits=tuple(map(_hit, chunks[:top_k])),
        windows=tuple(read_windows),
        found=tuple(found),
        any_answers=_any_answers(read_windows) if is_near else None,
        diversity=_diversity([chunk.found for chunk in chunks[:top_k]]),
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A window before the reader scores it."""

    window: Window
    found: FoundPassage
    match: float
    words: float
    """The BM25 score of its passage, divided by the highest one."""

    @property
    def cosine(self) -> float:
        return self.found.scores.dense or 0.0

    @property
    def promise(self) -> float:
        return search_score(self.cosine, self.words, self.match)


def candidates(query: ReaderQuery, found: Sequence[FoundPassage], most: int) -> list[Candidate]:
    """The windows with the best search score, best first; of overlapping ones, the better one."""
    return _without_overlaps(_best_first(query, found), most)


def _best_first(query: ReaderQuery, found: Sequence[FoundPassage]) -> list[Candidate]:
    return sorted(all_candidates(query, found), key=lambda candidate: -candidate.promise)


def _without_overlaps(best_first: Sequence[Candidate], most: int) -> list[Candidate]:
    selected = list[Candidate]()
    for candidate in best_first:
        if len(selected) == most:
            break
        if not any(_overlaps(candidate.window, other.window) for other in selected):
            selected.append(candidate)
    return selected


def _overlaps(first: Window, second: Window) -> bool:
    """Whether they share more than a third of the shorter one."""
    if first.passage != second.passage:
        return False
    shared = min(first.after, second.after) - max(first.first, second.first)
    return 3 * shared > min(first.after - first.first, second.after - second.first)


def all_candidates(query: ReaderQuery, found: Sequence[FoundPassage]) -> Iterator[Candidate]:
    weights = weigh(query.embedding.pieces, query.lexicon)
    most = max((passage.scores.sparse or 0.0 for passage in found), default=0.0) or 1.0
    for passage, interaction in zip(found, _interactions(query, found), strict=True):
        for window in windows(passage.passage):
            match = (
                interaction.match(window.first, window.after, weights)
                if interaction
                else passage.scores.dense or 0.0
            )
            yield Candidate(window, passage, match, (passage.scores.sparse or 0.0) / most)


def _interactions(query: ReaderQuery, found: Sequence[FoundPassage]) -> Sequence[Interaction | None]:
    if query.embedding.states is None or any(passage.states is None for passage in found):
        return [None] * len(found)
    pairs = [(passage.passage, passage.states) for passage in found if passage.states is not None]
    return late_interaction(query.embedding.states, pairs)


def _best_match(selected: Sequence[Candidate]) -> float:
    return max(candidate.match for candidate in selected)


def _best_cosine(selected: Sequence[Candidate]) -> float:
    return max(candidate.cosine for candidate in selected)


def mean_readings(by_form: Sequence[Sequence[Reading]]) -> list[Reading]:
    """The means of the logits of each window over the forms of a question."""
    return [
        Reading(
            sum(reading.answers for reading in of_window) / len(of_window),
            _means([reading.belongs for reading in of_window]),
            _means([reading.facts for reading in of_window]),
            next((reading.fact for reading in of_window if reading.fact), None),
        )
        for of_window in zip(*by_form, strict=True)
    ]


def _means(rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(sum(column) / len(column) for column in zip(*rows, strict=True))


def _unread(window: Window) -> Reading:
    logits = tuple(_UNLIKELY for _ in window.parts)
    return Reading(_UNLIKELY, logits, logits)


def _in_order(selected: Sequence[Candidate], readings: Sequence[Reading]) -> list[ReadWindow]:
    ranked = [
        ReadWindow(
            candidate.window,
            candidate.found,
            candidate.match,
            candidate.words,
            reading,
            order_of(reading.answers, candidate.match, candidate.cosine, candidate.words),
        )
        for candidate, reading in zip(selected, readings, strict=True)
    ]
    return sorted(ranked, key=lambda window: -window.order)


def _rank_chunks(best_first: Sequence[Candidate], windows: Sequence[ReadWindow]) -> list[RankedChunk]:
    logits = [window.reading.answers for window in windows]
    mean, lowest = sum(logits) / max(len(logits), 1), min(logits, default=_UNLIKELY)
    of_chunks = dict[str, tuple[list[Candidate], list[ReadWindow]]]()
    for candidate in best_first:
        of_chunks.setdefault(candidate.window.passage.chunk.content_hash, ([], []))[0].append(candidate)
    for window in windows:
        of_chunks[window.window.passage.chunk.content_hash][1].append(window)
    chunks = [_ranked_chunk(*of_chunk, lowest, mean) for of_chunk in of_chunks.values()]
    return sorted(chunks, key=lambda chunk: -chunk.order)


def _ranked_chunk(
    candidates: Sequence[Candidate], windows: Sequence[ReadWindow], lowest: float, mean: float
) -> RankedChunk:
    """Both are sorted, best first."""
    answers = max((window.reading.answers for window in windows), default=lowest)
    match = max(candidate.match for candidate in candidates)
    cosine = max(candidate.cosine for candidate in candidates)
    words = max(candidate.words for candidate in candidates)
    order = order_of(answers, match, cosine, words)
    best = windows[0] if windows else candidates[0]
    return RankedChunk(best.found, answers, match, cosine, words, order, similarity_of(order, mean))


def _hit(chunk: RankedChunk) -> Hit:
    passage = chunk.found.passage
    is_near = not is_far(chunk.match, chunk.cosine)
    return Hit(passage.chunk, passage, chunk.found.scores, round(chunk.similarity, 4), is_near)


def _diversity(found: Sequence[FoundPassage]) -> float:
    """Compares the passages by the means of their token states."""
    means = [
        passage.states.mean(axis=0) for passage in found if passage.states is not None and len(passage.states)
    ]
    if len(means) < 2 or len(means) < len(found):
        return 0.0
    rows = np.stack(means)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    count = len(rows)
    return float(1.0 - ((rows @ rows.T).sum() - count) / (count * (count - 1)))


def _any_answers(windows: Sequence[ReadWindow]) -> float:
    """The logit that one of the windows answers: the logarithm of the sum of their odds."""
    return float(np.logaddexp.reduce([read_window.reading.answers for read_window in windows]))


# Late interaction: each word piece of the question takes its best match in a window or its headings.

_LARGEST_PRODUCT = 2**18
"""Multiplications at once: above it, OpenBLAS starts threads, which then spin for 25 ms.

One product over all passages would also copy megabytes.
"""

Matches = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Interaction:
    """The matches between a question and one passage."""

    body: Matches
    """Rows are word pieces of the passage below its headings, columns those of the question."""
    above: Vector
    """For each word piece of the question, its best match in the headings."""

    def match(self, first: int, after: int, weights: Vector) -> float:
        """How much of the question the word pieces from `first` to `after` match, 0 to 1."""
        body = self.body[first:after]
        best = np.maximum(body.max(axis=0), self.above) if len(body) else self.above
        return float(best @ weights)


def late_interaction(
    question: TokenStates, passages: Sequence[tuple[Passage, TokenStates]]
) -> list[Interaction]:
    columns = np.ascontiguousarray(question.T)
    return [_interaction(columns, passage, states) for passage, states in passages]


def _interaction(columns: Matches, passage: Passage, states: TokenStates) -> Interaction:
    matches = np.empty((len(states), columns.shape[1]), np.float32)
    rows = max(_LARGEST_PRODUCT // max(columns.size, 1), 1)
    for first in range(0, len(states), rows):
        np.matmul(states[first : first + rows], columns, out=matches[first : first + rows])
    heading_size = max(len(states) - sum(unit.tokens for unit in passage.units), 0)
    above = matches[:heading_size].max(axis=0) if heading_size else np.zeros(columns.shape[1], np.float32)
    return Interaction(matches[heading_size:], above)
