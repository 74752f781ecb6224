"""Whether a claim stands in the evidence word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from glossator.answer.verify.evidence_text import EvidenceSet, EvidenceText
from glossator.answer.verify.plain import Plain
from glossator.model import Span

_ENDS = ".!?…。！？؟۔:;"
_ENDING = re.compile(rf"(?: ?[{_ENDS}])*[\"')\]}}”’]*")
_CLOSES = "\"')]}”’ "


@dataclass(frozen=True, slots=True)
class Place:
    text: EvidenceText
    span: Span
    """Of its plain text."""


def find_verbatim(claim: Plain, evidence: EvidenceSet, cited: frozenset[int]) -> Place | None:
    """Where the claim's blocks stand as whole sentences and lines, one after the other."""
    blocks = [block for line in claim.folded.split("\n") if (block := _trimmed(line))]
    for text in sorted(evidence.texts, key=lambda text: text.evidence.number not in cited):
        span = _find_all(blocks, text.plain)
        if span:
            return Place(text, span)
    return None


def has_all_code(claim: Plain, evidence: EvidenceSet) -> bool:
    """Whether each line of the claim's code is one of the evidence."""
    lines = {line.strip() for number, line in enumerate(claim.folded.split("\n")) if number in claim.code}
    if not lines:
        return True
    return lines <= {line.strip() for text in evidence.texts for line in text.plain.folded.split("\n")}


def _trimmed(line: str) -> str:
    return line.strip().rstrip(_ENDS + " ")


def _find_all(blocks: Sequence[str], text: Plain) -> Span | None:
    found = list[Span]()
    for block in blocks:
        span = _find(block, text, found[-1].end if found else 0)
        if span is None:
            return None
        found.append(span)
    return Span(found[0].start, found[-1].end) if found else None


def _find(block: str, text: Plain, start: int) -> Span | None:
    folded = text.folded
    while (at := folded.find(block, start)) >= 0:
        end = at + len(block)
        if _begins(folded, at) and _ends(folded, end):
            return Span(at, _with_ending(folded, end))
        start = at + 1
    return None


def _begins(folded: str, at: int) -> bool:
    """What goes before in the same sentence might turn its meaning round."""
    line_start = folded.rfind("\n", 0, at) + 1
    before = folded[line_start:at].rstrip(_CLOSES)
    return not before or (before[-1] in ".!?…。！？؟۔" and at > line_start + len(before))


def _ends(folded: str, end: int) -> bool:
    rest = folded[end : end + 6].lstrip(_CLOSES)
    return not rest or rest[0] == "\n" or (rest[0] in _ENDS and (len(rest) == 1 or not rest[1].isalnum()))


def _with_ending(folded: str, end: int) -> int:
    ending = _ENDING.match(folded, end)
    return ending.end() if ending else end
