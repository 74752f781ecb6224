"""Examples from our own questions and twins: the windows that the product's own search brings for each.

Runs in the product's environment: it ingests the books, asks its index, and cuts the windows that the reader will see.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from math import inf
from pathlib import Path

from lies import lie_of
from packing import ANSWER, CLAIM, LONGEST_QUESTION, NOT_SUPPORTED, UNKNOWN, Example, Pieces, Unit, pack

from glossator.adapters.terminal import progress_for
from glossator.answer.question_generation import (
    GeneratedQuestion,
    definition_questions,
    number_questions,
    sections_of,
    table_questions,
)
from glossator.answer.retrieve import DEPTH, Query, candidates
from glossator.answer.windows import source_spans, windows
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.model import Filters, IndexQuery, Span, Window
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_of, ingest_tools_of, reader_of

READ = 12
"""Windows that are read for a question, for the hardest to be found: about as many as the product reads."""
HARDEST, OTHERS = 3, 1
"""Of the windows that do not answer: so many that the last reader took most for an answer, and so many by chance."""


AS_GOOD = 0.5
"""Of a logit, below the best gold window: a window that does not hold the gold place and is no further from it is left out."""
OF_ITSELF = 150
"""Questions of each kind that a book is made to ask of itself."""


class Book:
    def __init__(self, name: str, root: Path, homes: Path) -> None:
        settings = Settings(home=homes / name)
        self.name, self.root = name, root
        if not (homes / name / "done").exists():
            tools = ingest_tools_of(settings, progress_for(sys.stderr), print)
            ingest(root, site_of(root), tools)
            (homes / name / "done").touch()
        self.embedder = embedder_of(settings)
        self.index = index_of(settings, expects=self.embedder.identity)
        self.lexicon = self.index.manifest().lexicon
        self.reader = reader_of(settings)

    def search(self, question: str) -> list[Window]:
        """The windows that the product would read, best first."""
        embedding = self.embedder.embed_query(question, states=True)
        found = self.index.search(
            IndexQuery(text=question, vector=embedding.vector, limit=DEPTH, candidates=DEPTH, states=True)
        )
        chosen = candidates(Query((question,), embedding, self.lexicon), found, READ)
        return [candidate.window for candidate in chosen]

    def on_page(self, page: str, question: str) -> list[Window]:
        embedding = self.embedder.embed_query(question, states=True)
        query = IndexQuery(
            text=question,
            vector=embedding.vector,
            limit=60,
            candidates=60,
            filters=Filters(page=(page,)),
            states=True,
        )
        return [window for found in self.index.search(query) for window in windows(found.passage)]


def squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def has(text: str, fact: Sequence[str]) -> bool:
    plain, low = f" {squeezed(text)} ", text.lower()
    return any(
        f" {squeezed(word)} " in plain
        if squeezed(word) and len(squeezed(word)) >= len(word.strip()) - 1
        else word.lower() in low
        for word in fact
    )


class Maker:
    def __init__(self, pieces: Pieces, seed: int) -> None:
        self.pieces, self.chance, self.examples, self._group = pieces, random.Random(seed), [], 0
        self.figures: Counter[str] = Counter()
        self._encoded = lru_cache(20000)(pieces.with_places)

    def of(self, book: Book, row: dict) -> None:
        asked = " ".join([turn["question"] for turn in row.get("history", [])[-1:]] + [row["question"]])
        found = book.search(asked)
        self._group += 1
        gold = row.get("gold", [])
        positive, negative = [], []
        for window in found:
            if any(self.covers(window, place) for place in gold):
                positive.append(window)
            elif not self.touches(window, gold) and not (
                gold and all(has(self.text(window), fact) for fact in row["must"])
            ):
                negative.append(window)
        self.figures["found"] += bool(positive)
        self.figures["answerable"] += bool(gold)
        if gold:
            here = [
                window
                for page in dict.fromkeys(place["page"] for place in gold)
                for window in book.on_page(self.page_of(book, page), asked)
            ]
            there = [window for window in here if any(self.covers(window, place) for place in gold)]
            known = {(one.passage.point_id, one.first) for one in positive}
            more = [window for window in there if (window.passage.point_id, window.first) not in known]
            self.chance.shuffle(more)
            self.figures["unplaced"] += not positive and not more
            positive = (positive[:2] + more)[:3]
        negative = self.hardest(book, asked, negative, positive)
        for window in positive:
            self.add(book, asked, window, 1, row, gold)
        for window in negative:
            self.add(book, asked, window, 0, row, [])

    def hardest(self, book: Book, asked: str, found: list[Window], gold: list[Window]) -> list[Window]:
        """Mined again with the reader of the last round: what it would have answered with, wrongly.

        What it takes for as good as the gold often is: authors say a thing more than once.
        """
        if not found:
            return []
        readings = book.reader.read(asked, found)
        best = max((reading.answers for reading in book.reader.read(asked, gold)), default=inf)
        sure = [place for place, reading in enumerate(readings) if reading.answers < best - AS_GOOD]
        self.figures["as good as gold"] += len(found) - len(sure)
        order = sorted(sure, key=lambda place: -readings[place].answers)
        rest = order[HARDEST:]
        chosen = order[:HARDEST] + self.chance.sample(rest, min(OTHERS, len(rest)))
        return [found[place] for place in chosen]

    def add(self, book: Book, asked: str, window: Window, label: int, row: dict, gold: list[dict]) -> None:
        units = self.units(window, gold, row.get("must", []) if label else [])
        self.examples.append(self.example(book, asked, window, units, ANSWER, label, "own"))

    def units(self, window: Window, gold: list[dict], must: list[list[str]]) -> list[Unit]:
        found = []
        for text, (start, end) in zip(window.texts, spans_of(window), strict=True):
            ids, places = self._encoded(text)
            label = int(any(overlap(start, end, place) for place in gold))
            facts = [0] * len(ids)
            if label:
                for word in (word.lower() for fact in must for word in fact):
                    for match in re.finditer(re.escape(word), text.lower()):
                        a, b = match.span()
                        facts = [
                            int(flag or (s < b and e > a)) for flag, (s, e) in zip(facts, places, strict=True)
                        ]
            found.append(Unit(ids, label, facts))
        return found

    def text(self, window: Window) -> str:
        return "\n".join(window.texts)

    def span(self, window: Window) -> tuple[int, int]:
        """Characters of the page."""
        spans = spans_of(window)
        return min(start for start, _ in spans), max(end for _, end in spans)

    def covers(self, window: Window, place: dict) -> bool:
        """Most of the place stands in the window."""
        if not same_page(window.passage.chunk.page, place["page"]):
            return False
        start, end = self.span(window)
        shared = min(end, place["end"]) - max(start, place["start"])
        return shared >= 0.6 * min(place["end"] - place["start"], 260)

    def touches(self, window: Window, gold: list[dict]) -> bool:
        start, end = self.span(window)
        return any(
            same_page(window.passage.chunk.page, place["page"])
            and start < place["end"]
            and end > place["start"]
            for place in gold
        )

    def page_of(self, book: Book, page: str) -> str:
        return next(
            (record.path for record in book.index.manifest().pages if same_page(record.path, page)), page
        )

    def itself(self, book: Book) -> None:
        """What the book asks of itself: its definitions, numbers and tables, at no cost."""
        sections = sections_of(book.index.chunks())
        for asks in (definition_questions, number_questions, table_questions):
            made = asks(sections, book.lexicon.language)
            for question in self.chance.sample(made, min(OF_ITSELF, len(made))):
                self._group += 1
                self.self_asked(book, question)

    def self_asked(self, book: Book, question: GeneratedQuestion) -> None:
        facts = [squeezed(fact) for fact in question.facts]
        found = book.search(question.text)
        here = [window for window in found if self.says(window, facts)]
        here = here or [
            window
            for place in question.places
            for window in book.on_page(place.page, question.text)
            if self.says(window, facts)
        ]
        away = [
            window
            for window in found
            if not self.says(window, facts)
            and not any(
                place.holds(window.passage.chunk.page, self.span(window)[0]) for place in question.places
            )
        ]
        self.figures["asked of itself"] += bool(here)
        if not here:
            return
        for window in here[:2]:
            units = [
                Unit(self.pieces.ids(text), 1 if _says(text, facts) else UNKNOWN) for text in window.texts
            ]
            self.of_itself(book, question.text, window, units, 1)
        for window in self.chance.sample(away, min(3, len(away))):
            units = [Unit(self.pieces.ids(text), 0) for text in window.texts]
            self.of_itself(book, question.text, window, units, 0)

    def of_itself(self, book: Book, text: str, window: Window, units: list[Unit], label: int) -> None:
        self.examples.append(self.example(book, text, window, units, ANSWER, label, "self", 0.7))

    def says(self, window: Window, facts: Sequence[str]) -> bool:
        return any(_says(text, facts) for text in window.texts)

    def twin(self, book: Book, row: dict) -> None:
        here = [
            window
            for window in book.on_page(self.page_of(book, row["page"]), row["faithful"])
            if self.covers(window, row)
        ]
        self.figures["twins"] += 1
        self.figures["twins placed"] += bool(here)
        if not here:
            return
        away = [window for window in book.search(row["faithful"]) if not self.touches(window, [row])]
        self._group += 1
        window = self.chance.choice(here)
        gold = [number for number, (start, end) in enumerate(spans_of(window)) if overlap(start, end, row)]
        around = self.chance.choice((0, 1, 1))
        evidence = narrowed(window, gold[0] - around, gold[-1] + 1 + around) if gold else window
        self.claim(book, row["faithful"], evidence, 0)
        self.claim(book, row["lie"], evidence, NOT_SUPPORTED)
        made = lie_of(row["faithful"], window.texts, self.chance)
        if made:
            self.claim(book, made, evidence, NOT_SUPPORTED, 0.7)
        for other in away[:1]:
            place = max(
                range(len(other.parts)), key=lambda number: shared_words(row["faithful"], other.texts[number])
            )
            self.claim(book, row["faithful"], narrowed(other, place - 1, place + 2), 2, 0.5)

    def ideal(self, book: Book, row: dict) -> None:
        """A good answer is supported by the place it was written from, and not told elsewhere."""
        pages = {place["page"] for place in row["gold"]}
        here = (
            [
                window
                for window in book.on_page(self.page_of(book, next(iter(pages))), row["ideal"])
                if all(self.covers(window, place) for place in row["gold"])
            ]
            if len(pages) == 1
            else []
        )
        if not here:
            return
        self._group += 1
        window = self.chance.choice(here)
        self.claim(book, row["ideal"], window, 0, 0.6)
        made = lie_of(row["ideal"], window.texts, self.chance)
        if made:
            self.claim(book, made, window, NOT_SUPPORTED, 0.6)
        away = [
            window
            for window in book.search(row["ideal"])[:8]
            if not self.touches(window, row["gold"])
            and not all(has(self.text(window), fact) for fact in row["must"])
        ]
        if away:
            self.claim(book, row["ideal"], away[0], 2, 0.5)

    def claim(self, book: Book, claim: str, window: Window, label: int, weight: float = 1.0) -> None:
        units = [Unit(unit.ids) for unit in self.units(window, [], [])]
        self.examples.append(self.example(book, claim, window, units, CLAIM, label, "twins", weight))

    def example(
        self,
        book: Book,
        text: str,
        window: Window,
        units: list[Unit],
        task: int,
        label: int,
        kind: str,
        weight: float = 1.0,
    ) -> Example:
        """Under the headings as the product's reader sees them."""
        question = self.pieces.ids(text)
        heading = list(book.reader.heading_ids(window, set(question[:LONGEST_QUESTION])))
        return Example(question, heading, units, task, label, self._group, f"{kind}/{book.name}", weight)


