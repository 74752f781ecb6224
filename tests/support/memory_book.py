"""A book in memory, asked through the pipeline, with a reader that counts the windows it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glossator.answer.pipeline import AnswerPipeline
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import Reading, Support, Window
from glossator.testing import (
    MemoryCache,
    MemoryIndex,
    MemoryIndexStore,
    QuotingWriter,
    SilentProgress,
    WordEmbedder,
    WordReader,
)

WHEELS = "\n\n".join(
    f"## Wheel {n}\n\nThe wheel number {n} of the robot turns {n} times a minute." for n in range(2, 22)
)
PAGES = {
    "01-topics.md": "# Topics\n\nA topic is a named stream of messages between the nodes of a robot.\n",
    "02-wheels.md": f"# Wheels\n\n{WHEELS}\n",
}


@dataclass
class CountingReader:
    """Reads as WordReader does."""

    calls: list[int] = field(default_factory=list[int])
    """The number of windows of every call."""

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        self.calls.append(len(windows))
        return WordReader().read(question, windows)

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        return WordReader().check(claim, windows)


@dataclass
class MemoryBook:
    folder: Path
    store: MemoryIndexStore = field(default_factory=MemoryIndexStore)
    reader: CountingReader = field(default_factory=CountingReader)

    def write(self, pages: Mapping[str, str] = PAGES) -> None:
        """Publishes a generation with these pages."""
        self.folder.mkdir(exist_ok=True)
        for name, text in pages.items():
            (self.folder / name).write_text(text, "utf-8")
        tools = IngestTools(
            embedder=WordEmbedder(), index_store=self.store, cache=MemoryCache(), progress=SilentProgress()
        )
        ingest(self.folder, site_of(self.folder, kind=SiteKind.PLAIN, title="Robots"), tools)

    def assistant(self, **more: Any) -> AnswerPipeline:
        return AnswerPipeline(WordEmbedder(), self.reader, MemoryIndex(self.store), QuotingWriter(), **more)
