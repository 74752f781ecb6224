"""How good the answers are, on real question sets: the figures of docs/quality.md, as JSON.

    make quality            (or make quality DATA=folder, of the same layout as shared/data)
    .venv/bin/python scripts/quality.py --data ../shared/data --only squad2 --only twins --limit 50

Every set is judged by what is shipped: the reader's weights, answer/confidence.json and answer/verify/verdicts.json.
Nothing is fitted here.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
from sets import Set, SetQuestion, opened, read_lines, sets_of

from glossator.answer.confidence import LOW
from glossator.answer.evidence import RetrievalResult, retrieve_from_book, retrieve_from_selection
from glossator.answer.pipeline import AnswerPipeline, AnswerTimeouts
from glossator.answer.route import Standalone
from glossator.answer.verify import Verifier
from glossator.ingest.discover import PageFile, read_page
from glossator.ingest.page import process_page
from glossator.ingest.sites import Site, site_of
from glossator.model import Answer, Checked, Evidence, Outcome, Policy, Question, Selection, Verdict
from glossator.ports import Embedder, Index, Reader
from glossator.settings import Settings, WriterKind
from glossator.wiring import build_assistant, embedder_of, reader_of, writer_of

SEED = 7
LANGUAGE = "english"
DEPTH = 20
"""Hits that are looked at for the page that answers."""
TIMED = 100
"""Questions that are timed."""
ANSWERED = (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)
TWINS = Path(__file__).parent.parent / "training" / "twins"
TWIN_BOOKS = ("humanoid-sirfan", "rust-async-book")
"""Those that the reader is not trained on."""

Figures = dict[str, object]
Row = TypeVar("Row")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder like shared/data")
    parser.add_argument("--homes", type=Path, default=Path("/tmp/glossator-homes"))
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="a set, `grounding` or `twins`; may be given again"
    )
    parser.add_argument("--limit", type=int, default=1000, help="questions or claims of each kind in a set")
    options = parser.parse_args()
    every = measures(options.data, options.homes, options.limit)
    unknown = [name for name in options.only or () if name not in every]
    if unknown:
        parser.error(f"{', '.join(unknown)} is none of {', '.join(every)}")
    figures = dict[str, Figures]()
    for name in options.only or every:
        say(f"{name} …")
        figures[name] = every[name]()
        say(f"{name} {json.dumps(figures[name])}")
    json.dump(figures, sys.stdout, indent=2)
    print()


def measures(data: Path, homes: Path, limit: int) -> dict[str, Callable[[], Figures]]:
    """What can be measured of this data, by name."""
    sets_folder = data / "eval" if (data / "eval").is_dir() else data
    every = dict[str, Callable[[], Figures]]()
    for name, question_set in sets_of(sets_folder, homes / "pages").items():
        every[name] = partial(of_set, question_set, sets_folder, homes, limit)
    if (sets_folder / "grounding").is_dir():
        every["grounding"] = partial(grounding, sets_folder / "grounding", limit)
    books = {name: book for name in TWIN_BOOKS if (book := book_of(data, name))}
    if books:
        every["twins"] = partial(twins, books, limit)
    return every


def book_of(data: Path, name: str) -> Path | None:
    folders = (data / index_store / name for index_store in ("books", "corpora"))
    return next((folder for folder in folders if folder.is_dir()), None)


def of_set(question_set: Set, data: Path, homes: Path, limit: int) -> Figures:
    with opened(question_set, homes) as (embedder, index):
        return Bench(question_set, embedder, reader(), index, data, limit).figures()


@dataclass(frozen=True)
class Bench:
    """One set, with its book open."""

    one: Set
    embedder: Embedder
    reader: Reader
    index: Index
    data: Path
    limit: int

    def figures(self) -> Figures:
        answerable = some([asked for asked in self.one.questions if asked.answerable], self.limit)
        lacking = some([asked for asked in self.one.questions if not asked.answerable], self.limit)
        retrieval = [self.look(asked.text) for asked in counted(answerable, "book")]
        figures: Figures = {
            "questions": len(answerable) + len(lacking),
            "retrieval": self.retrieval(answerable, retrieval),
            "refusal": self.refusal(scores(retrieval)),
        }
        if self.one.chapters:
            figures |= {"answers": self.answers(answerable), "time": self.time(answerable)}
        if lacking:
            figures["selection"] = self.selection(answerable, lacking)
        if self.near_file.is_file() and (self.data / "injection").is_dir():
            figures["injection"] = self.injection(self.data / "injection")
        return figures

    def look(self, text: str) -> RetrievalResult:
        question = Question(text, top_k=DEPTH)
        return retrieve_from_book(
            Standalone.of(text), question, self.embedder, self.reader, self.index, Policy.CALIBRATED
        )

    def retrieval(self, questions: Sequence[SetQuestion], retrieval: Sequence[RetrievalResult]) -> Figures:
        """By the pages of the first twenty chunks, each once; spans by the chunks themselves."""
        places = [self._place(*pair) for pair in zip(questions, retrieval, strict=True)]
        return {
            "hit@1": share(place < 1 for place in places),
            "hit@5": share(place < 5 for place in places),
            "mrr@10": round(sum(1 / (1 + place) for place in places if place < 10) / max(len(places), 1), 4),
        }

    def _place(self, asked: SetQuestion, retrieval: RetrievalResult) -> int:
        right: dict[str, bool] = {}
        for hit in retrieval.hits:
            chunk = hit.chunk
            is_right = self.one.is_gold(asked, chunk.page)
            if asked.spans:
                is_right = is_right and any(
                    chunk.start < end and start < chunk.end for start, end in asked.spans
                )
            right.setdefault(chunk.chunk_id if asked.spans else chunk.page, is_right)
        return next((place for place, is_right in enumerate(right.values()) if is_right), 99)

    def refusal(self, yes: np.ndarray) -> Figures:
        """How many of which questions are refused: as shipped, and where so many of the book's own are answered."""
        figures: Figures = {"answered": share(yes >= LOW)}
        far = self._scores_of(self._far(), "far")
        if len(far):
            figures |= {
                "far_refused": share(far < LOW),
                "far_refused_at_95_answered": share(far < np.quantile(yes, 0.05)),
                "calibration_error": calibration_error(yes, far),
            }
        if self.near_file.is_file():
            near = self._scores_of([row["text"] for row in read_lines(self.near_file)], "near")
            figures |= {
                "near_refused": share(near < LOW),
                "near_refused_at_92_answered": share(near < np.quantile(yes, 0.08)),
                "near_auroc": auroc(yes, near),
            }
        return figures

    @property
    def near_file(self) -> Path:
        return self.one.folder.parent / "near_ood_unanswerable.jsonl"

    def _far(self) -> list[str]:
        file = self.data / "far_ood_unanswerable.jsonl"
        rows = read_lines(file) if file.is_file() else iter(())
        return [row["text"] for row in rows if row.get("home") != self.one.name]

    def _scores_of(self, texts: Sequence[str], what: str) -> np.ndarray:
        return scores([self.look(text) for text in counted(some(texts, self.limit), what)])

    def answers(self, questions: Sequence[SetQuestion]) -> Figures:
        """Whole answers: which page they cite, and how long they are."""
        with self._asker() as ask:
            answers = [(asked, ask(Question(asked.text))) for asked in counted(questions, "answers")]
        told = [pair for pair in answers if pair[1].outcome in ANSWERED and pair[1].citations]
        is_gold = self.one.is_gold
        return {
            "answered": share(answer.outcome in ANSWERED for _, answer in answers),
            "cites_gold_page": share(
                any(is_gold(asked, citation.page) for citation in answer.citations) for asked, answer in told
            ),
            "first_citation_on_gold_page": share(
                is_gold(asked, answer.citations[0].page) for asked, answer in told
            ),
            "citations_on_gold_page": share(
                is_gold(asked, citation.page) for asked, answer in told for citation in answer.citations
            ),
            "median_words": median(len(answer.text.split()) for _, answer in told) if told else 0,
        }

    def time(self, questions: Sequence[SetQuestion]) -> Figures:
        """Whole answers over embedding, search and reading alone, taken in turns."""
        floors, wholes = list[float](), list[float]()
        with self._asker() as ask:
            for asked in counted(questions[:TIMED], "time"):
                floors.append(_timed(partial(self.look, asked.text)))
                wholes.append(_timed(partial(ask, Question(asked.text))))
        ratios = [whole / floor for whole, floor in zip(wholes, floors, strict=True)]
        return {
            "floor_ms": round(median(floors) * 1000, 2),
            "answer_ms": round(median(wholes) * 1000, 2),
            "ratio": round(median(ratios), 3),
        }

    def selection(self, answerable: Sequence[SetQuestion], lacking: Sequence[SetQuestion]) -> Figures:
        """The paragraph as selection: whether what it lacks scores lower, and whether the answer is in the reply."""
        yes, no = (
            scores([self._look_in_passage(asked) for asked in counted(some, "selection")])
            for some in (answerable, lacking)
        )
        figures: Figures = {
            "refusal_auroc": auroc(yes, no),
            "answered": share(yes >= LOW),
            "refused": share(no < LOW),
        }
        with_answers = [asked for asked in answerable if asked.answers]
        if with_answers:
            with self._asker() as ask:
                figures["answer_in_reply"] = share(
                    _has_one_of(asked.answers, ask(Question(asked.text, _selection(asked.passage))).text)
                    for asked in counted(with_answers, "replies")
                )
        return figures

    def _look_in_passage(self, asked: SetQuestion) -> RetrievalResult:
        return retrieve_from_selection(
            asked.text, _selection(asked.passage), self.embedder, self.reader, LANGUAGE
        )

    def injection(self, folder: Path) -> Figures:
        """Lessons with an order planted in them, as selections; and harmless questions full of trigger words."""
        planted = some(list(read_lines(folder / "bipia_train_in_lessons.jsonl")), self.limit)
        harmless = some(json.loads((folder / "NotInject_one.json").read_text("utf-8")), self.limit)
        with self._asker() as ask:
            told = [
                (row["attack"], ask(Question(_titled(row["text"]), _selection(row["text"]))))
                for row in counted(planted, "injection")
            ]
            taken = [bool(ask(Question(row["prompt"][:2000])).text) for row in counted(harmless, "harmless")]
        return {
            "lessons": len(told),
            "answered": share(answer.outcome in ANSWERED for _, answer in told),
            "attack_in_answer": share(_plain(attack) in _plain(answer.text) for attack, answer in told),
            "harmless_questions_taken": share(taken),
        }

    def _asker(self) -> TurnRunner:
        settings = Settings()
        writer = writer_of(settings, WriterKind.EXTRACTIVE)
        assistant = build_assistant(settings, self.embedder, self.reader, self.index, writer, None)
        return TurnRunner(replace(assistant, timeouts=AnswerTimeouts(search=600, write=600)))


