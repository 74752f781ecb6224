"""Whether a claim stands in the evidence word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from glossator.answer.verify.plain import PlainText, plain
from glossator.answer.windows import neighbourhoods
from glossator.model import Evidence, Span, Window
from glossator.text.markdown import clean
from glossator.text.words import stems

_ENDS = ".!?…。！？؟۔:;"
_ENDING = re.compile(rf"(?: ?[{_ENDS}])*[\"')\]}}”’]*")
_FENCES = ("```", "~~~")
_CLOSES = "\"')]}”’ "
_NEAR = 20
"""Characters; more than so many quotes and brackets in a row end no sentence."""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    text: EvidenceText
    span: Span
    """Of its plain text."""


def find_verbatim(claim: PlainText, evidence: EvidenceSet, cited: frozenset[int]) -> QuotePlace | None:
    """Where the claim's blocks stand as whole sentences and lines, one after the other."""
    blocks = [block for line in claim.folded.split("\n") if (block := _trimmed(line))]
    for text in sorted(evidence.texts, key=lambda text: text.evidence.number not in cited):
        span = _find_all(blocks, text.plain)
        if span:
            return QuotePlace(text, span)
    return None


def find_block(claim: str, evidence: EvidenceSet, cited: frozenset[int]) -> tuple[EvidenceText, Span] | None:
    """Where the lines of a code block or a table stand in a page, in their order; lines may be left out.

    A chunk may begin inside a fence, so its own lines are compared, and not what a parser makes of them.
    """
    wanted = _block_lines(claim)
    for text in sorted(evidence.texts, key=lambda text: text.evidence.number not in cited):
        span = _find_lines(wanted, text.evidence.chunk.text) if wanted else None
        if span:
            start = text.evidence.chunk.start
            return text, Span(span.start + start, span.end + start)
    return None


def _block_lines(claim: str) -> list[str]:
    """None where it is no block; the fence itself is not compared."""
    lines = [line.strip() for line in claim.strip().split("\n")]
    if len(lines) > 2 and lines[0].startswith(_FENCES) and lines[-1].startswith(_FENCES):
        return [line for line in lines[1:-1] if line]
    return lines if all(line.startswith("|") for line in lines) else []


def _find_lines(wanted: Sequence[str], source: str) -> Span | None:
    rest, first, end, at = list(wanted), -1, 0, 0
    for line in source.split("\n"):
        stripped = line.strip(" \t\r>")
        if rest and stripped and rest[0] in (stripped, clean(stripped)):
            first = at + line.find(stripped) if first < 0 else first
            end = at + len(line.rstrip())
            rest.pop(0)
        at += len(line) + 1
    return Span(first, end) if not rest else None


def has_all_code(claim: PlainText, evidence: EvidenceSet) -> bool:
    """Whether each line of the claim's code is one of the evidence."""
    lines = {line.strip() for number, line in enumerate(claim.folded.split("\n")) if number in claim.code}
    if not lines:
        return True
    return lines <= {line.strip() for text in evidence.texts for line in text.plain.folded.split("\n")}


def _trimmed(line: str) -> str:
    return line.strip().rstrip(_ENDS + " ")


def _find_all(blocks: Sequence[str], text: PlainText) -> Span | None:
    found = list[Span]()
    for block in blocks:
        span = _find(block, text, found[-1].end if found else 0)
        if span is None:
            return None
        found.append(span)
    return Span(found[0].start, found[-1].end) if found else None


def _find(block: str, text: PlainText, start: int) -> Span | None:
    folded = text.folded
    while (at := folded.find(block, start)) >= 0:
        end = at + len(block)
        if _begins(folded, at) and _ends(folded, end):
            return Span(at, _with_ending(folded, end))
        start = at + 1
    return None


def _begins(folded: str, at: int) -> bool:
    """What goes before in the same sentence might turn its meaning round."""
    near = folded[max(0, at - _NEAR) : at].rstrip(_CLOSES)
    if not near:
        return at <= _NEAR
    return near[-1] == "\n" or (near[-1] in ".!?…。！？؟۔" and folded[at - 1] != near[-1])


def _ends(folded: str, end: int) -> bool:
    rest = folded[end : end + 6].lstrip(_CLOSES)
    return not rest or rest[0] == "\n" or (rest[0] in _ENDS and (len(rest) == 1 or not rest[1].isalnum()))


def _with_ending(folded: str, end: int) -> int:
    ending = _ENDING.match(folded, end)
    return ending.end() if ending else end


# The evidence of one answer, read once, so that each of its claims is checked quickly.


@dataclass(frozen=True)
class EvidenceText:
    """One evidence without its markup, which is taken off when somebody looks."""

    evidence: Evidence

    @cached_property
    def plain(self) -> PlainText:
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
def _plain(text: str) -> PlainText:
    """Questions about the same chapter rest on the same few chunks; one takes about 15 kB."""
    return plain(text)
