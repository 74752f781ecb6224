"""The evidence of one answer, read once: what stands in it, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.plain import Plain, plain
from glossator.answer.verify.signs.numbers import Number, numbers
from glossator.model import Embedding, Evidence, Span
from glossator.text.sentences import sentences


@dataclass(frozen=True)
class Sentence:
    """Of the evidence: a sentence, a line of code, a row."""

    sheet: int
    """Which evidence it stands in, counted from 0."""
    span: Span
    """Of that evidence's plain text."""
    phrase: Phrase

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(self.phrase.stems)


@dataclass(frozen=True)
class Sheet:
    """One evidence without its markup, which is taken off when somebody looks."""

    evidence: Evidence
    language: str

    @cached_property
    def plain(self) -> Plain:
        return _remembered(self.evidence.chunk.text)

    @cached_property
    def headings(self) -> Phrase:
        """What it stands under."""
        chunk = self.evidence.chunk
        above = (title for section in chunk.sections for title in section.path)
        return Phrase("\n".join(dict.fromkeys([chunk.page_title, chunk.chapter, *above])), self.language)

    def page_span(self, span: Span) -> Span:
        """Characters of the page for those of the plain text."""
        source = self.plain.source_span(span)
        return Span(source.start + self.evidence.chunk.start, source.end + self.evidence.chunk.start)


@dataclass(frozen=True)
class Ledger:
    language: str
    sheets: tuple[Sheet, ...]
    embeddings: dict[str, Embedding] = field(default_factory=dict[str, Embedding])
    """Of sentences that were compared before: claims of one answer rest on the same few."""

    @classmethod
    def of(cls, evidence: Sequence[Evidence], language: str) -> Ledger:
        return cls(language, tuple(Sheet(one, language) for one in evidence))

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(
            Sentence(number, span, Phrase(sheet.plain.text[span.start : span.end], self.language))
            for number, sheet in enumerate(self.sheets)
            for span in _sentences(sheet.plain)
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """Of everything, headings too."""
        headings = frozenset(stem for sheet in self.sheets for stem in sheet.headings.stems)
        return headings.union(*(sentence.stems for sentence in self.sentences))

    @cached_property
    def everything(self) -> Phrase:
        return Phrase(
            "\n".join(f"{sheet.headings.text}\n{sheet.plain.text}" for sheet in self.sheets), self.language
        )

    @cached_property
    def everything_small(self) -> str:
        return self.everything.text.lower()

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return numbers(self.everything)

    def before(self, first: int, count: int = 2) -> tuple[Sentence, ...]:
        """The sentences before one, which say what its "it" is."""
        sheet = self.sentences[first].sheet
        return tuple(one for one in self.sentences[max(0, first - count) : first] if one.sheet == sheet)


@lru_cache(maxsize=512)
def _remembered(text: str) -> Plain:
    """Questions about the same chapter rest on the same few chunks; one takes about 15 kB."""
    return plain(text)


def _sentences(text: Plain) -> list[Span]:
    spans = list[Span]()
    for number, line in enumerate(text.lines):
        words = text.text[line.start : line.end]
        parts = [Span(0, len(words))] if number in text.code else sentences(words)
        spans += [Span(line.start + part.start, line.start + part.end) for part in parts]
    return spans
