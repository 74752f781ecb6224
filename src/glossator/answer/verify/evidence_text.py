"""The evidence of one answer, read once, so that each of its claims is checked quickly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from glossator.answer.verify.plain import Plain, plain
from glossator.answer.windows import neighbourhoods
from glossator.model import Evidence, Span, Window
from glossator.text.words import stems


@dataclass(frozen=True)
class EvidenceText:
    """One evidence without its markup, which is taken off when somebody looks."""

    evidence: Evidence

    @cached_property
    def plain(self) -> Plain:
        return _plain(self.evidence.chunk.text)

    def page_span(self, span: Span) -> Span:
        """Characters of the page for those of the plain text."""
        source = self.plain.source_span(span)
        return Span(source.start + self.evidence.chunk.start, source.end + self.evidence.chunk.start)


@dataclass(frozen=True)
class EvidenceWindow:
    """A few sentences of the evidence that a claim may rest on."""

    evidence: Evidence
    window: Window
    stems: frozenset[str]


@dataclass(frozen=True)
class EvidenceSet:
    texts: tuple[EvidenceText, ...]
    language: str

    @classmethod
    def of(cls, evidence: Sequence[Evidence], language: str) -> EvidenceSet:
        return cls(tuple(map(EvidenceText, evidence)), language)

    @cached_property
    def windows(self) -> tuple[EvidenceWindow, ...]:
        return tuple(
            EvidenceWindow(text.evidence, window, frozenset(stems(_read(window), self.language)))
            for text in self.texts
            for passage in text.evidence.passages
            for window in neighbourhoods(passage)
        )


def _read(window: Window) -> str:
    return "\n".join([window.heading, *window.texts])


@lru_cache(maxsize=512)
def _plain(text: str) -> Plain:
    """Questions about the same chapter rest on the same few chunks; one takes about 15 kB."""
    return plain(text)
