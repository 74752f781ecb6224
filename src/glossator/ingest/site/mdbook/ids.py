"""Anchors as mdBook 0.5 makes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from glossator.ingest.site.site import Heading
from glossator.ingest.site.slug import is_circled_letter
from glossator.model import Span
from glossator.text.spans import Spans, without

_ALPHABETIC_MARKS = (
    (0x345, 0x345), (0x363, 0x36F), (0x5C4, 0x5C5), (0x610, 0x617), (0x653, 0x657), (0x659, 0x65F),
    (0x6D6, 0x6DC), (0x6E1, 0x6E4), (0x6E7, 0x6E8), (0x6ED, 0x6ED), (0x730, 0x73F), (0x816, 0x817),
    (0x81B, 0x823), (0x825, 0x827), (0x829, 0x82C), (0x8D4, 0x8DF), (0x8E3, 0x8E9), (0x8F3, 0x8FF),
    (0xE3A, 0xE3A), (0xF82, 0xF83), (0x108D, 0x108D),
)  # fmt: skip
_OTHER_MARKS = (
    (0x34F, 0x34F), (0xAFD, 0xAFF), (0xB55, 0xB55), (0xE47, 0xE4C), (0xE4E, 0xE4E), (0xEC8, 0xECC),
    (0xF3E, 0xF3F), (0x17B4, 0x17B5), (0x17C9, 0x17D1), (0x17D3, 0x17D3), (0x180B, 0x180F),
    (0xFE00, 0xFE0F), (0xE0100, 0xE01EF),
)  # fmt: skip
"""Where the combining class does not tell whether Unicode counts a mark of a living script as alphabetic."""


_DASHES = re.compile("--+")


def anchors_of(headings: Sequence[Heading], *, is_smart: bool = True) -> list[str]:
    """An id that the author gave is taken as it is, and does not count as used."""
    used: dict[str, int] = {}
    return [
        heading.custom_id or _unique(id_of(_typeset(heading) if is_smart else heading.text), used)
        for heading in headings
    ]


def _typeset(heading: Heading) -> str:
    """Hyphens in a row are set as dashes, except in code, and no id keeps a dash."""
    dashes = [Span(*found.span()) for found in _DASHES.finditer(heading.text)]
    code = Spans(heading.code)
    return without(heading.text, [span for span in dashes if not code.touch(span)])


def id_of(text: str) -> str:
    return "".join(_id_characters(text.strip().lower()))


def _id_characters(text: str) -> Iterable[str]:
    for character in text:
        if character in "_-" or _is_alphanumeric(character):
            yield character
        elif character.isspace():
            yield "-"


def _unique(wanted: str, used: dict[str, int]) -> str:
    """`used` knows the last number of each id, so that the next one need not be looked for from 1 on."""
    unique = wanted
    while unique in used:
        used[wanted] += 1
        unique = f"{wanted}-{used[wanted]}"
    used[unique] = 0
    return unique


def _is_alphanumeric(character: str) -> bool:
    """As Rust has it: by use, so that vowel signs are letters and accents are not."""
    category = unicodedata.category(character)
    if category[0] in "LN" or is_circled_letter(character):
        return True
    return category in ("Mn", "Mc") and _is_alphabetic_mark(character)


def _is_alphabetic_mark(mark: str) -> bool:
    if _is_within(ord(mark), _ALPHABETIC_MARKS):
        return True
    combining = unicodedata.combining(mark)
    has_letter_class = combining == 0 or (10 <= combining <= 132 and combining not in (107, 122))
    return has_letter_class and not _is_within(ord(mark), _OTHER_MARKS)


def _is_within(point: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= point <= last for first, last in ranges)
