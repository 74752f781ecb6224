"""Books without an index: their pages cut as an ingest cuts them, and places on a page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from glossator.answer.windows import source_spans
from glossator.errors import PageUnreadable
from glossator.ingest.page import load_page, process_page
from glossator.ingest.sites import site_of
from glossator.model import Passage, Span, Window
from glossator.settings import Settings
from glossator.wiring import embedder_of, reader_of

LANGUAGE = "english"


class Pages:
    """The passages of a book's pages."""

    def __init__(self, root: Path) -> None:
        settings = Settings()
        self.root, self.site = root, site_of(root)
        self.embedder, self.reader = embedder_of(settings), reader_of(settings)
        self.passages = lru_cache(4096)(self._passages)

    def _passages(self, page: str) -> Sequence[Passage]:
        """Nothing for a page that cannot be read."""
        try:
            file = load_page(self.root, page, self.site)
        except PageUnreadable:
            return ()
        return process_page(file, self.site, self.embedder, LANGUAGE).passages


def root_of(name: str, folders: Sequence[Path]) -> Path:
    return next(folder / name for folder in folders if (folder / name).is_dir())


def rows_of(path: Path) -> Iterator[dict]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def spans_of(window: Window) -> list[Span]:
    """Of its parts in the file of the page, in which the places of answers were written down."""
    place_of = window.passage.chunk.place_of
    return [place_of(span) for span in source_spans(window.passage, window.parts)]


def span_of(window: Window) -> Span:
    """Characters of the page's file."""
    spans = spans_of(window)
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def holds(window: Window, place: dict) -> bool:
    """Whether most of the place stands in the window."""
    start, end = span_of(window)
    shared = min(end, place["end"]) - max(start, place["start"])
    return _is_on_page(window, place) and shared >= 0.6 * min(place["end"] - place["start"], 260)


def touches(window: Window, place: dict) -> bool:
    start, end = span_of(window)
    return _is_on_page(window, place) and start < place["end"] and end > place["start"]


def _is_on_page(window: Window, place: dict) -> bool:
    return same_page(window.passage.chunk.page, place["page"])


_YES_OR_NO = re.compile(r"(?:yes|no)\b", re.IGNORECASE)


def verdict_of(row: dict) -> str:
    """ "yes" or "no" where an answer to the question begins so, else nothing."""
    ideal = _YES_OR_NO.match(row.get("ideal") or "") if row["kind"] == "yesno" else None
    return row.get("verdict") or (ideal[0].lower() if ideal else "")


def same_page(a: str, b: str) -> bool:
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def overlap(start: int, end: int, place: dict) -> bool:
    """Whether a unit belongs to the place."""
    shared = min(end, place["end"]) - max(start, place["start"])
    return shared >= min(0.4 * (end - start), 25)


def squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def has(text: str, fact: Sequence[str]) -> bool:
    """Whether a spelling of the fact stands in the text, as whole words; signs are looked for as they stand."""
    plain, low = f" {squeezed(text)} ", text.lower()
    return any(
        f" {squeezed(word)} " in plain
        if squeezed(word) and len(squeezed(word)) >= len(word.strip()) - 1
        else word.lower() in low
        for word in fact
    )
