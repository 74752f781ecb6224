"""Checks each sentence of a writer against the evidence, before anybody sees it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from glossator.answer.verify.plain import PlainText, plain, without_citations
from glossator.answer.verify.verbatim import (
    EvidenceSet,
    EvidenceWindow,
    find_block,
    find_verbatim,
    has_all_code,
)
from glossator.model import Checked, Evidence, Span, Verdict
from glossator.ports import Reader
from glossator.text.sentences import sentences
from glossator.text.words import stems

_NOTHING = Checked(Verdict.UNSUPPORTED, 0.0)
_READ = 3
"""Windows that a sentence is compared with, those that share most words with it."""
_FITTED = Path(__file__).with_name("verdicts.json")


@dataclass(frozen=True, slots=True)
class Verifier:
    reader: Reader
    language: str

    def read(self, evidence: Sequence[Evidence]) -> EvidenceSet:
        """Once an answer."""
        return EvidenceSet.of(evidence, self.language)

    def check(self, claim: str, evidence: Sequence[Evidence] | EvidenceSet) -> Checked:
        """A claim is Markdown of a sentence or a block, with or without its `[n]` marks."""
        known = evidence if isinstance(evidence, EvidenceSet) else self.read(evidence)
        words, cited = without_citations(claim)
        said = plain(words)
        return (
            _found_verbatim(said, known, cited)
            or _found_block(words, known, cited)
            or self._check_parts(said, known, cited)
        )

    def _check_parts(self, said: PlainText, evidence: EvidenceSet, cited: frozenset[int]) -> Checked:
        """A claim of several sentences is as good as the weakest; its code must be the book's own."""
        if not has_all_code(said, evidence):
            return _NOTHING
        parts = [self._check_part(part, evidence, cited) for part in _prose(said)]
        return min(parts, key=lambda part: part.score, default=_NOTHING)

    def _check_part(self, part: str, evidence: EvidenceSet, cited: frozenset[int]) -> Checked:
        return _found_verbatim(plain(part), evidence, cited) or self._read_part(part, evidence, cited)

    def _read_part(self, part: str, evidence: EvidenceSet, cited: frozenset[int]) -> Checked:
        near = self._nearest(part, evidence, cited)
        support = self.reader.check(part, [one.window for one in near])
        judged = [
            (0.0 if is_missing(part, _text(one)) else told.supported, one)
            for told, one in zip(support, near, strict=True)
        ]
        if not judged:
            return _NOTHING
        score, best = max(judged, key=lambda pair: pair[0])
        return Checked(_verdict(score), score, best.evidence, self._span(part, best))

    def nearest_place(self, claim: str, evidence: EvidenceSet) -> Checked | None:
        """What of the evidence comes nearest to a claim, whether or not it carries it."""
        near = self._nearest(claim, evidence, frozenset())
        if not near:
            return None
        return Checked(Verdict.UNSUPPORTED, 0.0, near[0].evidence, self._span(claim, near[0]))

    def _nearest(self, claim: str, evidence: EvidenceSet, cited: frozenset[int]) -> list[EvidenceWindow]:
        """The windows that share most words with the claim; of equal ones, those that the writer cites."""
        said = frozenset(stems(claim, self.language))
        best_first = sorted(
            evidence.windows,
            key=lambda one: (-len(said & one.stems), one.evidence.number not in cited),
        )
        chosen = list[EvidenceWindow]()
        for one in best_first:
            if len(chosen) < _READ and not any(_is_beside(one, other) for other in chosen):
                chosen.append(one)
        return chosen

    def _span(self, claim: str, one: EvidenceWindow) -> Span:
        """The unit of the window that shares most words with the claim."""
        said = frozenset(stems(claim, self.language))
        window = one.window
        best = max(
            zip(window.parts, window.texts, strict=True),
            key=lambda pair: len(said & frozenset(stems(pair[1], self.language))),
        )
        unit = window.passage.units[best[0].unit]
        return Span(unit.start, unit.end)


def _is_beside(one: EvidenceWindow, other: EvidenceWindow) -> bool:
    """Whether they have the same middle, or nearly: there is little more to read."""
    first, second = one.window, other.window
    shared = min(first.after, second.after) - max(first.first, second.first)
    is_same_passage = first.passage == second.passage
    return is_same_passage and 2 * shared > min(first.after - first.first, second.after - second.first)


def _text(one: EvidenceWindow) -> str:
    return "\n".join([one.window.heading, *one.window.texts])


def _found_verbatim(said: PlainText, evidence: EvidenceSet, cited: frozenset[int]) -> Checked | None:
    place = find_verbatim(said, evidence, cited)
    if place is None:
        return None
    return Checked(Verdict.SUPPORTED, 1.0, place.text.evidence, place.text.page_span(place.span))


def _found_block(words: str, evidence: EvidenceSet, cited: frozenset[int]) -> Checked | None:
    found = find_block(words, evidence, cited)
    return Checked(Verdict.SUPPORTED, 1.0, found[0].evidence, found[1]) if found else None


def _prose(said: PlainText) -> Iterator[str]:
    for number, line in enumerate(said.lines):
        if number not in said.code:
            words = said.text[line.start : line.end]
            yield from (words[span.start : span.end] for span in sentences(words))


def _verdict(score: float) -> Verdict:
    least = _thresholds()
    if score >= least["supported"]:
        return Verdict.SUPPORTED
    return Verdict.PARTLY if score >= least["partly"] else Verdict.UNSUPPORTED


@cache
def _thresholds() -> dict[str, float]:
    """The least probabilities for these verdicts, written by `make fit`."""
    return json.loads(_FITTED.read_text())


# Numbers and identifiers of a claim, which the evidence must have letter for letter.
#
# A reader of a few million weights takes 15 for 16 now and then, and `max_retries` for `min_retries`; a
# comparison never does.

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
"""ros2, 4GB, 7b8dc86."""


def is_missing(claim: str, evidence: str) -> bool:
    """Whether the claim has a number or an identifier that the evidence does not have."""
    known = numbers(evidence)
    if any(number not in known for number in numbers(claim)):
        return True
    small = evidence.lower()
    if any(name.lower().rstrip("()") not in small for name in _IDENTIFIER.findall(claim)):
        return True
    # "4GB" is "4 GB".
    joined = "".join(small.split())
    return any(word.lower() not in joined for word in _MIXED.findall(claim))


def numbers(text: str) -> frozenset[float]:
    found = (_GROUPING.sub("", match[0]) for match in _NUMBER.finditer(text))
    return frozenset(float(number) for number in found if number.strip("."))
