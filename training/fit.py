"""Fits what a reader's scores mean: similarity, confidence and verdicts, on books that it was not trained on.

Runs in the product's environment; writes answer/confidence.json and answer/verify/verdicts.json.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from math import log
from pathlib import Path

import numpy as np
from mine import Book
from pages import has, overlap, root_of, rows_of, same_page, span_of, spans_of

from glossator.answer import confidence
from glossator.answer.compose import blocks_of, compose
from glossator.answer.confidence import (
    BLOCKS,
    CONFIDENCE,
    FACT,
    FAR,
    LEAST_RELEVANCE,
    LOW,
    ORDER,
    SEARCH,
    SIMILARITY,
    UNITS,
)
from glossator.answer.evidence import gather, most_relevant
from glossator.answer.retrieve import (
    DEPTH,
    RankedChunk,
    RankedPassages,
    ReaderQuery,
    ReadWindow,
    all_candidates,
    retrieve,
)
from glossator.answer.verify import Verifier
from glossator.model import Brief, Evidence, Filters, IndexQuery, Policy, Reading, Span, Support, Window
from glossator.ports import Reader
from glossator.settings import Settings
from glossator.wiring import reader_of

SOURCE = Path(__file__).parent.parent / "src" / "glossator" / "answer"
CONFIDENCE_FILE, VERDICTS = SOURCE / "confidence.json", SOURCE / "verify" / "verdicts.json"


@dataclass
class ReadQuestion:
    """A question of a book, and what was read for it."""

    row: dict
    result: RankedPassages

    @property
    def is_right(self) -> bool:
        """Whether the answer that is made of it has every fact."""
        return self.row["answerable"] and all(has(self.text, fact) for fact in self.row["must"])

    @cached_property
    def text(self) -> str:
        return "".join(compose(Brief(question_of(self.row), gather(self.result))))


class RememberingReader:
    """Reads every window once: the questions are asked again whenever a fitted file has changed."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[str, str, int, int], Reading] = {}

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        keys = [(question, window.passage.point_id, window.first, window.after) for window in windows]
        new = [window for window, key in zip(windows, keys, strict=True) if key not in self._known]
        for window, reading in zip(new, self._reader.read(question, new), strict=True):
            self._known[question, window.passage.point_id, window.first, window.after] = reading
        return [self._known[key] for key in keys]

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        return self._reader.check(claim, windows)


FOREIGN = 40
"""Questions of another book that each book is asked: far from it, and to be refused too."""


def rows_for(name: str, others: Sequence[str]) -> Iterator[dict]:
    yield from questions_of(name)
    for other in others:
        rows = random.Random(17).sample(list(questions_of(other)), FOREIGN)
        yield from ({"question": row["question"], "answerable": False, "foreign": True} for row in rows)


def questions_of(name: str) -> Iterator[dict]:
    return rows_of(Path(__file__).parent / "questions" / f"{name}.jsonl")


def question_of(row: dict) -> str:
    """With the question before it, which a follow-up leans on."""
    return " ".join([*(turn["question"] for turn in row.get("history", [])[-1:]), row["question"]])


def ask(book: Book, others: Sequence[str], reader: Reader) -> Iterator[ReadQuestion]:
    for row in rows_for(book.name, others):
        reads = dict.fromkeys([question_of(row), row["question"]])
        yield ReadQuestion(
            row, retrieve(question_of(row), book.embedder, reader, book.index, top_k=5, reads=[*reads])
        )


@dataclass(frozen=True)
class Ranked:
    """What was ranked for a question (chunks, windows or units): what speaks for each, and whether it has the answer."""

    rows: np.ndarray
    holds: np.ndarray


def chunks_of(seen: ReadQuestion) -> Ranked:
    rows = [signs_of(chunk, chunk.answers, chunk.cosine) for chunk in seen.result.chunks]
    places = [ranked.found.passage.chunk for ranked in seen.result.chunks]
    told = [has_place(chunk.page, chunk.place_of(Span(chunk.start, chunk.end)), seen.row) for chunk in places]
    return Ranked(np.array(rows), np.array(told, float))


def signs_of(ranked: RankedChunk | ReadWindow, answers: float, cosine: float) -> list[float]:
    """What ORDER names."""
    return [answers, ranked.match, cosine, ranked.words]


def mean_answers(seen: ReadQuestion) -> float:
    return float(np.mean([window.reading.answers for window in seen.result.windows]))


