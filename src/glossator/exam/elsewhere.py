"""Where else a book tells what a section tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from glossator.answer.question_generation import BookSection, GeneratedQuestion, SectionPlace
from glossator.answer.question_generation.sections import paragraphs
from glossator.answer.weigh import asked_for
from glossator.model import Chunk, FoundPassage, IndexQuery, Lexicon, Manifest
from glossator.ports import Index
from glossator.text.markdown import plain
from glossator.text.sentences import sentences
from glossator.text.words import stems, words

Key = TypeVar("Key")
Value = TypeVar("Value")

_SUBJECT = re.compile(r"What (?:is|are) (?:(?:an?|the) )?(.+)\?", re.IGNORECASE)
_DEFINES = (
    r"(?:^\W*|\b(?:an?|the|each|every)\s+){name}s?(?:\s*\([^()]*\))?(?:\s+(?:is|are|means?|refers?|stands?)\b|:)"
    r"|\b(?:called|termed|named|known as)\s+(?:(?:an?|the)\s+)?{name}s?\b|\w\s*\({name}s?\)"
)
_SHINGLE = 8
"""Words in a row that nobody writes twice by chance."""
_REPEATS = 0.3
"""Of a section's rows of words: a chunk with more of them repeats the section."""


@dataclass(frozen=True, slots=True)
class BookSentence:
    text: str
    place: SectionPlace


@dataclass(frozen=True, slots=True)
class BookIndexedByWords:
    """Every sentence and every chunk by its words, and every row of words by the chunks that have it."""

    language: str
    sections: Sequence[BookSection]
    chunks: Sequence[Chunk]
    words: ChunkWords
    sentences: Sequence[BookSentence]
    by_stem: Mapping[str, frozenset[int]]
    by_shingle: Mapping[int, frozenset[str]]

    @classmethod
    def of(
        cls, sections: Sequence[BookSection], chunks: Sequence[Chunk], language: str
    ) -> BookIndexedByWords:
        said = [one for section in sections for one in _sentences(section)]
        stemmed = ((at, stems(one.text, language)) for at, one in enumerate(said))
        by_stem = _grouped((stem, at) for at, its in stemmed for stem in its)
        by_shingle = _grouped((row, chunk.chunk_id) for chunk in chunks for row in _shingles(chunk.text))
        return cls(language, sections, chunks, ChunkWords.of(chunks, language), said, by_stem, by_shingle)

    def chunks_of(self, place: SectionPlace) -> tuple[str, ...]:
        """Those that hold a part of it, and those that repeat it."""
        holding = {
            chunk.chunk_id
            for chunk in self.chunks
            if chunk.page == place.page and chunk.start < place.end and place.start < chunk.end
        }
        return tuple(sorted(holding | self._repeating(place)))

    def elsewhere(self, question: GeneratedQuestion, without: Sequence[str]) -> tuple[SectionPlace, ...]:
        """Places left that define its subject, are headed by it, or have all its words in one chunk."""
        hidden = [chunk for chunk in self.chunks if chunk.chunk_id in without]
        asked = asked_for(question.text, self.language)
        found = [*question.places[1:], *self._headed(asked), *self._defining(question), *self._naming(asked)]
        return tuple(dict.fromkeys(place for place in found if not _is_hidden(place, hidden)))

    def _repeating(self, place: SectionPlace) -> set[str]:
        body = next((one.body for one in self.sections if one.place == place), "")
        rows = _shingles(body)
        counts = dict[str, int]()
        for row in rows:
            for chunk in self.by_shingle.get(row, ()):
                counts[chunk] = counts.get(chunk, 0) + 1
        return {chunk for chunk, count in counts.items() if count > _REPEATS * len(rows)}

    def _headed(self, asked: Sequence[str]) -> Iterator[SectionPlace]:
        wanted = set(asked)
        for section in self.sections:
            if wanted <= set(stems(section.title, self.language)):
                yield section.place

    def _defining(self, question: GeneratedQuestion) -> Iterator[SectionPlace]:
        subject = _SUBJECT.fullmatch(question.text)
        if subject is None:
            return
        name = re.escape(subject[1].lower().removesuffix("s"))
        defines = re.compile(_DEFINES.format(name=name))
        for at in self._with_all(asked_for(question.text, self.language)):
            if defines.search(self.sentences[at].text.lower()):
                yield self.sentences[at].place

    def _naming(self, asked: Sequence[str]) -> Iterator[SectionPlace]:
        """One word may stand anywhere; two or more in one chunk are about the same."""
        for chunk in self.chunks if len(asked) > 1 else ():
            if self.words.by_chunk[chunk.chunk_id].issuperset(asked):
                section = chunk.sections[0]
                yield SectionPlace(chunk.page, section.title, chunk.url_of(section), chunk.start, chunk.end)

    def _with_all(self, asked: Sequence[str]) -> list[int]:
        first, *others = [self.by_stem.get(stem, frozenset[int]()) for stem in asked]
        return sorted(first.intersection(*others))


def _sentences(section: BookSection) -> Iterator[BookSentence]:
    for text in paragraphs(section.body):
        for span in sentences(text):
            yield BookSentence(plain(text[span.start : span.end]), section.place)


def _shingles(text: str) -> set[int]:
    said = words(text.lower())
    return {hash(tuple(said[at : at + _SHINGLE])) for at in range(len(said) - _SHINGLE + 1)}


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, frozenset[Value]]:
    grouped = dict[Key, set[Value]]()
    for key, value in pairs:
        grouped.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in grouped.items()}


def _is_hidden(place: SectionPlace, hidden: Sequence[Chunk]) -> bool:
    """Whether where it begins is gone; what it says of its subject mostly stands there."""
    return any(chunk.page == place.page and chunk.start <= place.start < chunk.end for chunk in hidden)


# The book as it would be without some of its chunks.


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
