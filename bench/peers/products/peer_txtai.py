"""txtai as in its RAG quick start: cut files, index them with their content, search; paragraphs for sections.

The quick start cuts by the sections that docling finds. Markdown needs no docling, which would bring a second
gigabyte of models for PDF, so the pages are cut at empty lines by txtai's own segmentation.
"""

from __future__ import annotations

import os
from pathlib import Path

from txtai import Embeddings
from txtai.pipeline import Segmentation

from peers.product import Counts, Found, Settings, pages_of


class Peer:
    def __init__(self, settings: Settings) -> None:
        self.pid = os.getpid()
        self._index = str(settings.home / "index")
        self._embeddings = Embeddings(path=str(settings.model), content=True)

    def ingest(self, folder: Path) -> Counts:
        cut = Segmentation(paragraphs=True)
        pages = list(pages_of(folder))
        rows = [
            {"text": text, "page": str(page.relative_to(folder))}
            for page in pages
            for text in cut(page.read_text(encoding="utf-8"))
        ]
        self._embeddings.index(rows)
        self._embeddings.save(self._index)
        return Counts(len(pages), self._embeddings.count())

    def open(self) -> None:
        self._embeddings.load(self._index)

    def search(self, question: str, k: int) -> list[Found]:
        statement = "SELECT page, text, score FROM txtai WHERE similar(:question)"
        rows = self._embeddings.search(statement, limit=k, parameters={"question": question})
        return [Found(row["page"], row["text"], float(row["score"])) for row in rows]

    def close(self) -> None:
        self._embeddings.close()
