"""An answer names the generation of the book that it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from index_books import manifest_of, passage

from glossator.answer.look import look_in_book
from glossator.answer.route import Standalone
from glossator.model import (
    Chunk,
    FoundPassage,
    IndexQuery,
    Manifest,
    Policy,
    Question,
    Scores,
    Span,
    Unit,
    UnitKind,
)
from glossator.testing import WordEmbedder, WordReader


class ReplacedIndex:
    """Another generation becomes current after so many looks at the manifest."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    @property
    def _generation(self) -> int:
        return 1 if self._looks > 0 else 2

    def manifest(self) -> Manifest:
        generation = self._generation
        self._looks -= 1
        return manifest_of(generation, [])

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        found = passage("a.md", f"The topic of generation {self._generation} is a named stream.")
        self._looks -= 1
        whole = Span(0, len(found.reading))
        tokens = WordEmbedder().count_tokens([found.reading])[0]
        unit = Unit(UnitKind.PROSE, found.start, found.end, tokens, whole, whole)
        return [FoundPassage(replace(found, units=(unit,)), Scores(dense=0.9, sparse=1.0, fused=0.9))]

    def chunk(self, chunk_id: str) -> Chunk | None:
        return None

    def chunks(self) -> Iterator[Chunk]:
        return iter(())

    def close(self) -> None:
        return


def test_whenever_another_becomes_current_it_is_the_one_that_was_searched() -> None:
    for looks in range(8):
        looked = look_in_book(
            Standalone.of("What is a topic?"),
            Question("What is a topic?"),
            WordEmbedder(),
            WordReader(),
            ReplacedIndex(looks),
            Policy.CALIBRATED,
        )
        assert looked.index is not None
        [hit] = looked.hits
        assert f"generation {looked.index.generation} " in hit.chunk.text
