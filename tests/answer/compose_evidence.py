"""Evidence for the composer without a model: pages really cut, read by the twin of the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import exp

from answer_pages import evidence as unread

from glossator.answer.compose import compose
from glossator.answer.windows import windows
from glossator.model import Brief, Evidence, Passage, ScoredUnit
from glossator.testing import WordReader


def answer(question: str, *pages: str) -> str:
    return "".join(pieces(question, *pages))


def pieces(question: str, *pages: str) -> list[str]:
    return compose(Brief(question, evidence(question, *pages)))


def evidence(question: str, *pages: str) -> list[Evidence]:
    """One for each chunk of the pages, in their order; a unit is worth what the reader says, and nothing fitted counts."""
    return [
        replace(one, units=tuple(unit for passage in one.passages for unit in _scored(question, passage)))
        for one in unread(*pages)
    ]


def _scored(question: str, passage: Passage) -> Iterator[ScoredUnit]:
    chunk, best = passage.chunk, dict[int, float]()
    read = windows(passage)
    for window, reading in zip(read, WordReader().read(question, read), strict=True):
        for part, belongs in zip(window.parts, reading.belongs, strict=True):
            best[part.unit] = max(best.get(part.unit, 0.0), 1.0 / (1.0 + exp(-belongs)))
    for place, unit in enumerate(passage.units):
        yield ScoredUnit(unit, chunk.text[unit.start - chunk.start : unit.end - chunk.start], best[place])


def words_of(markdown: str) -> list[str]:
    """Without citation marks."""
    return re.findall(r"\w+", re.sub(r"\[\d+\]", "", markdown))
