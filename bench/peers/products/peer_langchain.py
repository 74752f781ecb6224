"""LangChain as in its tutorial on semantic search: load, split by characters, embed into the in-memory store."""

from __future__ import annotations

import os
from pathlib import Path

from langchain_community.document_loaders import DirectoryLoader, TextLoader
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_huggingface import HuggingFaceEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from peers.product import PAGE_SUFFIXES, Counts, Found, Settings


class Peer:
    def __init__(self, settings: Settings) -> None:
        self.pid = os.getpid()
        self._file = str(settings.home / "store.json")
        self._embeddings = HuggingFaceEmbeddings(model_name=str(settings.model))

    def ingest(self, folder: Path) -> Counts:
        loader = DirectoryLoader(
            str(folder),
            glob=[f"**/*{suffix}" for suffix in PAGE_SUFFIXES],
            loader_cls=TextLoader,
            loader_kwargs={"encoding": "utf-8"},
        )
        documents = loader.load()
        for document in documents:
            document.metadata["page"] = str(Path(document.metadata["source"]).relative_to(folder))
        splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
        splits = splitter.split_documents(documents)
        store = InMemoryVectorStore(self._embeddings)
        store.add_documents(documents=splits)
        store.dump(self._file)
        return Counts(len(documents), len(splits))

    def open(self) -> None:
        self._store = InMemoryVectorStore.load(self._file, self._embeddings)

    def search(self, question: str, k: int) -> list[Found]:
        results = self._store.similarity_search_with_score(question, k=k)
        return [
            Found(document.metadata["page"], document.page_content, float(score))
            for document, score in results
        ]

    def close(self) -> None: ...
