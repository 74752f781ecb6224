"""Examples from our own questions: the windows that were mined for each (`mine.py`), as the reader will see them.

Runs in the product's environment; needs the books' pages and no index.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

from packing import ANSWER, LONGEST_QUESTION, Example, Pieces, Unit, pack
from pages import Pages, overlap, root_of, rows_of, same_page, span_of, spans_of

from glossator.answer.windows import windows
from glossator.model import Span, Window


class Maker:
    def __init__(self, name: str, pages: Pages, pieces: Pieces) -> None:
        self.name, self.pages, self.pieces = name, pages, pieces
        self.examples, self.figures, self._group = list[Example](), Counter[str](), 0
        self._encoded = lru_cache(20000)(pieces.with_places)
        self._windows = lru_cache(1024)(self._windows_of)

    def add(self, row: dict, mined: dict) -> None:
        self._group += 1
        for label, places in ((1, mined["answers"]), (0, mined["others"])):
            for page, start, end in places:
                window = self.window(page, start, end)
                self.figures["windows"] += 1
                self.figures["lost"] += window is None
                if window:
                    self.examples.append(self.example(row, window, label))

    def window(self, page: str, start: int, end: int) -> Window | None:
        """The one that shares most with the place: how pages are cut may have changed since it was mined."""

        def shared(span: Span) -> float:
            return (min(end, span.end) - max(start, span.start)) / (
                max(end, span.end) - min(start, span.start)
            )

        span, window = max(self._windows(page), key=lambda pair: shared(pair[0]), default=(Span(0, 0), None))
        return window if window and shared(span) > 0.5 else None

    def _windows_of(self, page: str) -> list[tuple[Span, Window]]:
        return [
            (span_of(window), window) for passage in self.pages.passages(page) for window in windows(passage)
        ]

    def example(self, row: dict, window: Window, label: int) -> Example:
        """Under the headings as the product's reader sees them."""
        before = [turn["question"] for turn in row.get("history", [])[-1:]]
        question = self.pieces.ids(" ".join([*before, row["question"]]))
        heading = list(self.pages.reader.heading_ids(window, set(question[:LONGEST_QUESTION])))
        units = self.units(window, row if label else {})
        return Example(question, heading, units, ANSWER, label, self._group, f"own/{self.name}")

    def units(self, window: Window, row: dict) -> list[Unit]:
        page = window.passage.chunk.page
        gold = [place for place in row.get("gold", ()) if same_page(page, place["page"])]
        found = list[Unit]()
        for text, (start, end) in zip(window.texts, spans_of(window), strict=True):
            ids, places = self._encoded(text)
            label = int(any(overlap(start, end, place) for place in gold))
            facts = facts_in(text, places, row["must"]) if label else [0] * len(ids)
            found.append(Unit(ids, label, facts))
        return found


def facts_in(text: str, places: list[tuple[int, int]], must: list[list[str]]) -> list[int]:
    """A flag for each word piece: whether it belongs to a fact."""
    low = text.lower()
    spans = [
        match.span()
        for fact in must
        for spelling in fact
        for match in re.finditer(re.escape(spelling.lower()), low)
    ]
    return [int(any(start < b and end > a for a, b in spans)) for start, end in places]


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("books", nargs="+")
    words.add_argument("--folder", type=Path, action="append", required=True, help="a folder of books")
    words.add_argument("--tokenizer", type=Path, required=True)
    words.add_argument("--out", type=Path, required=True, help="a folder; one file a book")
    given = words.parse_args()
    here, pieces = Path(__file__).parent, Pieces(given.tokenizer)
    for name in given.books:
        make = Maker(name, Pages(root_of(name, given.folder)), pieces)
        mined = {row["id"]: row for row in rows_of(here / "mined" / f"{name}.jsonl")}
        for row in rows_of(here / "questions" / f"{name}.jsonl"):
            if row["id"] in mined:
                make.add(row, mined[row["id"]])
        if make.examples:
            pack(make.examples, given.out / f"{name}.npz")
        print(name, len(make.examples), dict(make.figures), flush=True)


if __name__ == "__main__":
    main()
