"""Evidence for the composer without a model: pages really cut, and words counted instead of understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from glossator.answer.compose import compose
from glossator.answer.route.grammar import FUNCTION_WORDS
from glossator.ingest.measure import measure
from glossator.ingest.parse import Dialect, parse
from glossator.ingest.split import PageSource, split
from glossator.ingest.window import LONGEST_HEADING, windows
from glossator.model import Brief, Chunk, Evidence, Passage, ScoredUnit
from glossator.text.words import stems

_WINDOW = 254


def answer(question: str, *pages: str) -> str:
    return "".join(pieces(question, *pages))


def pieces(question: str, *pages: str) -> list[str]:
    return compose(Brief(question, evidence(question, *pages)))


def evidence(question: str, *pages: str) -> list[Evidence]:
    """One for each chunk of the pages, in their order."""
    passages = [passage for number, page in enumerate(pages) for passage in _passages(f"{number}.md", page)]
    chunks = dict[str, list[Passage]]()
    for passage in passages:
        chunks.setdefault(passage.chunk.chunk_id, []).append(passage)
    return [
        Evidence(number, its[0].chunk, its[0].section, tuple(_scored(question, its)), similarity=0.9)
        for number, its in enumerate(chunks.values(), start=1)
    ]


def words_of(markdown: str) -> list[str]:
    """Without citation marks."""
    return re.findall(r"\w+", re.sub(r"\[\d+\]", "", markdown))


@cache
def _passages(path: str, source: str) -> list[Passage]:
    document = parse(source, Dialect.MDX)
    blocks = measure(document.blocks, source, _WINDOW - LONGEST_HEADING, _count)
    anchors = {heading.span.start: f"h{number}" for number, heading in enumerate(document.headings)}
    chunks = split(PageSource(path, "A page", "/page", "A chapter", source, blocks, anchors))
    return windows(chunks, blocks, _count, _WINDOW)


def _count(texts: Sequence[str]) -> list[int]:
    return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def _scored(question: str, passages: Sequence[Passage]) -> list[ScoredUnit]:
    return [
        ScoredUnit(unit, text, _overlap(question, text))
        for passage in passages
        for unit in passage.units
        if (text := _text(passage.chunk, unit.start, unit.end))
    ]


def _text(chunk: Chunk, start: int, end: int) -> str:
    return chunk.text[start - chunk.start : end - chunk.start]


def _overlap(question: str, text: str) -> float:
    """The share of the question's telling words that the text has; never quite nothing."""
    telling = [word for word in re.findall(r"\w+", question.lower()) if word not in FUNCTION_WORDS]
    asked = set(stems(" ".join(telling), "english"))
    there = set(stems(text, "english"))
    return 0.2 + 0.8 * len(asked & there) / max(len(asked), 1)
