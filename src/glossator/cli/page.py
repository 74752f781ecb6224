"""An answer as it runs over a terminal: prose broken between words, code and tables as they stand."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from itertools import pairwise

import click

_BLOCK = re.compile(r"\s*(?:```|~~~|\||\$\$)")
_WORD_OR_BLANKS = re.compile(r"\S+|\s+")
_BOLD = re.compile(r"(?<![*\w])\*\*(?=\S)((?:[^*\n]|\*(?!\*))++)(?<=\S)\*\*(?![*\w])")
_ITALIC = re.compile(r"(?<![*\w])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![*\w])")
_CODE = re.compile(r"`([^`\n]+)`")
_WIDEST = 100


class Page:
    def __init__(
        self, write: Callable[[str], None], width: int | None = None, *, has_colours: bool = False
    ) -> None:
        self._write = write
        self._has_colours = has_colours
        self._width = width or min(shutil.get_terminal_size().columns, _WIDEST)
        self._column = 0

    def tell(self, text: str) -> None:
        if _BLOCK.match(text):
            self._put(text)
            return
        text = _dressed(text) if self._has_colours else text
        for word_or_blanks, following in pairwise([*_WORD_OR_BLANKS.findall(text), ""]):
            self._put(self._broken(word_or_blanks, following))

    def _broken(self, word_or_blanks: str, following: str) -> str:
        """A blank becomes a line break where the next word has no room."""
        if "\n" in word_or_blanks or not word_or_blanks.isspace():
            return word_or_blanks
        return " " if self._column + 1 + _seen(following) <= self._width else "\n"

    def _put(self, text: str) -> None:
        self._write(text)
        line = text.rpartition("\n")[2]
        self._column = _seen(line) if "\n" in text else self._column + _seen(text)


def _dressed(text: str) -> str:
    """Emphasis and code as a terminal shows them, instead of their marks."""
    text = _CODE.sub(lambda match: click.style(match[1], fg="cyan"), text)
    text = _BOLD.sub(lambda match: click.style(match[1], bold=True), text)
    return _ITALIC.sub(lambda match: click.style(match[1], italic=True), text)


def _seen(text: str) -> int:
    return len(click.unstyle(text))
