"""Texts of the worst kinds, and whether the time to read them grows in proportion to their length."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from itertools import count
from math import inf
from time import thread_time

import pytest

Read = Callable[[str], object]
Make = Callable[[int], str]
"""A text of so many characters."""


LENGTHS = (10_000, 100_000)


class Size(StrEnum):
    """How far the texts grow; every kind of them at either size."""

    SHORT = "4 kB"
    """The worst kinds to 40 kB, unless a tenth of that has shown already how the time grows.

    What takes too long for 4 kB is tried with 10 kB as well: some readers look at so much at once, and then go on."""
    FULL = "100 kB"


SIZES = [Size.SHORT, pytest.param(Size.FULL, marks=pytest.mark.nightly)]

_MOST = 40
"""Times the time for a tenth of the text: in proportion that would be 10, by the square 100."""
_TOO_LITTLE = 0.01
"""Seconds of the processor that cannot be compared with anything."""
_TRIES = 3

# fmt: off
_REPEATED = (
    "a", "A", "1", "é", "*", "_", "? ", "[", "]", "`", "<", ">", "$", "&", "\\", "~", "#", "=", "-", ".", "!", ":",
    "(", '"', "'", "{", "}", "+", "|", "。", "؟", " ", "\n", "\t", "\r", "\u0301", "\u200b", " \n", "\\\n",
    "**a", "*a ", "*a* ", "_a", "_a ", "``a ", "`a ", "`a` ", "[[", "[a", "[]", "[](", "![", '[a](b "', "[a](<b",
    "[a](b) ", "[^", "[^a", "[^a] ", "](", "[1]", " [1]", "[1] ", "\\[", "{/*", "{/* */}", "{#a}", "{: #", "{{#", "{\n",
    "<a", "<a ", "</", "<b>", "<!--", '<a href="', "<div>\n", "$a ", "$a$ ", "&lt;", "&#0",
    "> ", "> a\n", "- ", "- a\n", "1. ", "1. a\n", "# a\n", "## a\n\na. b\n\n", "a\n=\n", "---\n", "```\n", "~~~", ":::",
    ":::a\n", "a|b\n", "|-|\n", "!!! a\n", "!!! a\n    b\n", '=== "', "/// a\n", "{{<", "{% a %}", '{{< a text="', "[a]\n", "[a]: b\n", "[a]:\n", "[^a]: b\n", "import a\n", "import {\n\n", "export ",
    "const a=[b,b];", "/*", "'\\'", "a: a, ", "a ", "A ", "AB ", "a. ", "a.", "a'", "a-", "a@", "http:", "http://a ", "www.",
    "it ", "and ", "the first ", "is it a ", "what is ", "between ", "Term (TM) ", "*term* is a ",
    "sources:\n", "**Sources**\n\n", "1. [a](b)\n",
)
# fmt: on


def _repeated(unit: str) -> Make:
    return lambda length: unit * (length // len(unit))


def _joined(parts: Callable[[int], str]) -> Make:
    """As many whole ones as there is room for; each knows its number."""

    def make(length: int) -> str:
        text, left = list[str](), length
        for part in map(parts, count()):
            left -= len(part)
            if left < 0:
                break
            text.append(part)
        return "".join(text)

    return make


def _run(mark: str) -> Make:
    """Between two words."""
    return lambda length: f"is {mark * length}a"


def _halves(first: str, second: str) -> Make:
    return lambda length: first * (length // 2 // len(first)) + second * (length // 2 // len(second))


KINDS: Mapping[str, Make] = {
    **{unit: _repeated(unit) for unit in _REPEATED},
    **{f"a run of {mark!r}": _run(mark) for mark in "*_.-=~#$&:<>[]({\\`\"' \t\n/|0"},
    "runs of backticks": _joined(lambda number: "`" * (number % 30 + 1) + "a"),
    "long runs of backticks": _joined(lambda number: "`" * (number * 37 % 300 + 1) + "a"),
    "backticks, one too few": lambda length: "`" * (length // 2) + "a" + "`" * (length // 2 - 1),
    "brackets in brackets": _halves("[", "]"),
    "links in brackets": _halves("[", "](a)"),
    "accents out of order": _halves("\u0301", "\u0327"),
    "words": _joined(lambda number: f"word{number} "),
    "names": _joined(lambda number: f"Ab{number}Cd "),
    "headings": _joined(lambda number: f"## w{number}\n\n"),
    "links": _joined(lambda number: f"[w](x{number}#y{number})\n"),
    "definitions": _joined(lambda number: f"[w{number}]: x\n"),
    "footnotes": _joined(lambda number: f"[^w{number}]\n\n[^w{number}]: x\n\n"),
    "quotes in quotes": _joined(lambda number: "> " * (number % 30) + "a\n"),
    "lists in lists": _joined(lambda number: "  " * (number % 30) + "- a\n"),
}


_WORST = ("a", "*", "? ", "[", "sources:\n", "`", "\n", "{\n", "- a\n", "headings", "links")
"""Of all kinds, those that most often took too long."""


def out_of_proportion(read: Read, size: Size) -> list[str]:
    """The kinds of text that take more than their length explains."""
    with _undisturbed():
        read("a")
        return [name for name in KINDS if not _is_in_proportion(read, name, size)]


def _is_in_proportion(read: Read, kind: str, size: Size) -> bool:
    make = KINDS[kind]
    for length in LENGTHS:
        first = length * 4 // 10 if size is Size.SHORT else length
        seconds = _seconds(read, make(first))
        if (
            seconds > _TOO_LITTLE
            and not _grows_in_proportion(read, make, first, seconds)
            and (first >= LENGTHS[0] or not _grows_in_proportion(read, make, length))
        ):
            return False
        if _is_shown(kind, size, seconds):
            return True
    return True


def _grows_in_proportion(read: Read, make: Make, length: int, seconds: float = inf) -> bool:
    """From a tenth of the length; where the seconds for all of it are known already, they may do."""
    # A first time that was too long by chance would hide how the time grows.
    before = _quickest(read, make, length // 10, enough=_TOO_LITTLE / _MOST)
    enough = max(_TOO_LITTLE, _MOST * before)
    return seconds <= enough or _quickest(read, make, length, enough) <= enough


def _is_shown(kind: str, size: Size, seconds: float) -> bool:
    """Whether a longer text would be read for nothing: what took so long could be compared already."""
    is_long_enough = seconds > _TOO_LITTLE
    if size is Size.FULL:
        return is_long_enough and kind not in _WORST
    return is_long_enough or kind not in _WORST


def _quickest(read: Read, make: Make, length: int, enough: float) -> float:
    """A machine that does other things as well may be slow once, but not again and again.

    Never the same text twice: some readers remember what they have read. Nor a longer one: some have an end.
    """
    quickest = inf
    for number in range(1, _TRIES + 1):
        quickest = min(quickest, _seconds(read, make(length - number) + "x" * number))
        if quickest <= enough:
            break
    return quickest


def _seconds(read: Read, text: str) -> float:
    begun = thread_time()
    read(text)
    return thread_time() - begun


@contextmanager
def _undisturbed() -> Generator[None]:
    """Without what the collection of garbage takes now and then."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