def units_of(seen: ReadQuestion, order: Sequence[float]) -> Ranked:
    """The parts of the windows that were read, with the order of their window as it is being fitted."""
    rows, told = [], []
    for window in seen.result.windows:
        place = float(
            np.dot(signs_of(window, window.reading.answers, window.found.scores.dense or 0.0), order)
        )
        page, spans = window.window.passage.chunk.page, spans_of(window.window)
        gold = [gold for gold in seen.row.get("gold", ()) if same_page(page, gold["page"])]
        rows += [[place, *said] for said in zip(window.reading.belongs, window.reading.facts, strict=True)]
        told += [any(overlap(start, end, place) for place in gold) for start, end in spans]
    return Ranked(np.array(rows), np.array(told, float))


def found_for(book: Book, row: dict) -> Ranked:
    """All windows that the search brings, before one of them is read."""
    embedding = book.embedder.embed_query(row["question"], states=True)
    query = ReaderQuery((row["question"],), embedding, book.lexicon)
    wanted = IndexQuery(
        text=row["question"], vector=embedding.vector, limit=DEPTH, candidates=DEPTH, states=True
    )
    found = list(all_candidates(query, book.index.search(wanted)))
    rows = [[candidate.cosine, candidate.words, candidate.match] for candidate in found]
    told = [
        has_place(candidate.window.passage.chunk.page, span_of(candidate.window), row) for candidate in found
    ]
    return Ranked(np.array(rows), np.array(told, float))


def has_place(page: str, span: Span, row: dict) -> bool:
    """Whether most of a place with the answer stands there."""
    return any(
        min(span.end, gold["end"]) - max(span.start, gold["start"])
        >= 0.6 * min(gold["end"] - gold["start"], 260)
        for gold in row.get("gold", ())
        if same_page(page, gold["page"])
    )


def blocks_for(seen: ReadQuestion) -> Iterator[tuple[list[float], float]]:
    """What speaks for each block of the evidence, and whether it stands where the answer does."""
    for evidence in gather(seen.result):
        for block in blocks_of(evidence):
            rows = [log(max(block.relevance, LEAST_RELEVANCE)), evidence.similarity]
            gold = [place for place in seen.row["gold"] if same_page(evidence.chunk.page, place["page"])]
            start, end = evidence.chunk.place_of(block.span)
            yield rows, float(any(overlap(start, end, place) for place in gold))


def in_order(questions: Sequence[Ranked], steps: int = 400) -> list[float]:
    """Weights that put what has the answer first, each question by itself: softmax regression."""
    told = [question for question in questions if question.holds.any()]
    every = np.concatenate([question.rows for question in told])
    mean, spread = every.mean(axis=0), every.std(axis=0) + 1e-9
    weights = np.zeros(every.shape[1])
    for _ in range(steps):
        slope = np.zeros(len(weights))
        for question in told:
            inputs = (question.rows - mean) / spread
            raised = inputs @ weights
            chance = np.exp(raised - raised.max())
            chance /= chance.sum()
            wanted = chance * question.holds
            slope += inputs.T @ (wanted / wanted.sum() - chance)
        weights += 0.3 * (slope / len(told) - 0.002 * weights)
    return (weights / spread).tolist()


def twin_scores(book: Book, reader) -> Iterator[tuple[float, float]]:
    """How well the chunk that holds a fact supports its faithful paraphrase, and its lie."""
    verifier = Verifier(reader, "english")
    for row in rows_of(Path(__file__).parent / "twins" / f"{book.name}.jsonl"):
        evidence = evidence_of(book, row)
        if evidence:
            yield (
                verifier.check(row["faithful"], [evidence]).score,
                verifier.check(row["lie"], [evidence]).score,
            )


def evidence_of(book: Book, place: dict) -> Evidence | None:
    page = next(
        (record.path for record in book.index.manifest().pages if same_page(record.path, place["page"])), ""
    )
    vector = book.embedder.embed_query(place["faithful"]).vector
    query = IndexQuery(
        text=place["faithful"], vector=vector, limit=80, candidates=80, filters=Filters(page=(page,))
    )
    passages = [found.passage for found in book.index.search(query)]
    holding = [
        passage.chunk
        for passage in passages
        if passage.chunk.start <= place["start"] and place["end"] <= passage.chunk.end
    ]
    if not holding:
        return None
    chunk = holding[0]
    own = tuple(
        sorted(
            (passage for passage in passages if passage.chunk == chunk), key=lambda passage: passage.number
        )
    )
    return Evidence(1, chunk, chunk.sections[0], (), 1.0, own)


