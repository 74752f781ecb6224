"""Finds claims that are in the evidence word for word; holds the evidence of an answer, parsed once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from glossator.answer.verify.plain import PlainText, ends_in_code, plain_text
from glossator.answer.windows import neighbourhoods
from glossator.model import Evidence, Span, UnitKind, Window
from glossator.text.markdown import OMITTED, clean
from glossator.text.words import stems

_ENDS = ".!?…。！？؟۔:;"
_ENDING = re.compile(rf"(?: ?[{_ENDS}])*[\"')\]}}”’]*")
_FENCES = ("```", "~~~")
_CLOSING = "\"')]}”’ "
_MOST_MARKUP = 20
"""Characters of markup around a unit of one line."""
_LOOK_BACK = 20
"""Characters to look back; a longer run of quotes and brackets ends no sentence."""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    text: EvidenceText
    span: Span
    """The span in its plain text."""


def find_verbatim(claim: PlainText, evidence: EvidenceSet, cited: frozenset[int]) -> QuotePlace | None:
    """Where the claim's blocks occur as whole sentences or lines, in order."""
    blocks = [block for line in claim.folded.split("\n") if (block := _trimmed(line))]
    for text in sorted(evidence.texts, key=lambda text: text.evidence.number not in cited):
        span = _find_all(blocks, text.plain)
        if span:
            return QuotePlace(text, span)
    return None


def find_block(claim: str, evidence: EvidenceSet, cited: frozenset[int]) -> tuple[EvidenceText, Span] | None:
    """Where the lines of a code block or table occur in a page, in order; the claim may leave lines out.

    A chunk may begin inside a fence, so its raw lines are compared, without parsing.
    """
    lines = _block_lines(claim)
    for text in sorted(evidence.texts, key=lambda text: text.evidence.number not in cited):
        span = _find_lines(lines, text.evidence.chunk.text) if lines else None
        if span:
            start = text.evidence.chunk.start
            return text, Span(span.start + start, span.end + start)
    return None


def find_unit(claim: PlainText, evidence: EvidenceSet) -> tuple[EvidenceText, Span] | None:
    """Where the whole claim is a unit that stands inside a tag, such as the title of a callout."""
    whole = claim.folded.strip()
    for text in evidence.texts:
        for scored in text.evidence.units:
            has_length = len(whole) <= len(scored.text) <= len(whole) + _MOST_MARKUP
            if has_length and plain_text(scored.text).folded.strip() == whole:
                return text, Span(scored.unit.start, scored.unit.end)
    return None


def _block_lines(claim: str) -> list[str]:
    """The lines to compare, without the fence; empty if the claim is no block."""
    lines = [line.strip() for line in claim.strip().split("\n")]
    if len(lines) > 2 and lines[0].startswith(_FENCES) and lines[-1].startswith(_FENCES):
        return [line for line in lines[1:-1] if line and line != OMITTED]
    return lines if all(line.startswith("|") for line in lines) else []


def _find_lines(lines: Sequence[str], source: str) -> Span | None:
    rest, first, end, offset = list(lines), -1, 0, 0
    for line in source.split("\n"):
        stripped = line.strip(" \t\r>")
        if rest and stripped and rest[0] in (stripped, clean(stripped)):
            first = offset + line.find(stripped) if first < 0 else first
            end = offset + len(line.rstrip())
            rest.pop(0)
        offset += len(line) + 1
    return Span(first, end) if not rest else None


def has_all_code(claim: PlainText, evidence: EvidenceSet) -> bool:
    """Whether the evidence has each line of the claim's code."""
    lines = {line.strip() for number, line in enumerate(claim.folded.split("\n")) if number in claim.code}
    if not lines:
        return True
    return lines <= {line.strip() for text in evidence.texts for line in text.plain.folded.split("\n")}


def _trimmed(line: str) -> str:
    return line.strip().rstrip(_ENDS + " ")


def _find_all(blocks: Sequence[str], text: PlainText) -> Span | None:
    spans = list[Span]()
    for block in blocks:
        span = _find(block, text, spans[-1].end if spans else 0)
        if span is None:
            return None
        spans.append(span)
    return Span(spans[0].start, spans[-1].end) if spans else None


def _find(block: str, text: PlainText, start: int) -> Span | None:
    folded = text.folded
    while (position := folded.find(block, start)) >= 0:
        end = position + len(block)
        if _starts_sentence(folded, position) and _ends_sentence(folded, end):
            return Span(position, _with_ending(folded, end))
        start = position + 1
    return None


def _starts_sentence(folded: str, position: int) -> bool:
    """Text before it in the same sentence might reverse its meaning, so a quote must start one."""
    before = folded[max(0, position - _LOOK_BACK) : position].rstrip(_CLOSING)
    if not before:
        return position <= _LOOK_BACK
    return before[-1] == "\n" or (before[-1] in ".!?…。！？؟۔" and folded[position - 1] != before[-1])


def _ends_sentence(folded: str, end: int) -> bool:
    rest = folded[end : end + 6].lstrip(_CLOSING)
    return not rest or rest[0] == "\n" or (rest[0] in _ENDS and (len(rest) == 1 or not rest[1].isalnum()))


def _with_ending(folded: str, end: int) -> int:
    ending = _ENDING.match(folded, end)
    return ending.end() if ending else end


@dataclass(frozen=True)
class EvidenceText:
    """The text of one evidence; its plain text is made when needed."""

    evidence: Evidence

    @cached_property
    def plain(self) -> PlainText:
        return _plain(self.evidence.chunk.text, self._begins_in_code)

    @property
    def _begins_in_code(self) -> bool:
        """Whether the chunk continues a listing of the chunk before it.

        No block begins inside a listing: if the fences before it say so, the first of them closes one.
        """
        units = self.evidence.passages[0].units if self.evidence.passages else ()
        if not units:
            return False
        before = units[0].block.start - self.evidence.chunk.start
        return (
            units[0].kind is UnitKind.CODE if before < 0 else ends_in_code(self.evidence.chunk.text[:before])
        )

    def page_span(self, span: Span) -> Span:
        """The span in the page for a span of the plain text."""
        source = self.plain.source_span(span)
        return Span(source.start + self.evidence.chunk.start, source.end + self.evidence.chunk.start)


@dataclass(frozen=True)
class EvidenceWindow:
    """A few sentences of the evidence to compare claims with."""

    evidence: Evidence
    window: Window
    stems: frozenset[str]


@dataclass(frozen=True)
class EvidenceSet:
    """The evidence of one answer, parsed once for all of its claims."""

    texts: tuple[EvidenceText, ...]
    language: str

    @classmethod
    def of(cls, evidence: Sequence[Evidence], language: str) -> EvidenceSet:
        return cls(tuple(map(EvidenceText, evidence)), language)

    @cached_property
    def windows(self) -> tuple[EvidenceWindow, ...]:
        return tuple(
            EvidenceWindow(text.evidence, window, frozenset(stems(window_text(window), self.language)))
            for text in self.texts
            for passage in text.evidence.passages
            for window in neighbourhoods(passage)
        )


def window_text(window: Window) -> str:
    """The window's text with the headings above it."""
    return "\n".join([window.heading, *window.texts])


@lru_cache(maxsize=512)
def _plain(text: str, begins_in_code: bool) -> PlainText:
    """Cached, because questions about one chapter use the same chunks; an entry takes about 15 kB."""
    return plain_text(text, begins_in_code=begins_in_code)
