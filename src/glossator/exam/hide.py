"""The book as it would be without some of its chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from glossator.model import Chunk, FoundPassage, IndexQuery, Lexicon, Manifest
from glossator.ports import Index
from glossator.text.words import stems


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """Which words each chunk has, and how many chunks have each."""

    by_chunk: dict[str, frozenset[str]]
    counts: Counter[str]

    @classmethod
    def of(cls, chunks: Collection[Chunk], language: str) -> ChunkWords:
        by_chunk = {chunk.chunk_id: frozenset(stems(_read(chunk), language)) for chunk in chunks}
        return cls(by_chunk, Counter(stem for some in by_chunk.values() for stem in some))


class IndexWithout:
    """Never finds the hidden chunks, and looks so much deeper that nothing else is missing."""

    def __init__(self, index: Index, hidden: Collection[str], words: ChunkWords) -> None:
        self._index = index
        self._hidden = frozenset(hidden)
        self._words = words

    def manifest(self) -> Manifest:
        manifest = self._index.manifest()
        share = 1.0 - len(self._hidden) / max(manifest.chunks, 1)
        return replace(manifest, lexicon=self._lexicon(manifest.lexicon, share))

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        """Deeper by as many passages as turn out to be hidden, until nothing is missing."""
        deeper = len(self._hidden)
        while True:
            found = self._index.search(
                replace(query, limit=query.limit + deeper, candidates=query.candidates + deeper)
            )
            kept = [one for one in found if one.passage.chunk.chunk_id not in self._hidden]
            missing = len(found) - len(kept)
            if missing <= deeper:
                return kept[: query.limit]
            deeper = missing

    def chunk(self, chunk_id: str) -> Chunk | None:
        return None if chunk_id in self._hidden else self._index.chunk(chunk_id)

    def chunks(self) -> Iterator[Chunk]:
        return (chunk for chunk in self._index.chunks() if chunk.chunk_id not in self._hidden)

    def close(self) -> None:
        """Somebody else opened it."""

    def _lexicon(self, lexicon: Lexicon, share: float) -> Lexicon:
        """A word that only hidden chunks have is unknown; of the others each chunk had its part."""
        lost = Counter(stem for chunk in self._hidden for stem in self._words.by_chunk.get(chunk, ()))
        counts = dict(lexicon.counts)
        for stem, chunks in lost.items():
            left = 1.0 - chunks / self._words.counts[stem]
            if left <= 0.0:
                counts.pop(stem, None)
            elif stem in counts:
                counts[stem] = max(round(counts[stem] * left), 1)
        return replace(lexicon, passages=max(round(lexicon.passages * share), 1), counts=counts)


def _read(chunk: Chunk) -> str:
    headings = (heading for section in chunk.sections for heading in section.path)
    return "\n".join([chunk.page_title, *headings, chunk.text])
