"""Where else a book tells what a section tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from glossator.answer.ask_itself import BookSection, Place, SelfQuestion
from glossator.answer.ask_itself.sections import paragraphs
from glossator.answer.weigh import asked_for
from glossator.model import Chunk
from glossator.text.inline import plain
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
class Paragraph:
    sentences: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Bookwide:
    """Every paragraph by its words, and every row of words by the chunks that have it."""

    language: str
    sections: Sequence[BookSection]
    chunks: Sequence[Chunk]
    paragraphs: Sequence[Paragraph]
    by_stem: Mapping[str, frozenset[int]]
    by_shingle: Mapping[int, frozenset[str]]

    @classmethod
    def of(cls, sections: Sequence[BookSection], chunks: Sequence[Chunk], language: str) -> Bookwide:
        said = [one for section in sections for one in _paragraphs(section)]
        by_stem = _grouped(
            (stem, at)
            for at, one in enumerate(said)
            for text in one.sentences
            for stem in stems(text, language)
        )
        by_shingle = _grouped((row, chunk.chunk_id) for chunk in chunks for row in _shingles(chunk.text))
        return cls(language, sections, chunks, said, by_stem, by_shingle)

    def chunks_of(self, place: Place) -> tuple[str, ...]:
        """Those that hold a part of it, and those that repeat it."""
        holding = {
            chunk.chunk_id
            for chunk in self.chunks
            if chunk.page == place.page and chunk.start < place.end and place.start < chunk.end
        }
        return tuple(sorted(holding | self._repeating(place)))

    def elsewhere(self, question: SelfQuestion, without: Sequence[str]) -> tuple[Place, ...]:
        """Sections left that define its subject, have it as their heading, or all its words in a paragraph."""
        hidden = [chunk for chunk in self.chunks if chunk.chunk_id in without]
        asked = asked_for(question.text, self.language)
        found = [*question.places[1:], *self._headed(asked), *self._defining(question), *self._naming(asked)]
        return tuple(dict.fromkeys(place for place in found if not _is_hidden(place, hidden)))

    def _repeating(self, place: Place) -> set[str]:
        body = next((one.body for one in self.sections if one.place == place), "")
        rows = _shingles(body)
        counts = dict[str, int]()
        for row in rows:
            for chunk in self.by_shingle.get(row, ()):
                counts[chunk] = counts.get(chunk, 0) + 1
        return {chunk for chunk, count in counts.items() if count > _REPEATS * len(rows)}

    def _headed(self, asked: Sequence[str]) -> Iterator[Place]:
        wanted = set(asked)
        for section in self.sections:
            if wanted <= set(stems(section.title, self.language)):
                yield section.place

    def _defining(self, question: SelfQuestion) -> Iterator[Place]:
        subject = _SUBJECT.fullmatch(question.text)
        if subject is None:
            return
        name = re.escape(subject[1].lower().removesuffix("s"))
        defines = re.compile(_DEFINES.format(name=name))
        for at in self._with_all(asked_for(question.text, self.language)):
            if any(defines.search(sentence.lower()) for sentence in self.paragraphs[at].sentences):
                yield self.paragraphs[at].place

    def _naming(self, asked: Sequence[str]) -> Iterator[Place]:
        """One word may stand anywhere; two in one paragraph are about the same."""
        if len(asked) > 1:
            yield from (self.paragraphs[at].place for at in self._with_all(asked))

    def _with_all(self, asked: Sequence[str]) -> list[int]:
        first, *others = [self.by_stem.get(stem, frozenset[int]()) for stem in asked]
        return sorted(first.intersection(*others))


def _paragraphs(section: BookSection) -> Iterator[Paragraph]:
    for text in paragraphs(section.body):
        said = tuple(plain(text[span.start : span.end]) for span in sentences(text))
        yield Paragraph(said, section.place)


def _shingles(text: str) -> set[int]:
    said = words(text.lower())
    return {hash(tuple(said[at : at + _SHINGLE])) for at in range(len(said) - _SHINGLE + 1)}


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, frozenset[Value]]:
    grouped = dict[Key, set[Value]]()
    for key, value in pairs:
        grouped.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in grouped.items()}


def _is_hidden(place: Place, hidden: Sequence[Chunk]) -> bool:
    """Whether where it begins is gone; what it says of its subject mostly stands there."""
    return any(chunk.page == place.page and chunk.start <= place.start < chunk.end for chunk in hidden)