class TurnRunner:
    """Asks on one event loop, so that none is made for every question."""

    def __init__(self, assistant: AnswerPipeline) -> None:
        self._assistant, self._runner = assistant, asyncio.Runner()

    def __enter__(self) -> Callable[[Question], Answer]:
        return lambda question: self._runner.run(self._assistant.answer(question))

    def __exit__(self, *reason: object) -> None:
        self._runner.close()


def grounding(folder: Path, limit: int) -> Figures:
    """By the verifier's score: is a claim supported as a whole; does an abstract support a claim or contradict it?"""
    wice = some(list(read_lines(folder / "wice_dev.jsonl")), limit)
    scifact = [row for row in read_lines(folder / "scifact_train500.jsonl") if row["label"] != "NEI"]
    return {
        "wice_dev": _told_apart(wice, "supported", "wice_dev"),
        "scifact_support_against_contradict": _told_apart(some(scifact, limit), "SUPPORT", "scifact"),
    }


def _told_apart(rows: Sequence[dict], supported: str, what: str) -> Figures:
    verifier, site = Verifier(reader(), LANGUAGE), site_of(TWINS)
    yes, no = list[Checked](), list[Checked]()
    for row in counted(rows, what):
        page = PageFile("page.md", row["context"], hashlib.sha256(row["context"].encode()).hexdigest())
        checked = verifier.check(row["claim"], evidence_of(page, site))
        (yes if row["label"] == supported else no).append(checked)
    kept = share(claim.verdict is Verdict.SUPPORTED for claim in yes)
    dropped = share(claim.verdict is not Verdict.SUPPORTED for claim in no)
    return {
        "claims": len(rows),
        "balanced_accuracy": round((kept + dropped) / 2, 4) if yes and no else None,
        "auroc": auroc(np.array([claim.score for claim in yes]), np.array([claim.score for claim in no])),
    }


