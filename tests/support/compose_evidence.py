"""Evidence for the composer without a model: pages really cut, read by the twin of the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import exp

from glossator.answer.compose import compose
from glossator.answer.windows import parts_of, source_spans, windows
from glossator.model import Brief, Evidence, Passage, ScoredUnit, Span
from glossator.testing import WordReader
from support.answer_pages import evidence as unread

_LEADING_HEADING = re.compile(r"\A\*\*[^*\n]+\*\*\n\n")


def answer(question: str, *pages: str) -> str:
    """Below the heading that every answer begins with."""
    return _LEADING_HEADING.sub("", "".join(pieces(question, *pages)))


def pieces(question: str, *pages: str) -> list[str]:
    return compose(Brief(question, evidence(question, *pages)))


def evidence(question: str, *pages: str) -> list[Evidence]:
    """One for each chunk of the pages, in their order; units and chunks are worth what the reader says."""
    reading = [
        replace(
            item,
            units=tuple(unit for passage in item.passages for unit in _scored(question, passage)),
            similarity=max(_similarity(question, passage) for passage in item.passages),
        )
        for item in unread(*pages)
    ]
    best = max((unit.relevance for item in reading for unit in item.units), default=1.0)
    return [
        replace(item, units=tuple(replace(unit, relevance=unit.relevance / best) for unit in item.units))
        for item in reading
    ]


def _similarity(question: str, passage: Passage) -> float:
    readings = WordReader().read(question, windows(passage))
    best = max((reading.answers for reading in readings), default=-20.0)
    return 1.0 / (1.0 + exp(-best))


def _scored(question: str, passage: Passage) -> Iterator[ScoredUnit]:
    """Each with its odds."""
    chunk, best = passage.chunk, dict[Span, float]()
    read = windows(passage)
    for window, reading in zip(read, WordReader().read(question, read), strict=True):
        for part, belongs in zip(window.parts, reading.belongs, strict=True):
            best[part.reading] = max(best.get(part.reading, 0.0), exp(belongs))
    parts = parts_of(passage)
    for part, (start, end) in zip(parts, source_spans(passage, parts), strict=True):
        unit = passage.units[part.unit]._replace(start=start, end=end)
        yield ScoredUnit(unit, chunk.text[start - chunk.start : end - chunk.start], best[part.reading])


def words_of(markdown: str) -> list[str]:
    """Without citation marks."""
    return re.findall(r"\w+", re.sub(r"\[\d+\]", "", markdown))
