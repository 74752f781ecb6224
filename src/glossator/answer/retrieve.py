"""The places that bear on a question, best first: likeness finds them, the reader decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glossator.answer.confidence import is_far, order_of, promise_of, similarity_of
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
from glossator.work import next_step

DEPTH = 40
"""Passages that the index brings."""
READ = 10
"""Windows that are read."""
_UNLIKELY = -20.0
"""The logit of what was not read, because the question is far from the book."""


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """A window, what the search says of it, and what the reader says of it."""

    window: Window
    found: FoundPassage
    match: float
    """How much of the question its words match, 0 to 1; the cosine where there are no token states."""
    reading: Reading
    order: float
    """What it is put in order by."""
    similarity: float
    """The probability that it answers the question."""


@dataclass(frozen=True, slots=True)
class RankedPassages:
    hits: tuple[Hit, ...]
    windows: tuple[ReadWindow, ...]
    """What was read, best first."""
    found: tuple[FoundPassage, ...]
    any_answers: float | None
    """What confidence is worked out from; None where nothing near was found."""
    diversity: float
    """1 less the mean cosine between two hits; 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it is compared with passages."""

    text: str
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
    reads: str | None = None,
) -> RankedPassages:
    """At most `top_k` chunks, each by its best window, no text twice.

    The reader reads `reads` beside them, where that is another text than what is searched for.
    """
    # Before anything is embedded: an index of another model, or none, is found out at once.
    manifest = index.manifest()
    embedding = embedder.embed_query(text, states=True)
    next_step()
    query = IndexQuery(
        text=text,
        vector=embedding.vector,
        limit=DEPTH,
        candidates=DEPTH,
        filters=filters or Filters(),
        states=True,
    )
    asked = Query(text if reads is None else reads, embedding, manifest.lexicon)
    return read(asked, index.search(query), reader, top_k=top_k)


def read(query: Query, found: Sequence[FoundPassage], reader: Reader, *, top_k: int) -> RankedPassages:
    next_step()
    chosen = candidates(query, found, READ)
    is_near = bool(chosen) and not is_far(_best_match(chosen), _best_cosine(chosen))
    if is_near:
        readings = reader.read(query.text, [candidate.window for candidate in chosen])
    else:
        readings = [_unread(candidate.window) for candidate in chosen]
    best_first = _in_order(chosen, readings)
    best = _best_of_each_chunk(best_first)[:top_k]
    return RankedPassages(
        hits=tuple(map(_hit, best)),
        windows=tuple(best_first),
        found=tuple(found),
        any_answers=_any_answers(best_first) if is_near else None,
        diversity=_diversity([one.found for one in best]),
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A window, before it is read."""

    window: Window
    found: FoundPassage
    match: float
    words: float
    """The weight of the words it shares with the question, as a share of the most that a passage has."""

    @property
    def cosine(self) -> float:
        return self.found.scores.dense or 0.0

    @property
    def promise(self) -> float:
        return promise_of(self.cosine, self.words, self.match)


def candidates(query: Query, found: Sequence[FoundPassage], most: int) -> list[Candidate]:
    """The most promising windows of the passages, best first; of those that overlap, the better one."""
    chosen = list[Candidate]()
    for candidate in sorted(every_candidate(query, found), key=lambda one: -one.promise):
        if len(chosen) == most:
            break
        if not any(_overlaps(candidate.window, other.window) for other in chosen):
            chosen.append(candidate)
    return chosen


def _overlaps(one: Window, other: Window) -> bool:
    """Whether they share more than a third of the shorter one."""
    if one.passage != other.passage:
        return False
    shared = min(one.after, other.after) - max(one.first, other.first)
    return 3 * shared > min(one.after - one.first, other.after - other.first)


def every_candidate(query: Query, found: Sequence[FoundPassage]) -> Iterator[Candidate]:
    weights = weigh(query.embedding.pieces, query.lexicon)
    most = max((one.scores.sparse or 0.0 for one in found), default=0.0) or 1.0
    for one, interaction in zip(found, _interactions(query, found), strict=True):
        for window in windows(one.passage):
            match = (
                interaction.match(window.first, window.after, weights)
                if interaction
                else one.scores.dense or 0.0
            )
            yield Candidate(window, one, match, (one.scores.sparse or 0.0) / most)


def _interactions(query: Query, found: Sequence[FoundPassage]) -> Sequence[Interaction | None]:
    if query.embedding.states is None or any(one.states is None for one in found):
        return [None] * len(found)
    pairs = [(one.passage, one.states) for one in found if one.states is not None]
    return late_interaction(query.embedding.states, pairs)


def _best_match(some: Sequence[Candidate]) -> float:
    return max(one.match for one in some)


def _best_cosine(some: Sequence[Candidate]) -> float:
    return max(one.cosine for one in some)


def _unread(window: Window) -> Reading:
    nothing = tuple(_UNLIKELY for _ in window.parts)
    return Reading(_UNLIKELY, nothing, nothing)


def _in_order(chosen: Sequence[Candidate], readings: Sequence[Reading]) -> list[ReadWindow]:
    mean = sum(reading.answers for reading in readings) / max(len(readings), 1)
    read = list[ReadWindow]()
    for candidate, reading in zip(chosen, readings, strict=True):
        order = order_of(reading.answers, candidate.match, candidate.found.scores.dense or 0.0)
        similarity = similarity_of(order, mean)
        read.append(
            ReadWindow(candidate.window, candidate.found, candidate.match, reading, order, similarity)
        )
    return sorted(read, key=lambda one: -one.order)


def _best_of_each_chunk(best_first: Sequence[ReadWindow]) -> list[ReadWindow]:
    """They come best first, so the first of a chunk, or of its text, is its best."""
    best = dict[str, ReadWindow]()
    for one in best_first:
        best.setdefault(one.window.passage.chunk.content_hash, one)
    return list(best.values())


def _hit(one: ReadWindow) -> Hit:
    passage = one.window.passage
    return Hit(passage.chunk, passage, one.found.scores, round(one.similarity, 4))


def _diversity(found: Sequence[FoundPassage]) -> float:
    """Each passage by the mean of its tokens."""
    means = [one.states.mean(axis=0) for one in found if one.states is not None and len(one.states)]
    if len(means) < 2 or len(means) < len(found):
        return 0.0
    rows = np.stack(means)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    count = len(rows)
    return float(1.0 - ((rows @ rows.T).sum() - count) / (count * (count - 1)))


def _any_answers(read: Sequence[ReadWindow]) -> float:
    """The logit that one of the windows answers: the logarithm of the sum of their odds."""
    return float(np.logaddexp.reduce([one.reading.answers for one in read]))


# Late interaction: every word of a question looks for its best match among the words of a window.
#
# The headings above a window count as its own words.

_LARGEST_PRODUCT = 2**18
"""Multiplications at once; for more, OpenBLAS wakes threads of its own, which then spin for 25 ms.

To put all passages together for one large product would copy megabytes as well.
"""

Matches = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Interaction:
    """What a question finds in one passage."""

    body: Matches
    """For each word piece of the passage below its headings, its matches with those of the question."""
    above: Vector
    """For each word piece of the question, its match in the headings."""

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
    most = max(_LARGEST_PRODUCT // max(columns.size, 1), 1)
    for first in range(0, len(states), most):
        np.matmul(states[first : first + most], columns, out=matches[first : first + most])
    body = max(len(states) - sum(unit.tokens for unit in passage.units), 0)
    above = matches[:body].max(axis=0) if body else np.zeros(columns.shape[1], np.float32)
    return Interaction(matches[body:], above)
