"""Finds, with the product's own search, the windows that each of our questions is trained with.

For every question: windows that hold the answer, and windows that the search brings and that do not. They are kept as
places (page, start, end), so that later trainings need no index. Runs in the product's environment.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

from pages import Pages, has, holds, root_of, rows_of, span_of, touches

from glossator.adapters.terminal import progress_for
from glossator.answer.retrieve import DEPTH, ReaderQuery, candidates
from glossator.answer.windows import windows
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.model import IndexQuery, Window
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_of, ingest_tools_of, reader_of

READ = 8
"""Windows that the search brings for a question: about as many as the product reads."""
GOLD, FIRST, OTHERS = 3, 3, 1
"""Windows of a question: so many that hold the answer; of those that do not so many of the first, and some by chance."""


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
        query = IndexQuery(question, embedding.vector, limit=DEPTH, candidates=DEPTH, states=True)
        found = self.index.search(query)
        chosen = candidates(ReaderQuery((question,), embedding, self.lexicon), found, READ)
        return [candidate.window for candidate in chosen]


class Miner:
    def __init__(self, book: Book, seed: int) -> None:
        self.book, self.pages = book, Pages(book.root)
        self.chance, self.figures = random.Random(seed), Counter[str]()

    def windows_of(self, row: dict) -> dict:
        asked = " ".join([turn["question"] for turn in row.get("history", [])[-1:]] + [row["question"]])
        found, gold = self.book.search(asked), row.get("gold", [])
        holding = [window for window in found if any(holds(window, place) for place in gold)]
        others = [window for window in found if not self._might_answer(window, row)]
        self.figures["answerable"] += bool(gold)
        self.figures["found"] += bool(holding)
        positive = self._positive(gold, holding) if gold else []
        negative = self._first(others) if gold else self._hardest(asked, others)
        return {
            "id": row["id"],
            "answers": [placed(window) for window in positive],
            "others": [placed(window) for window in negative],
        }

    def _might_answer(self, window: Window, row: dict) -> bool:
        """It stands where the answer does, or has all facts: authors say a thing more than once."""
        if not row.get("gold"):
            return False
        text = "\n".join(window.texts)
        return any(touches(window, place) for place in row["gold"]) or all(
            has(text, fact) for fact in row["must"]
        )

    def _positive(self, gold: list[dict], found: list[Window]) -> list[Window]:
        pages = dict.fromkeys(place["page"] for place in gold)
        here = [
            window for page in pages for passage in self.pages.passages(page) for window in windows(passage)
        ]
        known = {(window.passage.point_id, window.first) for window in found}
        more = [
            window
            for window in here
            if any(holds(window, place) for place in gold)
            and (window.passage.point_id, window.first) not in known
        ]
        self.chance.shuffle(more)
        self.figures["unplaced"] += not found and not more
        return (found[: GOLD - 1] + more)[:GOLD]

    def _first(self, found: list[Window]) -> list[Window]:
        """As the search orders them: what the reader takes for an answer to an answerable question often is one."""
        rest = found[FIRST:]
        return found[:FIRST] + self.chance.sample(rest, min(OTHERS, len(rest)))

    def _hardest(self, asked: str, found: list[Window]) -> list[Window]:
        """What the shipped reader would have answered with, though the book does not answer."""
        readings = self.book.reader.read(asked, found)
        order = sorted(range(len(found)), key=lambda place: -readings[place].answers)
        return self._first([found[place] for place in order])


def placed(window: Window) -> list:
    return [window.passage.chunk.page, *span_of(window)]


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("books", nargs="+")
    words.add_argument("--folder", type=Path, action="append", required=True, help="a folder of books")
    words.add_argument("--homes", type=Path, required=True, help="where the books' indexes are kept")
    given = words.parse_args()
    here = Path(__file__).parent
    for name in given.books:
        book = Book(name, root_of(name, given.folder), given.homes)
        with closing(book.index):
            miner = Miner(book, seed=11)
            rows = [miner.windows_of(row) for row in rows_of(here / "questions" / f"{name}.jsonl")]
        lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows]
        (here / "mined").mkdir(exist_ok=True)
        (here / "mined" / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        print(name, len(rows), dict(miner.figures), flush=True)


if __name__ == "__main__":
    main()
