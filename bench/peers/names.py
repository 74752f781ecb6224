"""The products in the order in which they run, with the packages whose versions are told."""

from __future__ import annotations

from dataclasses import dataclass

_TORCH = ("sentence-transformers", "transformers", "torch")


@dataclass(frozen=True)
class Described:
    title: str
    packages: tuple[str, ...]
    settings: str
    is_ours: bool = False


PRODUCTS = {
    "glossator": Described(
        "Glossator",
        ("glossator", "onnxruntime", "qdrant-edge-py"),
        "`Book.ingest`, `Book.search`; hybrid search, 10 windows read by the reader; no cache of results",
        is_ours=True,
    ),
    "glossator_unread": Described(
        "Glossator, unread",
        ("glossator", "onnxruntime", "qdrant-edge-py"),
        "the same index; its hybrid search alone, without late interaction and reader",
        is_ours=True,
    ),
    "llamaindex": Described(
        "LlamaIndex",
        ("llama-index-core", "llama-index-embeddings-huggingface", *_TORCH),
        "`SimpleDirectoryReader`, `VectorStoreIndex`: chunks of 1,024 tokens with an overlap of 20, all defaults",
    ),
    "haystack": Described(
        "Haystack",
        ("haystack-ai", "sentence-transformers-haystack", *_TORCH),
        "`MarkdownToDocument`, `DocumentCleaner`, `DocumentSplitter` of 150 words with an overlap of 50, "
        "`InMemoryDocumentStore`, as in the tutorial on preprocessing",
    ),
    "txtai": Described(
        "txtai",
        ("txtai", "faiss-cpu", *_TORCH),
        "`Segmentation(paragraphs=True)`, `Embeddings(content=True)`, all other settings its defaults",
    ),
    "langchain": Described(
        "LangChain",
        ("langchain-core", "langchain-huggingface", "langchain-text-splitters", *_TORCH),
        "`RecursiveCharacterTextSplitter` of 1,000 characters with an overlap of 200, `InMemoryVectorStore`, "
        "as in the tutorial on semantic search",
    ),
    "openwebui": Described(
        "Open WebUI",
        ("open-webui", "chromadb", *_TORCH),
        "its server, a file a page through its HTTP API; chunks of 1,000 characters with an overlap of 100, "
        "Chroma, all defaults; times include HTTP",
    ),
}