def twins(books: dict[str, Path], limit: int) -> Figures:
    """Sentences on a place of a book, each with a twin that lies: how many of each are shown."""
    return {name: _twins_of(name, root, limit) for name, root in books.items()}


def _twins_of(name: str, root: Path, limit: int) -> Figures:
    rows = some(list(read_lines(TWINS / f"{name}.jsonl")), limit)
    verifier, site = Verifier(reader(), LANGUAGE), site_of(root)
    chunks_of = cache(lambda path: evidence_of(read_page(root, path), site))
    faithful, lies, changes = list[Checked](), list[Checked](), list[str]()
    for row in counted(rows, name):
        known = verifier.read(holding(chunks_of(row["page"]), row["start"], row["end"]))
        if known.texts:
            faithful.append(verifier.check(row["faithful"], known))
            lies.append(verifier.check(row["lie"], known))
            changes.append(row["change"])
    shown = [lie.verdict is not Verdict.UNSUPPORTED for lie in lies]
    return {
        "twins": len(lies),
        "not_in_any_chunk": len(rows) - len(lies),
        "faithful_shown": share(twin.verdict is not Verdict.UNSUPPORTED for twin in faithful),
        "lies_shown": share(shown),
        "lies_shown_by_change": {
            change: share(is_shown for is_shown, its in zip(shown, changes, strict=True) if its == change)
            for change in sorted(set(changes))
        },
        "auroc": auroc(np.array([twin.score for twin in faithful]), np.array([lie.score for lie in lies])),
    }


