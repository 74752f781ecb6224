"""Checks a claim against the evidence: verbatim first, then with the reader model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from glossator.answer.verify.plain import PlainText, plain_text, without_citations
from glossator.answer.verify.verbatim import (
    EvidenceSet,
    EvidenceWindow,
    find_block,
    find_unit,
    find_verbatim,
    has_all_code,
    window_text,
)
from glossator.model import Checked, Evidence, Span, Verdict
from glossator.ports import Reader
from glossator.text.markdown import code_titles
from glossator.text.sentences import sentences
from glossator.text.words import stems

_UNSUPPORTED = Checked(Verdict.UNSUPPORTED, 0.0)
_WINDOWS_READ = 3
"""Windows that the reader compares a sentence with: those that share most words with it."""
_FITTED = Path(__file__).with_name("verdicts.json")


@dataclass(frozen=True, slots=True)
class Verifier:
    reader: Reader
    language: str

    def read(self, evidence: Sequence[Evidence]) -> EvidenceSet:
        """Call it once for each answer."""
        return EvidenceSet.of(evidence, self.language)

    def check(self, claim: str, evidence: Sequence[Evidence] | EvidenceSet) -> Checked:
        """`claim` is the Markdown of a sentence or block, with or without `[n]` marks."""
        evidence_set = evidence if isinstance(evidence, EvidenceSet) else self.read(evidence)
        text, cited = without_citations(claim)
        plain_claim = plain_text(text)
        return (
            _found_verbatim(plain_claim, evidence_set, cited)
            or _found_block(text, evidence_set, cited)
            or _found_unit(plain_claim, evidence_set)
            or _found_title(plain_claim, evidence_set)
            or _found_fact(plain_claim, evidence_set)
            or self._check_parts(plain_claim, evidence_set, cited)
        )

    def _check_parts(self, claim: PlainText, evidence: EvidenceSet, cited: frozenset[int]) -> Checked:
        """A claim of several sentences gets the score of the weakest; its code must be in the evidence."""
        if not has_all_code(claim, evidence):
            return _UNSUPPORTED
        parts = [self._check_part(part, evidence, cited) for part in _prose(claim, self.language)]
        return min(parts, key=lambda part: part.score, default=_UNSUPPORTED)

    def _check_part(self, part: str, evidence: EvidenceSet, cited: frozenset[int]) -> Checked:
        return _found_verbatim(plain_text(part), evidence, cited) or self._read_part(part, evidence, cited)

    def _read_part(self, part: str, evidence: EvidenceSet, cited: frozenset[int]) -> Checked:
        near = self._nearest(part, evidence, cited)
        support = self.reader.check(part, [window.window for window in near])
        scored = [
            (0.0 if adds_details(part, window_text(window.window)) else result.supported, window)
            for result, window in zip(support, near, strict=True)
        ]
        if not scored:
            return _UNSUPPORTED
        score, best = max(scored, key=lambda pair: pair[0])
        return Checked(_verdict(score), score, best.evidence, self._span(part, best))

    def nearest_place(self, claim: str, evidence: EvidenceSet) -> Checked | None:
        """The evidence that is nearest to a claim, whether or not it supports the claim."""
        near = self._nearest(claim, evidence, frozenset())
        if not near:
            return None
        return Checked(Verdict.UNSUPPORTED, 0.0, near[0].evidence, self._span(claim, near[0]))

    def _nearest(self, claim: str, evidence: EvidenceSet, cited: frozenset[int]) -> list[EvidenceWindow]:
        """The windows that share most words with the claim; among equals, those that the writer cited."""
        claim_stems = frozenset(stems(claim, self.language))
        best_first = sorted(
            evidence.windows,
            key=lambda window: (-len(claim_stems & window.stems), window.evidence.number not in cited),
        )
        selected = list[EvidenceWindow]()
        for window in best_first:
            if len(selected) < _WINDOWS_READ and not any(_overlaps(window, other) for other in selected):
                selected.append(window)
        return selected

    def _span(self, claim: str, evidence_window: EvidenceWindow) -> Span:
        """The unit of the window that shares most words with the claim."""
        claim_stems = frozenset(stems(claim, self.language))
        window = evidence_window.window
        best = max(
            zip(window.parts, window.texts, strict=True),
            key=lambda pair: len(claim_stems & frozenset(stems(pair[1], self.language))),
        )
        unit = window.passage.units[best[0].unit]
        return Span(unit.start, unit.end)


def _overlaps(first_window: EvidenceWindow, second_window: EvidenceWindow) -> bool:
    """Whether they share more than half of the shorter one: then the second adds little."""
    first, second = first_window.window, second_window.window
    shared = min(first.after, second.after) - max(first.first, second.first)
    is_same_passage = first.passage == second.passage
    return is_same_passage and 2 * shared > min(first.after - first.first, second.after - second.first)


def _found_verbatim(claim: PlainText, evidence: EvidenceSet, cited: frozenset[int]) -> Checked | None:
    place = find_verbatim(claim, evidence, cited)
    if place is None:
        return None
    return Checked(Verdict.SUPPORTED, 1.0, place.text.evidence, place.text.page_span(place.span))


def _found_block(claim: str, evidence: EvidenceSet, cited: frozenset[int]) -> Checked | None:
    match = find_block(claim, evidence, cited)
    return Checked(Verdict.SUPPORTED, 1.0, match[0].evidence, match[1]) if match else None


def _found_unit(claim: PlainText, evidence: EvidenceSet) -> Checked | None:
    match = find_unit(claim, evidence)
    return Checked(Verdict.SUPPORTED, 1.0, match[0].evidence, match[1]) if match else None


def _found_title(claim: PlainText, evidence: EvidenceSet) -> Checked | None:
    """The title of a section, which may stand in the chunk before, or of code."""
    for text in evidence.texts:
        chunk = text.evidence.chunk
        titles = (title for section in chunk.sections for title in (section.title, section.heading))
        if claim.text in (*titles, *code_titles(chunk.text)):
            return Checked(Verdict.SUPPORTED, 1.0, text.evidence, Span(chunk.start, chunk.end))
    return None


def _found_fact(claim: PlainText, evidence: EvidenceSet) -> Checked | None:
    """The few words that the reader model has pointed at."""
    for text in evidence.texts:
        for scored in text.evidence.units:
            if scored.fact and scored.fact == claim.text.strip():
                span = Span(scored.unit.start, scored.unit.end)
                return Checked(Verdict.SUPPORTED, 1.0, text.evidence, span)
    return None


def _prose(claim: PlainText, language: str) -> Iterator[str]:
    for number, line in enumerate(claim.lines):
        if number not in claim.code:
            words = claim.text[line.start : line.end]
            yield from (words[span.start : span.end] for span in sentences(words, language))


def _verdict(score: float) -> Verdict:
    least = _thresholds()
    if score >= least["supported"]:
        return Verdict.SUPPORTED
    return Verdict.PARTLY if score >= least["partly"] else Verdict.UNSUPPORTED


@cache
def _thresholds() -> dict[str, float]:
    """The lowest score of each verdict; `make fit` writes the file."""
    return json.loads(_FITTED.read_text())


# Numbers and identifiers of a claim must be in the evidence exactly: the small reader model sometimes
# confuses 15 with 16, or `max_retries` with `min_retries`.

_NUMBER = re.compile(r"(?<![\w.])\d[\d,\u00a0\u2009\u202f]*(?:\.\d+)?")
_GROUPING = re.compile(r"[,\u00a0\u2009\u202f]")
_IDENTIFIER = re.compile(
    r"\b[A-Za-z]\w*_\w+(?:::\w+|\.[a-z]\w+)*"  # snake_case
    r"|\b[A-Za-z]\w*+(?:::\w++|\.[a-z]\w++)++"  # a::b, file.ext
    r"|(?<![\w/])/\w+(?:/\w+)*"  # /a/path
    r"|\b[a-z]+[A-Z]\w*"  # camelCase
    r"|(?<!\S)--?[a-z][\w-]+"  # --a-flag
    r"|\b\w++\(\)"
)

_MIXED = re.compile(r"\b(?:[A-Za-z]++\d|\d++[A-Za-z])[A-Za-z\d]*+\b")
"""Words of letters and digits: ros2, 4GB, 7b8dc86."""


def adds_details(claim: str, evidence: str) -> bool:
    """Whether the claim has a number or an identifier that the evidence does not have."""
    known = numbers(evidence)
    if any(number not in known for number in numbers(claim)):
        return True
    lowered = evidence.lower()
    if any(name.lower().rstrip("()") not in lowered for name in _IDENTIFIER.findall(claim)):
        return True
    # "4GB" is "4 GB".
    joined = "".join(lowered.split())
    return any(word.lower() not in joined for word in _MIXED.findall(claim))


def numbers(text: str) -> frozenset[float]:
    found = (_GROUPING.sub("", match[0]) for match in _NUMBER.finditer(text))
    return frozenset(float(number) for number in found if number.strip("."))
