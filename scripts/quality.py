"""How good the answers are, on real question sets: the figures of docs/quality.md, as JSON.

    make quality            (or make quality DATA=folder, of the same layout as shared/data)

What judges a set was fitted without it (scripts/judging.json, by scripts/fit_answers.py).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from fit_answers import calibration_error
from sets import Asked, Set, opened, read_lines, sets_of

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.compose import compose
from glossator.answer.judge import LOW, Weights
from glossator.answer.pipeline import Assistant
from glossator.answer.retrieve import retrieve
from glossator.answer.select import select
from glossator.model import Outcome, Question, Selection
from glossator.wiring import calibration_of

SEED = 7
JUDGING = Path(__file__).with_name("judging.json")
ANSWERED = (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder like shared/data")
    parser.add_argument("--homes", type=Path, default=Path("/tmp/glossator-homes"))
    parser.add_argument("--most", type=int, default=1000, help="questions of a set")
    options = parser.parse_args()
    data = options.data / "eval" if (options.data / "eval").is_dir() else options.data
    sets = sets_of(data, options.homes / "pages")
    figures: dict[str, object] = {}
    for one in sets.values():
        print(f"{one.name} …", file=sys.stderr, flush=True)
        with opened(one, options.homes) as (embedder, index):
            bench = Bench(one, embedder, index, data, options.most)
            figures[one.name] = bench.figures()
            print(json.dumps(figures[one.name]), file=sys.stderr, flush=True)
    if (data / "grounding").is_dir():
        figures["grounding"] = grounding(data)
    json.dump(figures, sys.stdout, indent=2)
    print()


class Bench:
    """One set, with its book open."""

    def __init__(self, one: Set, embedder, index, data: Path, most: int) -> None:
        self.one, self.embedder, self.index, self.data = one, embedder, index, data
        chance = random.Random(SEED)
        self.questions = one.questions if len(one.questions) <= most else chance.sample(one.questions, most)
        self.answerable = [asked for asked in self.questions if asked.answerable]
        self.weights = _weights(one.name)

    def figures(self) -> dict[str, object]:
        figures: dict[str, object] = {"questions": len(self.questions), "retrieval": self.retrieval()}
        figures |= self.refusal()
        if self.one.chapters:
            figures |= {"answers": self.answers(), "time": self.time()}
        if (self.one.folder.parent / "near_ood_unanswerable.jsonl").is_file() and (
            self.data / "injection"
        ).is_dir():
            figures["injection"] = self.injection(self.data / "injection")
        if any(not asked.answerable for asked in self.questions):
            figures["selection"] = self.selection()
        return figures

    def retrieval(self) -> dict[str, float]:
        """By the pages of the first twenty chunks, each once; spans by the chunks themselves."""
        places = [self._place(asked) for asked in self.answerable]
        return {
            "hit@1": share(place < 1 for place in places),
            "hit@5": share(place < 5 for place in places),
            "mrr@10": round(sum(1 / (1 + place) for place in places if place < 10) / max(len(places), 1), 4),
        }

    def _place(self, asked: Asked) -> int:
        hits = retrieve(asked.text, self.embedder, self.index, top_k=20).hits
        right: dict[str, bool] = {}
        for hit in hits:
            chunk = hit.chunk
            is_right = self.one.is_gold(asked, chunk.page)
            if asked.spans:
                is_right = is_right and any(
                    chunk.start < end and start < chunk.end for start, end in asked.spans
                )
            right.setdefault(chunk.chunk_id if asked.spans else chunk.page, is_right)
        return next((place for place, is_right in enumerate(right.values()) if is_right), 99)

    def refusal(self) -> dict[str, object]:
        """How many of which questions are refused, where so many of the book's own are answered."""
        yes = self._scores([asked.text for asked in self.answerable])
        far = self._scores(self._far())
        figures: dict[str, object] = {
            "answered": share(yes >= LOW),
            "far_refused": share(far < LOW),
            "far_refused_at_95_answered": share(far < np.quantile(yes, 0.05)),
            "calibration_error": round(calibration_error(yes, far), 4),
        }
        near_file = self.one.folder.parent / "near_ood_unanswerable.jsonl"
        if near_file.is_file():
            near = self._scores([row["text"] for row in read_lines(near_file)])
            figures["near_refused"] = share(near < LOW)
            figures["near_refused_at_92_answered"] = share(near < np.quantile(yes, 0.08))
            figures["near_auroc"] = auroc(yes, near)
        return {"refusal": figures}

    def _far(self) -> list[str]:
        file = self.data / "far_ood_unanswerable.jsonl"
        rows = read_lines(file) if file.is_file() else iter(())
        return [row["text"] for row in rows if row.get("home") != self.one.name]

    def _scores(self, texts: Sequence[str]) -> np.ndarray:
        found = (retrieve(text, self.embedder, self.index).signs for text in texts)
        return np.array([self.weights.probability(signs) for signs in found])

    def answers(self) -> dict[str, object]:
        """Whole answers: which page they cite, and how long they are."""
        assistant = self._assistant()
        answers = [(asked, _answer(assistant, Question(asked.text))) for asked in self.answerable]
        told = [
            (asked, answer) for asked, answer in answers if answer.outcome in ANSWERED and answer.citations
        ]
        return {
            "answered": share(answer.outcome in ANSWERED for _, answer in answers),
            "cites_gold_page": share(
                any(self.one.is_gold(asked, citation.page) for citation in answer.citations)
                for asked, answer in told
            ),
            "first_citation_on_gold_page": share(
                self.one.is_gold(asked, answer.citations[0].page) for asked, answer in told
            ),
            "citations_on_gold_page": share(
                self.one.is_gold(asked, citation.page)
                for asked, answer in told
                for citation in answer.citations
            ),
            "median_words": median(len(answer.text.split()) for _, answer in told) if told else 0,
        }

    def injection(self, folder: Path) -> dict[str, object]:
        """Lessons with an order planted in them, as selections; and harmless questions full of trigger words."""
        assistant = self._assistant()
        planted = list(read_lines(folder / "bipia_train_in_lessons.jsonl"))
        told = [
            (
                row["attack"],
                _answer(assistant, Question(_titled(row["text"]), Selection(row["text"][:10_000], True))),
            )
            for row in planted
        ]
        harmless = json.loads((folder / "NotInject_one.json").read_text("utf-8"))
        return {
            "lessons": len(told),
            "answered": share(answer.outcome in ANSWERED for _, answer in told),
            "attack_in_answer": share(_plain(attack) in _plain(answer.text) for attack, answer in told),
            "harmless_questions_taken": share(
                bool(_answer(assistant, Question(row["prompt"][:2000])).text) for row in harmless
            ),
        }

    def selection(self) -> dict[str, object]:
        """The paragraph as selection: whether what it lacks scores lower, and whether the answer is in the reply."""
        weights = _weights(self.one.name, selection=True)
        yes = np.array([self._selected(asked, weights) for asked in self.answerable])
        no = np.array([self._selected(asked, weights) for asked in self.questions if not asked.answerable])
        figures = {"refusal_auroc": auroc(yes, no), "answered": share(yes >= LOW), "refused": share(no < LOW)}
        if any(asked.answers for asked in self.answerable):
            assistant = self._assistant()
            replies = [
                (asked, _answer(assistant, Question(asked.text, Selection(asked.passage, only=True))).text)
                for asked in self.answerable
            ]
            figures["answer_in_reply"] = share(
                any(_plain(answer) in _plain(reply) for answer in asked.answers) for asked, reply in replies
            )
        return figures

    def _selected(self, asked: Asked, weights: Weights) -> float:
        calibration = calibration_of(self.embedder.identity)
        selection = Selection(asked.passage, only=True)
        retrieved, _ = select(
            asked.text, selection, self.embedder, calibration=calibration, language="english"
        )
        return weights.probability(retrieved.signs)

    def time(self) -> dict[str, float]:
        """Whole answers over embedding, search and rerank alone, taken in turns."""
        assistant = self._assistant()
        with asyncio.Runner() as runner:
            floors, wholes = [], []
            for asked in self.answerable[:100]:
                floors.append(_timed(lambda asked=asked: retrieve(asked.text, self.embedder, self.index)))
                wholes.append(_timed(lambda asked=asked: runner.run(assistant.answer(Question(asked.text)))))
        return {
            "floor_ms": round(median(floors) * 1000, 2),
            "answer_ms": round(median(wholes) * 1000, 2),
            "ratio": round(median(whole / floor for whole, floor in zip(wholes, floors, strict=True)), 3),
        }

    def _assistant(self) -> Assistant:
        return Assistant(
            self.embedder, self.index, ExtractiveWriter(compose), calibration_of(self.embedder.identity)
        )


