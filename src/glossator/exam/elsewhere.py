"""The book without a section: hides its chunks, and finds other places that state the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from glossator.model import Chunk, FoundPassage, IndexQuery, Lexicon, Manifest
from glossator.ports import Index
from glossator.question_generation import BookSection, GeneratedQuestion, SectionPlace
from glossator.question_generation.sections import paragraphs
from glossator.text.markdown import plain
from glossator.text.sentences import sentences
from glossator.text.words import content_stems, stems, words

Key = TypeVar("Key")
Value = TypeVar("Value")

_SUBJECT = re.compile(r"What (?:is|are) (?:(?:an?|the) )?(.+)\?", re.IGNORECASE)
_DEFINES = (
    r"(?:^\W*|\b(?:an?|the|each|every)\s+){name}s?(?:\s*\([^()]*\))?(?:\s+(?:is|are|means?|refers?|stands?)\b|:)"
    r"|\b(?:called|termed|named|known as)\s+(?:(?:an?|the)\s+)?{name}s?\b|\w\s*\({name}s?\)"
)
_SHINGLE = 8
"""Length of a word sequence that does not repeat by chance."""
_REPEATS = 0.3
"""A chunk with more than this share of a section's shingles repeats the section."""


@dataclass(frozen=True, slots=True)
class BookSentence:
    text: str
    place: SectionPlace


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The book's sentences by stem, and its chunks by stem and by shingle (sequence of words)."""

    language: str
    sections: Sequence[BookSection]
    chunks: Sequence[Chunk]
    words: ChunkWords
    sentences: Sequence[BookSentence]
    by_stem: Mapping[str, frozenset[int]]
    by_shingle: Mapping[int, frozenset[str]]

    @classmethod
    def of(cls, sections: Sequence[BookSection], chunks: Sequence[Chunk], language: str) -> WordIndex:
        book_sentences = [sentence for section in sections for sentence in _sentences(section)]
        by_stem = _grouped(
            (stem, number)
            for number, sentence in enumerate(book_sentences)
            for stem in stems(sentence.text, language)
        )
        by_shingle = _grouped(
            (shingle, chunk.chunk_id) for chunk in chunks for shingle in _shingles(chunk.text)
        )
        chunk_words = ChunkWords.of(chunks, language)
        return cls(language, sections, chunks, chunk_words, book_sentences, by_stem, by_shingle)

    def chunks_of(self, place: SectionPlace) -> tuple[str, ...]:
        """The chunks that hold a part of the section, and those that repeat it."""
        holding = {
            chunk.chunk_id
            for chunk in self.chunks
            if chunk.page == place.page and chunk.start < place.end and place.start < chunk.end
        }
        return tuple(sorted(holding | self._repeating(place)))

    def elsewhere(self, question: GeneratedQuestion, without: Sequence[str]) -> tuple[SectionPlace, ...]:
        """Places outside `without` that define the subject, or have it in the heading or in one chunk."""
        hidden = [chunk for chunk in self.chunks if chunk.chunk_id in without]
        subject = content_stems(question.text, self.language)
        places = [
            *question.places[1:],
            *self._with_heading(subject),
            *self._defining(question),
            *self._with_all_words(subject),
        ]
        return tuple(dict.fromkeys(place for place in places if not _is_hidden(place, hidden)))

    def _repeating(self, place: SectionPlace) -> set[str]:
        body = next((section.body for section in self.sections if section.place == place), "")
        shingles = _shingles(body)
        counts = Counter(chunk for shingle in shingles for chunk in self.by_shingle.get(shingle, ()))
        return {chunk for chunk, count in counts.items() if count > _REPEATS * len(shingles)}

    def _with_heading(self, subject: Sequence[str]) -> Iterator[SectionPlace]:
        needed = set(subject)
        for section in self.sections:
            if needed <= set(stems(section.title, self.language)):
                yield section.place

    def _defining(self, question: GeneratedQuestion) -> Iterator[SectionPlace]:
        subject = _SUBJECT.fullmatch(question.text)
        if subject is None:
            return
        name = re.escape(subject[1].lower().removesuffix("s"))
        defines = re.compile(_DEFINES.format(name=name))
        for sentence in self._sentences_with(content_stems(question.text, self.language)):
            if defines.search(sentence.text.lower()):
                yield sentence.place

    def _with_all_words(self, subject: Sequence[str]) -> Iterator[SectionPlace]:
        """A single word may occur anywhere; two or more in one chunk are about the same subject."""
        for chunk in self.chunks if len(subject) > 1 else ():
            if self.words.by_chunk[chunk.chunk_id].issuperset(subject):
                section = chunk.sections[0]
                yield SectionPlace(chunk.page, section.title, chunk.url_of(section), chunk.start, chunk.end)

    def _sentences_with(self, subject: Sequence[str]) -> list[BookSentence]:
        first, *others = [self.by_stem.get(stem, frozenset[int]()) for stem in subject]
        return [self.sentences[number] for number in sorted(first.intersection(*others))]