def _says(text: str, facts: Sequence[str]) -> bool:
    said = squeezed(text)
    return any(fact in said or (len(said) > 20 and said in fact) for fact in facts if fact)


def narrowed(window: Window, first: int, after: int) -> Window:
    return window._replace(parts=window.parts[max(first, 0) : after])


def shared_words(one: str, other: str) -> int:
    return len(set(squeezed(one).split()) & set(squeezed(other).split()))


def spans_of(window: Window) -> list[Span]:
    return source_spans(window.passage, window.parts)


def overlap(start: int, end: int, place: dict) -> bool:
    shared = min(end, place["end"]) - max(start, place["start"])
    return shared >= min(0.4 * (end - start), 25)


def same_page(a: str, b: str) -> bool:
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def rows_of(path: Path) -> Iterator[dict]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("books", nargs="+")
    words.add_argument("--folder", type=Path, action="append", required=True, help="a folder of books")
    words.add_argument("--homes", type=Path, required=True, help="where the books' indexes are kept")
    words.add_argument("--tokenizer", type=Path, required=True)
    words.add_argument("--out", type=Path, required=True, help="a folder; one file a book")
    given = words.parse_args()
    here = Path(__file__).parent
    for name in given.books:
        root = next(folder / name for folder in given.folder if (folder / name).is_dir())
        book = Book(name, root, given.homes)
        with closing(book.index):
            make = Maker(Pieces(given.tokenizer), seed=11)
            for row in rows_of(here / "questions" / f"{name}.jsonl"):
                make.of(book, row)
                if row.get("ideal") and row["kind"] != "followup":
                    make.ideal(book, row)
            for row in rows_of(here / "twins" / f"{name}.jsonl"):
                make.twin(book, row)
            make.itself(book)
            if make.examples:
                pack(make.examples, given.out / f"{name}.npz")
            print(name, len(make.examples), dict(make.figures), flush=True)


if __name__ == "__main__":
    main()
