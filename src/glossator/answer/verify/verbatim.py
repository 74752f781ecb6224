"""Whether a claim stands in the evidence word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from glossator.answer.verify.ledger import Ledger, Sheet
from glossator.answer.verify.plain import Plain
from glossator.model import Span

_ENDS = ".!?…。！？؟۔:;"
_ENDING = re.compile(rf"(?: ?[{_ENDS}])*[\"')\]}}”’]*")
_CLOSES = "\"')]}”’ "
_NEAR = 20
"""Characters; more than so many quotes and brackets in a row end no sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    sheet: Sheet
    span: Span
    """Of the sheet's plain text."""


def find_verbatim(claim: Plain, ledger: Ledger, cited: frozenset[int]) -> Place | None:
    """Where the claim's blocks stand as whole sentences and lines, one after the other."""
    blocks = [block for line in claim.folded.split("\n") if (block := _trimmed(line))]
    for sheet in sorted(ledger.sheets, key=lambda sheet: sheet.evidence.number not in cited):
        span = _find_all(blocks, sheet.plain)
        if span:
            return Place(sheet, span)
    return None


def has_all_code(claim: Plain, ledger: Ledger) -> bool:
    """Whether each line of the claim's code is one of the evidence."""
    lines = {line.strip() for number, line in enumerate(claim.folded.split("\n")) if number in claim.code}
    if not lines:
        return True
    return lines <= {line.strip() for sheet in ledger.sheets for line in sheet.plain.folded.split("\n")}


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
