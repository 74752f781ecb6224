"""Haystack as in its tutorial on preprocessing files: convert, clean, split, embed and write, in one pipeline."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

from haystack import Pipeline
from haystack.components.converters import MarkdownToDocument
from haystack.components.preprocessors import DocumentCleaner, DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)

from peers.product import Counts, Found, Settings, pages_of


class Peer:
    def __init__(self, settings: Settings) -> None:
        self.pid = os.getpid()
        self._file = settings.home / "documents.json"
        self._model = str(settings.model)

    def ingest(self, folder: Path) -> Counts:
        store = InMemoryDocumentStore()
        pages = list(pages_of(folder))
        names = [{"page": str(page.relative_to(folder))} for page in pages]
        self._indexing(store).run({"convert": {"sources": pages, "meta": names}})
        store.save_to_disk(str(self._file))
        return Counts(len(pages), store.count_documents())

    def _indexing(self, store: InMemoryDocumentStore) -> Pipeline:
        pipeline = Pipeline()
        pipeline.add_component("convert", MarkdownToDocument(progress_bar=False))
        pipeline.add_component("clean", DocumentCleaner())
        pipeline.add_component("split", DocumentSplitter(split_by="word", split_length=150, split_overlap=50))
        pipeline.add_component(
            "embed", SentenceTransformersDocumentEmbedder(model=self._model, progress_bar=False)
        )
        pipeline.add_component("write", DocumentWriter(store))
        steps = ("convert", "clean", "split", "embed", "write")
        for step, following in pairwise(steps):
            pipeline.connect(step, following)
        return pipeline

    def open(self) -> None:
        store = InMemoryDocumentStore.load_from_disk(str(self._file))
        self._query = Pipeline()
        self._query.add_component(
            "embed", SentenceTransformersTextEmbedder(model=self._model, progress_bar=False)
        )
        self._query.add_component("retrieve", InMemoryEmbeddingRetriever(store))
        self._query.connect("embed.embedding", "retrieve.query_embedding")

    def search(self, question: str, k: int) -> list[Found]:
        done = self._query.run({"embed": {"text": question}, "retrieve": {"top_k": k}})
        documents = done["retrieve"]["documents"]
        return [
            Found(document.meta["page"], document.content or "", float(document.score or 0.0))
            for document in documents
        ]

    def close(self) -> None: ...