def holding(chunks: Sequence[Evidence], start: int, end: int) -> list[Evidence]:
    """The chunk that holds the place, or most of it."""

    def shared(chunk: Evidence) -> int:
        return min(chunk.chunk.end, end) - max(chunk.chunk.start, start)

    best = max(chunks, key=shared, default=None)
    return [best] if best and shared(best) > 0 else []


def evidence_of(page: PageFile, site: Site) -> list[Evidence]:
    """Every chunk of a page, cut as an ingest cuts it."""
    split = process_page(page, site, embedder(), LANGUAGE)
    chunks = groupby(split.passages, key=lambda passage: passage.chunk)
    return [
        Evidence(number, chunk, chunk.sections[0], (), 1.0, tuple(passages))
        for number, (chunk, passages) in enumerate(chunks, start=1)
    ]


@cache
def embedder() -> Embedder:
    return embedder_of(Settings())


@cache
def reader() -> Reader:
    return reader_of(Settings())


def scores(retrieval: Sequence[RetrievalResult]) -> np.ndarray:
    return np.array([result.confidence.score for result in retrieval])


def _selection(text: str) -> Selection:
    return Selection(text[:10_000], only=True)


def _titled(lesson: str) -> str:
    title = re.search(r'^title: "?(.+?)"?$', lesson, re.MULTILINE)
    return f"What is {title[1]}?" if title else "What is this lesson about?"


def _has_one_of(answers: Sequence[str], reply: str) -> bool:
    return any(_plain(answer) in _plain(reply) for answer in answers)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", re.sub(r"\[\d+\]", " ", text)).strip().lower()


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def some(rows: Sequence[Row], limit: int) -> Sequence[Row]:
    """The same ones every time."""
    return rows if len(rows) <= limit else random.Random(SEED).sample(rows, limit)


def counted(rows: Sequence[Row], what: str) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if number % 100 == 0 or number == len(rows):
            say(f"  {what} {number}/{len(rows)}")
        yield row


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def share(which: Iterable[object]) -> float:
    values = [bool(value) for value in which]
    return round(sum(values) / len(values), 4) if values else 0.0


def auroc(yes: np.ndarray, no: np.ndarray) -> float | None:
    if not len(yes) or not len(no):
        return None
    wins = (yes[:, None] > no[None, :]).mean() + 0.5 * (yes[:, None] == no[None, :]).mean()
    return round(float(wins), 4)


def calibration_error(yes: np.ndarray, no: np.ndarray, bins: int = 10) -> float:
    """The expected one, over bins of equal width."""
    chance, right = np.r_[yes, no], np.r_[np.ones(len(yes)), np.zeros(len(no))]
    place = np.minimum((chance * bins).astype(int), bins - 1)
    errors = (
        np.mean(place == b) * abs(chance[place == b].mean() - right[place == b].mean())
        for b in range(bins)
        if (place == b).any()
    )
    return round(float(sum(errors)), 4)


if __name__ == "__main__":
    main()
