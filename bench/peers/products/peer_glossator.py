"""Glossator through its Python door: hybrid search, then the reader model ranks what was found."""

from __future__ import annotations

import os
from pathlib import Path

from glossator import Book
from glossator.model import Chunk, Passage
from peers.product import Counts, Found, Settings


class Peer:
    def __init__(self, settings: Settings) -> None:
        self.pid = os.getpid()
        self._home = settings.home
        self._book: Book | None = None

    def ingest(self, folder: Path) -> Counts:
        self._book = Book.ingest(folder, self._home)
        assert self._book.report
        return Counts(self._book.report.pages, self._book.report.passages)

    def open(self) -> None:
        # A question that is asked twice must cost twice, as it does for the others.
        self._book = Book(self._home, result_cache_entries=0)

    def search(self, question: str, k: int) -> list[Found]:
        assert self._book
        hits = self._book.search(question, top_k=k)
        return [Found(hit.chunk.page, text_of(hit.chunk, hit.passage), hit.similarity) for hit in hits]

    def close(self) -> None:
        if self._book:
            self._book.close()


def text_of(chunk: Chunk, passage: Passage) -> str:
    """The passage and not the chunk, which is many times as long as what the others return."""
    return chunk.text[passage.start - chunk.start : passage.end - chunk.start]
