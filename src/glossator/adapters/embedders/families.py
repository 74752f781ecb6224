"""What a family of embedding models wants around a text, and how much of one it reads."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

_SEARCHING = "Represent this sentence for searching relevant passages: "
_INSTRUCTED = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a question and before a passage when a model tells them apart."""

    query: str = ""
    passage: str = ""

    def replaced(self, query: str | None, passage: str | None) -> Prefixes:
        """With the operator's own where there is one; an empty one counts."""
        return Prefixes(
            self.query if query is None else query,
            self.passage if passage is None else passage,
        )


@dataclass(frozen=True, slots=True)
class Family:
    prefixes: Prefixes
    window: int
    """How many tokens of a text its models read."""


def family_of(model: str) -> Family:
    """By name, whoever serves it: `intfloat/e5-base-v2`, `nomic-embed-text:latest`."""
    name = model.lower()
    for parts, family in _FAMILIES:
        if all(part in name for part in parts):
            return family
    return _UNKNOWN


_UNKNOWN = Family(Prefixes(), window=512)

# The first row whose parts all stand in the model's name; so the particular stand above the general.
_FAMILIES: tuple[tuple[tuple[str, ...], Family], ...] = (
    (("text-embedding-3",), Family(Prefixes(), window=8191)),
    (("text-embedding-ada",), Family(Prefixes(), window=8191)),
    (("e5", "instruct"), Family(Prefixes(query=_INSTRUCTED), window=512)),
    (("e5-",), Family(Prefixes("query: ", "passage: "), window=512)),
    (("nomic-embed-text",), Family(Prefixes("search_query: ", "search_document: "), window=2048)),
    (("bge-m3",), Family(Prefixes(), window=8192)),
    (("bge-", "-zh"), Family(Prefixes(query="为这个句子生成表示以用于检索相关文章："), window=512)),
    (("bge-",), Family(Prefixes(query=_SEARCHING), window=512)),
    (("mxbai-embed",), Family(Prefixes(query=_SEARCHING), window=512)),
    (("uae-large",), Family(Prefixes(query=_SEARCHING), window=512)),
    (("snowflake-arctic-embed", "v2"), Family(Prefixes(query="query: "), window=8192)),
    (("snowflake-arctic-embed2",), Family(Prefixes(query="query: "), window=8192)),
    (("snowflake-arctic-embed",), Family(Prefixes(query=_SEARCHING), window=512)),
    (("qwen3-embedding",), Family(Prefixes(query=_INSTRUCTED), window=8192)),
    (
        ("embeddinggemma",),
        Family(Prefixes("task: search result | query: ", "title: none | text: "), window=2048),
    ),
    (("jina-embeddings-v2",), Family(Prefixes(), window=8192)),
    (("all-minilm",), Family(Prefixes(), window=254)),
)


# What tells vectors apart that cannot be compared.


def fingerprint(*decisive: str | int) -> str:
    """Changes with each of the things that decide what a vector is."""
    return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()


# Half a surrogate pair is no character to a tokenizer or a service, and pages do contain some.


def whole_characters(text: str) -> str:
    """The text with a question mark in the place of each such half, so that no place moves."""
    return text.encode("utf-8", "replace").decode()