def _sentences(section: BookSection) -> Iterator[BookSentence]:
    for text in paragraphs(section.body):
        for span in sentences(text):
            yield BookSentence(plain(text[span.start : span.end]), section.place)


def _shingles(text: str) -> set[int]:
    sequence = words(text.lower())
    return {hash(tuple(sequence[start : start + _SHINGLE])) for start in range(len(sequence) - _SHINGLE + 1)}


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, frozenset[Value]]:
    grouped = dict[Key, set[Value]]()
    for key, value in pairs:
        grouped.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in grouped.items()}


def _is_hidden(place: SectionPlace, hidden: Sequence[Chunk]) -> bool:
    """Whether its beginning is hidden, which mostly states the subject."""
    return any(chunk.page == place.page and chunk.start <= place.start < chunk.end for chunk in hidden)


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """The stems of each chunk, and how many chunks have each stem."""

    by_chunk: dict[str, frozenset[str]]
    counts: Counter[str]

    @classmethod
    def of(cls, chunks: Collection[Chunk], language: str) -> ChunkWords:
        by_chunk = {chunk.chunk_id: frozenset(stems(_indexed_text(chunk), language)) for chunk in chunks}
        return cls(by_chunk, Counter(stem for chunk_stems in by_chunk.values() for stem in chunk_stems))


class IndexWithout:
    """An index that leaves out the hidden chunks, and searches deeper to return as many others."""

    def __init__(self, index: Index, hidden: Collection[str], words: ChunkWords) -> None:
        self._index = index
        self._hidden = frozenset(hidden)
        self._words = words

    def manifest(self) -> Manifest:
        manifest = self._index.manifest()
        share = 1.0 - len(self._hidden) / max(manifest.chunks, 1)
        return replace(manifest, lexicon=self._lexicon(manifest.lexicon, share))

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        """Searches deeper by the number of hidden passages found, until the result is complete."""
        deeper = len(self._hidden)
        while True:
            found = self._index.search(
                replace(query, limit=query.limit + deeper, candidates=query.candidates + deeper)
            )
            visible = [hit for hit in found if hit.passage.chunk.chunk_id not in self._hidden]
            removed = len(found) - len(visible)
            if removed <= deeper:
                return visible[: query.limit]
            deeper = removed

    def chunk(self, chunk_id: str) -> Chunk | None:
        return None if chunk_id in self._hidden else self._index.chunk(chunk_id)

    def chunks(self) -> Iterator[Chunk]:
        return (chunk for chunk in self._index.chunks() if chunk.chunk_id not in self._hidden)

    def close(self) -> None:
        """Does nothing: the index belongs to the caller."""

    def _lexicon(self, lexicon: Lexicon, share: float) -> Lexicon:
        """Drops words that only hidden chunks have, and scales the counts of the others."""
        lost = Counter(stem for chunk in self._hidden for stem in self._words.by_chunk.get(chunk, ()))
        counts = dict(lexicon.counts)
        for stem, chunks in lost.items():
            left = 1.0 - chunks / self._words.counts[stem]
            if left <= 0.0:
                counts.pop(stem, None)
            elif stem in counts:
                counts[stem] = max(round(counts[stem] * left), 1)
        return replace(lexicon, passages=max(round(lexicon.passages * share), 1), counts=counts)


def _indexed_text(chunk: Chunk) -> str:
    headings = (heading for section in chunk.sections for heading in section.path)
    return "\n".join([chunk.page_title, *headings, chunk.text])
