"""The calibration of a book asks the same questions as if it had read the whole book at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from weakref import WeakSet

import pytest

from glossator.exam.fit import measure_fit
from glossator.exam.question import shuffle_key
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import Chunk, Embedding
from glossator.question_generation import first_sentence, foreign_questions, heading_questions, sections_of
from glossator.testing import (
    MemoryCache,
    MemoryIndex,
    MemoryIndexStore,
    SilentProgress,
    WordEmbedder,
    WordReader,
)

PAGES = 60
MOST = 60
"""Questions of each kind."""


def page(number: int) -> str:
    """With a subject of its own, one of two pages, and a heading that is on many."""
    return f"""# Harbour {number}

Harbour number {number} lies behind a long wall that keeps the winter waves away from all of its boats.

## Mooring at the quay {number}

Whoever comes to quay {number} ties the bow first and only then the stern, since the tide runs out fast here.

## The lantern of tower {number // 2}

The lantern shines twice in a minute from tower {number // 2} and can be seen from nine miles out on a clear night.

## Summary

Everything that is told about harbour {number} holds in summer too, but for the wall that nobody needs by then.
"""


class AskedEmbedder(WordEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked = list[str]()

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        self.asked.append(text)
        return super().embed_query(text, states=states)


class SeenChunk(Chunk):
    """Can be referred to weakly."""


class SeenIndex(MemoryIndex):
    """Knows how many of the chunks that it listed are held at once."""

    most_held = 0

    def chunks(self) -> Iterator[Chunk]:
        held = WeakSet[SeenChunk]()
        for chunk in super().chunks():
            seen = SeenChunk(**{field.name: getattr(chunk, field.name) for field in fields(Chunk)})
            held.add(seen)
            self.most_held = max(self.most_held, len(held))
            yield seen


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SeenIndex:
    folder, index_store = tmp_path_factory.mktemp("harbours"), MemoryIndexStore()
    for number in range(PAGES):
        folder.joinpath(f"harbour-{number}.md").write_text(page(number), encoding="utf-8")
    tools = IngestTools(WordEmbedder(), index_store, MemoryCache(), SilentProgress(), language="english")
    ingest(folder, site_of(folder, kind=SiteKind.PLAIN), tools)
    return SeenIndex(index_store)


def test_the_questions_are_those_of_the_whole_book(index: SeenIndex):
    sections, lexicon = list(sections_of(index.chunks())), index.manifest().lexicon
    headings = [question.text for question in heading_questions(sections, "english")]
    firsts = [text for section in sections if (text := first_sentence(section))]
    assert len(headings) > 2 * MOST
    embedder = AskedEmbedder()
    fit = measure_fit(embedder, WordReader(), index, SilentProgress())
    kinds = (headings, firsts, foreign_questions(lexicon))
    assert embedder.asked == [text for kind in kinds for text in sorted(kind, key=shuffle_key)[:MOST]]
    assert fit.questions == len(embedder.asked)


def test_no_more_than_a_page_is_held(index: SeenIndex):
    index.most_held = 0
    measure_fit(WordEmbedder(), WordReader(), index, SilentProgress())
    assert index.manifest().chunks >= PAGES
    assert 0 < index.most_held <= max(page.chunks for page in index.manifest().pages) + 2
