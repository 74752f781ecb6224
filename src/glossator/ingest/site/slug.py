"""Anchors as GitHub makes them, and Docusaurus after it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_KEPT = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"}
_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""Symbols by their category, and letters by their use: `Ⓐ`."""


class Slugger:
    """Gives each text of one page an anchor that no text before it had."""

    def __init__(self) -> None:
        self._occurrences: dict[str, int] = {}

    def slug(self, text: str, *, keep_case: bool = False) -> str:
        plain = slug(text, keep_case=keep_case)
        unique = plain
        while unique in self._occurrences:
            self._occurrences[plain] += 1
            unique = f"{plain}-{self._occurrences[plain]}"
        self._occurrences[unique] = 0
        return unique


def slug(text: str, *, keep_case: bool = False) -> str:
    cased = text if keep_case else text.lower()
    return "".join(character for character in cased if _is_kept(character)).replace(" ", "-")


def is_circled_letter(character: str) -> bool:
    return _is_within(ord(character), _CIRCLED_LETTERS)


def _is_kept(character: str) -> bool:
    if character in " -" or unicodedata.category(character) in _KEPT:
        return True
    return is_circled_letter(character)


def _is_within(point: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= point <= last for first, last in ranges)
