"""What every product is asked for. Standard library only: it is imported in each product's own environment."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

PAGE_SUFFIXES = (".md", ".mdx")


class Counts(NamedTuple):
    """What an ingest stored."""

    pages: int
    passages: int
    """Texts that have a vector."""


class Found(NamedTuple):
    page: str
    """Relative to the book's folder."""
    text: str
    score: float


class Product(Protocol):
    pid: int
    """The process whose memory and processor time count."""

    def ingest(self, folder: Path) -> Counts:
        """Read the pages of the folder into an index that `open` finds again."""
        ...

    def open(self) -> None: ...

    def search(self, question: str, k: int) -> list[Found]: ...

    def close(self) -> None: ...


class Settings(NamedTuple):
    home: Path
    """Where the product keeps its index."""
    model: Path
    """A folder with the MiniLM weights, as sentence-transformers reads it."""


def product_named(name: str, settings: Settings) -> Product:
    return importlib.import_module(f"peers.products.peer_{name}").Peer(settings)


def pages_of(folder: Path) -> Iterator[Path]:
    return (page for page in sorted(folder.rglob("*")) if page.suffix in PAGE_SUFFIXES and page.is_file())
