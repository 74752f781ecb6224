"""Glossator's hybrid search alone, without the reader: the same work as the search of the others."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from pathlib import Path

from glossator.model import IndexQuery
from glossator.settings import load_settings
from glossator.wiring import embedder_of, index_of
from peers.product import Counts, Found, Settings
from peers.products.peer_glossator import Peer as Whole
from peers.products.peer_glossator import text_of


class Peer:
    def __init__(self, settings: Settings) -> None:
        self.pid = os.getpid()
        self._settings = settings
        self._resources = ExitStack()

    def ingest(self, folder: Path) -> Counts:
        whole = Whole(self._settings)
        counts = whole.ingest(folder)
        whole.close()
        return counts

    def open(self) -> None:
        loaded = load_settings(home=self._settings.home)
        self._embedder = embedder_of(loaded)
        opened = closing(index_of(loaded, expects=self._embedder.identity))
        self._index = self._resources.enter_context(opened)

    def search(self, question: str, k: int) -> list[Found]:
        vector = self._embedder.embed_query(question).vector
        found = self._index.search(IndexQuery(text=question, vector=vector, limit=k))
        passages = [(passage.passage, passage.scores.fused) for passage in found]
        return [
            Found(passage.chunk.page, text_of(passage.chunk, passage), score) for passage, score in passages
        ]

    def close(self) -> None:
        self._resources.close()
