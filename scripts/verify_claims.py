"""Claims with their evidence and whether it carries them: what scripts/fit_verify.py learns from and is measured on."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify_edits import Book, edited

SEED = 20
BOOKS = ("rust-quiz/corpus", "physical-ai-quiz/corpus")
PER_BOOK = 120
"""Sentences that are edited."""


@dataclass(frozen=True)
class Example:
    claim: str
    evidence: tuple[str, ...]
    label: str
    supported: bool


def read_wice(data: Path) -> Iterator[Example]:
    for row in _rows(_evaluation(data) / "grounding" / "wice_dev.jsonl"):
        yield Example(row["claim"], (row["context"],), row["label"], row["label"] == "supported")


def read_scifact(data: Path) -> Iterator[Example]:
    for row in _rows(_evaluation(data) / "grounding" / "scifact_train500.jsonl"):
        yield Example(row["claim"], ("\n".join(row["sentences"]),), row["label"], row["label"] == "SUPPORT")


def read_edited(data: Path) -> Iterator[Example]:
    chance = random.Random(SEED)
    for folder in BOOKS:
        for one in edited(Book.open(_evaluation(data) / folder), PER_BOOK, chance):
            yield Example(one.claim, one.sections, one.kind, one.is_true)


def _evaluation(data: Path) -> Path:
    """The folder with all sets, where that of the claims or that of all data was named."""
    folders = (data, data.parent, data / "eval")
    return next((folder for folder in folders if (folder / "grounding").is_dir()), data)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)


READERS: dict[str, Callable[[Path], Iterator[Example]]] = {
    "wice": read_wice,
    "scifact": read_scifact,
    "edited": read_edited,
}
