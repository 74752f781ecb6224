"""LlamaIndex as in its starter tutorial for local models: a directory reader and a vector index that is persisted."""

from __future__ import annotations

import os
from pathlib import Path

from llama_index.core import (
    Settings as Defaults,
)
from llama_index.core import (
    SimpleDirectoryReader,
    StorageContext,
    VectorStoreIndex,
    load_index_from_storage,
)
from llama_index.embeddings.huggingface import HuggingFaceEmbedding

from peers.product import PAGE_SUFFIXES, Counts, Found, Settings


class Peer:
    def __init__(self, settings: Settings) -> None:
        self.pid = os.getpid()
        self._storage = settings.home / "storage"
        Defaults.embed_model = HuggingFaceEmbedding(model_name=str(settings.model))

    def ingest(self, folder: Path) -> Counts:
        reader = SimpleDirectoryReader(str(folder), recursive=True, required_exts=list(PAGE_SUFFIXES))
        documents = reader.load_data()
        for document in documents:
            document.metadata["page"] = str(Path(document.metadata["file_path"]).relative_to(folder))
        index = VectorStoreIndex.from_documents(documents)
        index.storage_context.persist(str(self._storage))
        pages = {document.metadata["page"] for document in documents}
        return Counts(len(pages), len(index.docstore.docs))

    def open(self) -> None:
        context = StorageContext.from_defaults(persist_dir=str(self._storage))
        self._index = load_index_from_storage(context)

    def search(self, question: str, k: int) -> list[Found]:
        nodes = self._index.as_retriever(similarity_top_k=k).retrieve(question)
        return [Found(node.metadata["page"], node.get_content(), float(node.score or 0.0)) for node in nodes]

    def close(self) -> None: ...