def verdicts(pairs: Sequence[tuple[float, float]]) -> dict[str, float]:
    """`partly` is where fewest paraphrases are lost and lies shown; `supported` where a twentieth of the lies pass."""
    faithful, lies = (np.array(column) for column in zip(*pairs, strict=True))
    cuts = np.linspace(0.02, 0.98, 97)
    partly = min(cuts, key=lambda cut: (faithful < cut).mean() + (lies >= cut).mean())
    supported = max(float(np.quantile(lies, 0.95)), partly)
    print(
        f"twins: {np.mean(faithful >= partly):.3f} faithful shown, {np.mean(lies >= partly):.3f} lies shown at {partly:.2f}"
    )
    return {"supported": round(supported, 3), "partly": round(float(partly), 3)}


def logistic(rows: Sequence[Sequence[float]], wanted: Sequence[float], penalty: float) -> list[float]:
    """Weights and, last, the constant; by Newton's steps, on standardised columns so that the penalty is fair."""
    columns = np.array(rows, float)
    mean, spread = columns.mean(axis=0), columns.std(axis=0) + 1e-9
    inputs = np.column_stack([(columns - mean) / spread, np.ones(len(columns))])
    targets, weights = np.array(wanted, float), np.zeros(columns.shape[1] + 1)
    ridge = penalty * np.eye(len(weights))
    ridge[-1, -1] = 1e-6
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        bend = (inputs.T * (chance * (1 - chance))) @ inputs + ridge
        weights = weights - np.linalg.solve(bend, inputs.T @ (chance - targets) + ridge @ weights)
    slopes = weights[:-1] / spread
    return [*slopes.tolist(), float(weights[-1] - slopes @ mean)]


def far_from_book(everything: Sequence[ReadQuestion], chunks: Sequence[Ranked]) -> list[float]:
    """The line below which questions of another book lie, and one in a hundred of the book's own."""
    rows = [chunk.rows[:, 1:3].max(axis=0).tolist() for chunk in chunks]
    foreign = np.array([bool(seen.row.get("foreign")) for seen in everything])
    weights = logistic(rows, (~foreign).astype(float), 1.0)
    answerable = np.array([seen.row["answerable"] for seen in everything])
    least = np.quantile(np.array(rows)[answerable] @ weights[:-1], 0.01)
    return [*weights[:-1], float(-least)]


def stretched(
    weights: Sequence[float],
    rows: Sequence[Sequence[float]],
    right: np.ndarray,
    answerable: np.ndarray,
    slopes: Sequence[float] = tuple(np.linspace(0.05, 1.0, 96)),
) -> list[float]:
    """The same order; 0.60 is where an answer is as likely right as the question is unanswerable.

    There answering begins to do more good than harm. How fast it rises from there, of the slopes, is what makes the
    answers that are given most likely.
    """
    odds = np.array(rows) @ weights[:-1] + weights[-1]
    cut = crossing(logistic(odds[:, None], right, 0.01), logistic(odds[:, None], ~answerable, 0.01))
    given, least = odds >= cut, np.log(LOW / (1 - LOW))

    def surprise(slope: float) -> float:
        chance = 1 / (1 + np.exp(-(least + slope * (odds[given] - cut))))
        return float(-np.log(np.where(right[given], chance, 1 - chance)).mean())

    slope = min(slopes, key=surprise)
    print(
        f"cut at a probability of {1 / (1 + np.exp(-cut)):.2f}; slope {slope:.2f}; right {right[given].mean():.3f}"
    )
    return [*(slope * weight for weight in weights[:-1]), float(least + slope * (weights[-1] - cut))]


def crossing(one: Sequence[float], other: Sequence[float]) -> float:
    """Where two lines, each a slope and a constant, have the same height."""
    return (other[1] - one[1]) / (one[0] - other[0])


def named(names: Sequence[str], weights: Sequence[float]) -> dict[str, float]:
    return dict(zip([*names, "constant"], weights, strict=True))


def auroc(yes: Sequence[float], no: Sequence[float]) -> float:
    ranks = np.argsort(np.argsort([*yes, *no])) + 1
    return float((ranks[: len(yes)].sum() - len(yes) * (len(yes) + 1) / 2) / (len(yes) * len(no)))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("books", nargs="+")
    words.add_argument("--folder", type=Path, action="append", required=True, help="a folder of books")
    words.add_argument("--homes", type=Path, required=True, help="where the books' indexes are kept")
    given = words.parse_args()
    reader = RememberingReader(reader_of(Settings()))
    with ExitStack() as opened:
        books = [Book(name, root_of(name, given.folder), given.homes) for name in given.books]
        for book in books:
            opened.enter_context(closing(book.index))
        fit_ranking(books, reader)
        fit_blocks(books, reader)
        fit_confidence(books, reader)
        fit_facts(books, reader)
        write(verdicts([pair for book in books for pair in twin_scores(book, reader)]), VERDICTS)


