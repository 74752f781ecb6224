"""An answer as it runs over a terminal: prose broken between words, code and tables as they stand."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

_BLOCK = re.compile(r"\s*(?:```|~~~|\||\$\$)")
_WORD_OR_BLANKS = re.compile(r"\S+|\s+")
_WIDEST = 100


class Page:
    def __init__(self, write: Callable[[str], None], width: int | None = None) -> None:
        self._write = write
        self._width = width or min(shutil.get_terminal_size().columns, _WIDEST)
        self._column = 0

    def tell(self, text: str) -> None:
        if _BLOCK.match(text):
            self._put(text)
            return
        for match in _WORD_OR_BLANKS.finditer(text):
            self._put(self._broken(match[0], text[match.end() :]))

    def _broken(self, word_or_blanks: str, rest: str) -> str:
        """A blank becomes a line break where the next word has no room."""
        if "\n" in word_or_blanks or not word_or_blanks.isspace():
            return word_or_blanks
        following = _WORD_OR_BLANKS.match(rest)
        has_room = self._column + 1 + len(following[0] if following else "") <= self._width
        return " " if has_room else "\n"

    def _put(self, text: str) -> None:
        self._write(text)
        line = text.rpartition("\n")[2]
        self._column = len(line) if "\n" in text else self._column + len(text)
