"""What families of embedding models expect of a text: prefixes, window, valid characters."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

_SEARCH_INSTRUCTION = "Represent this sentence for searching relevant passages: "
_TASK_INSTRUCTION = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Put before a question and before a passage, for models that distinguish them."""

    query: str = ""
    passage: str = ""

    def replaced(self, query: str | None, passage: str | None) -> Prefixes:
        """Applies the operator's own prefixes; None leaves one as it is, an empty string removes it."""
        return Prefixes(
            self.query if query is None else query,
            self.passage if passage is None else passage,
        )


@dataclass(frozen=True, slots=True)
class Family:
    prefixes: Prefixes
    window: int
    """How many tokens of a text the models read."""


def family_of(model: str) -> Family:
    """Finds the family by any server's name of a model: `intfloat/e5-base-v2`, `nomic-embed-text:latest`."""
    name = model.lower()
    for parts, family in _FAMILIES:
        if all(part in name for part in parts):
            return family
    return _UNKNOWN


_UNKNOWN = Family(Prefixes(), window=512)

# The first row whose parts are all in the model's name applies, so specific rows come before general ones.
_FAMILIES: tuple[tuple[tuple[str, ...], Family], ...] = (
    (("text-embedding-3",), Family(Prefixes(), window=8191)),
    (("text-embedding-ada",), Family(Prefixes(), window=8191)),
    (("e5", "instruct"), Family(Prefixes(query=_TASK_INSTRUCTION), window=512)),
    (("e5-",), Family(Prefixes("query: ", "passage: "), window=512)),
    (("nomic-embed-text",), Family(Prefixes("search_query: ", "search_document: "), window=2048)),
    (("bge-m3",), Family(Prefixes(), window=8192)),
    (("bge-", "-zh"), Family(Prefixes(query="为这个句子生成表示以用于检索相关文章："), window=512)),
    (("bge-",), Family(Prefixes(query=_SEARCH_INSTRUCTION), window=512)),
    (("mxbai-embed",), Family(Prefixes(query=_SEARCH_INSTRUCTION), window=512)),
    (("uae-large",), Family(Prefixes(query=_SEARCH_INSTRUCTION), window=512)),
    (("snowflake-arctic-embed", "v2"), Family(Prefixes(query="query: "), window=8192)),
    (("snowflake-arctic-embed2",), Family(Prefixes(query="query: "), window=8192)),
    (("snowflake-arctic-embed",), Family(Prefixes(query=_SEARCH_INSTRUCTION), window=512)),
    (("qwen3-embedding",), Family(Prefixes(query=_TASK_INSTRUCTION), window=8192)),
    (
        ("embeddinggemma",),
        Family(Prefixes("task: search result | query: ", "title: none | text: "), window=2048),
    ),
    (("jina-embeddings-v2",), Family(Prefixes(), window=8192)),
    (("all-minilm",), Family(Prefixes(), window=254)),
)


def fingerprint(*inputs: str | int) -> str:
    """Vectors can be compared only if all inputs that decide them, and so the fingerprints, are equal."""
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def replace_lone_surrogates(text: str) -> str:
    """Tokenizers and services refuse half a surrogate pair; a question mark instead keeps all offsets."""
    return text.encode("utf-8", "replace").decode()