def grounding(folder: Path) -> dict[str, object]:
    from fit_verify import scifact_accuracy, wice_accuracy

    return {
        "wice_dev_balanced_accuracy": wice_accuracy(folder),
        "scifact_support_against_contradict": scifact_accuracy(folder),
    }


def _titled(lesson: str) -> str:
    title = re.search(r'^title: "?(.+?)"?$', lesson, re.MULTILINE)
    return f"What is {title[1]}?" if title else "What is this lesson about?"


def _weights(name: str, *, selection: bool = False) -> Weights:
    """Fitted without this set; those of all sets for a set that none of them was fitted on."""
    fitted = json.loads(JUDGING.read_text("utf-8"))["selection" if selection else "book"]
    return Weights(**fitted.get(f"without {name}", fitted["all"]))


def _answer(assistant: Assistant, question: Question):
    return asyncio.run(assistant.answer(question))


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", re.sub(r"\[\d+\]", " ", text)).strip().lower()


def share(which: Iterator[bool] | np.ndarray) -> float:
    values = list(which)
    return round(sum(map(bool, values)) / len(values), 4) if values else 0.0


def auroc(yes: np.ndarray, no: np.ndarray) -> float:
    wins = (yes[:, None] > no[None, :]).mean() + 0.5 * (yes[:, None] == no[None, :]).mean()
    return round(float(wins), 4)


if __name__ == "__main__":
    main()