def ask_all(books: Sequence[Book], reader: Reader, *, foreign: bool) -> list[ReadQuestion]:
    names = [book.name for book in books] if foreign else []
    return [
        seen for book in books for seen in ask(book, [name for name in names if name != book.name], reader)
    ]


def fit_ranking(books: Sequence[Book], reader: Reader) -> None:
    """Which windows are read, their order and that of their parts, their similarity, and what is far."""
    searched = [
        found_for(book, row) for book in books for row in questions_of(book.name) if row["answerable"]
    ]
    fitted(search=dict(zip(SEARCH, in_order(searched), strict=True)))
    everything = ask_all(books, reader, foreign=True)
    chunks = [chunks_of(seen) for seen in everything]
    means = [mean_answers(seen) for seen in everything]
    order = in_order(chunks)
    own = [units_of(seen, order) for seen in everything if not seen.row.get("foreign")]
    rows = [
        [float(row @ order), mean] for chunk, mean in zip(chunks, means, strict=True) for row in chunk.rows
    ]
    similarity = logistic(rows, [holds for chunk in chunks for holds in chunk.holds], 1.0)
    best = [int(np.argmax(chunk.rows @ order)) for chunk in chunks]
    similarity = stretched(
        similarity,
        [
            [float(chunk.rows[place] @ order), mean]
            for chunk, place, mean in zip(chunks, best, means, strict=True)
        ],
        np.array([chunk.holds[place] > 0 for chunk, place in zip(chunks, best, strict=True)]),
        np.array([seen.row["answerable"] for seen in everything]),
        slopes=[1.0],
    )
    fitted(
        far=named(FAR, far_from_book(everything, chunks)),
        order=dict(zip(ORDER, order, strict=True)),
        units=dict(zip(UNITS, in_order(own), strict=True)),
        similarity=named(SIMILARITY, similarity),
    )


def fit_blocks(books: Sequence[Book], reader: Reader) -> None:
    answerable = [seen for seen in ask_all(books, reader, foreign=False) if seen.row["answerable"]]
    rows, belongs = zip(*(row for seen in answerable for row in blocks_for(seen)), strict=True)
    fitted(blocks=named(BLOCKS, logistic(rows, belongs, 3.0)))


def fit_confidence(books: Sequence[Book], reader: Reader) -> None:
    """On the book's own questions: what is far never comes to the reader."""
    everything = [
        seen for seen in ask_all(books, reader, foreign=False) if seen.result.any_answers is not None
    ]
    rows = [[seen.result.any_answers] for seen in everything]
    right = np.array([seen.is_right for seen in everything])
    answerable = np.array([seen.row["answerable"] for seen in everything])
    probability = logistic(rows, right, 3.0)
    fitted(confidence=named(CONFIDENCE, stretched(probability, rows, right, answerable)))
    scores = np.array(rows)[:, 0]
    print(
        "right", right[answerable].mean(), "words", np.mean([len(seen.text.split()) for seen in everything])
    )
    print("auroc", auroc(scores[answerable].tolist(), scores[~answerable].tolist()))


def fit_facts(books: Sequence[Book], reader: Reader) -> None:
    """How likely the few words that the reader points at are a fact of the answer, of what is answered."""
    rows, right = [], []
    for seen in ask_all(books, reader, foreign=False):
        if not _is_answered(seen.result):
            continue
        window, part = most_relevant(seen.result)
        fact = window.reading.fact
        if fact and fact.part == part:
            text = window.window.texts[part][slice(*fact.span)]
            rows.append([fact.logit])
            right.append(float(any(has(text, must) for must in seen.row.get("must") or ())))
    fitted(fact=named(FACT, logistic(rows, right, 0.1)))


def _is_answered(result: RankedPassages) -> bool:
    return confidence.confidence_of(result.hits, result.any_answers, Policy.CALIBRATED).should_answer


def fitted(**scores: dict[str, float]) -> None:
    """Puts them into the file that the product reads, and lets it read them anew."""
    known = json.loads(CONFIDENCE_FILE.read_text())
    rounded = {
        name: {feature: round(weight, 4) for feature, weight in weights.items()}
        for name, weights in scores.items()
    }
    print(json.dumps(rounded))
    write({**known, **rounded}, CONFIDENCE_FILE)
    confidence.forget_weights()


def write(content: dict, file: Path) -> None:
    file.write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
