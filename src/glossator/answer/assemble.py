"""What a writer says piece by piece becomes sentences and blocks, each as soon as it is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from glossator.text.markdown import marks
from glossator.text.sentences import sentences
from glossator.text.spans import open_code

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TABLE = re.compile(r"[ \t]*\|")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_MARKS = re.compile(r"\s*(?:\[\d{1,3}\][ \t]*)+[.,;:]?")
_LEADING_MARKS = re.compile(r"\s*(?:\[\d{1,3}\])+(?=\s)")
_BEGINS_ANEW = re.compile(r"\s+[*_`“\"(]*[^\W\d_a-z]")
_UNDECIDED = re.compile(
    r"(?:\[\d{0,3}\]?\s*)*[.,;:]?|`{1,2}|~{1,2}|[-*+•|]|\d{1,3}[.)]?|(?:[-*+•]|\d{1,3}[.)])\s"
)


_CLOSELY = 500
"""Characters: while fewer are held back, each piece may end a part."""
_AGAIN = 8
"""Of more than these, another look is taken when they have grown by one part in so many."""


class Assembler:
    """Fed with pieces of any length; each part keeps the white space before it."""

    def __init__(self) -> None:
        self._pieces = list[str]()
        self._length = self._next_look = 0

    def feed(self, piece: str) -> list[str]:
        """What is whole now: a part is, once it is clear that another has begun.

        Every look goes through all that is held back. So a long part is looked at again only when it has
        grown by an eighth: a look at each piece would take the square of its length.
        """
        self._hold(piece)
        if self._length < self._next_look:
            return []
        held = self._take()
        *whole, last = _decided(held)
        if not whole or _UNDECIDED.fullmatch(last.strip()):
            self._hold(held)
            self._next_look = self._length + self._length // _AGAIN if self._length > _CLOSELY else 0
            return []
        self._hold(last)
        return whole

    def end(self) -> list[str]:
        return [part for part in parts(self._take()) if part.strip()]

    def _hold(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)

    def _take(self) -> str:
        held = "".join(self._pieces)
        self._pieces.clear()
        self._length = self._next_look = 0
        return held


def _decided(held: str) -> list[str]:
    """Its parts; from where code begins that is not closed yet, all is the last one."""
    found = list(parts(held)) or [""]
    begin = open_code(held)
    if begin is None:
        return found
    ends = accumulate(map(len, found))
    whole = [part for part, end in zip(found, ends, strict=True) if end <= begin]
    return [*whole, held[sum(map(len, whole)) :]]


def parts(text: str) -> Iterator[str]:
    """Sentences, items of lists, whole fences and tables, each with its marks; joined they are the text."""
    held, gap = list[str](), list[str]()
    for part in _unmarked(text):
        if not part.strip():
            gap.append(part)
        elif held and _MARKS.fullmatch(part.strip()):
            held += [*gap, part]
            gap = []
        else:
            if held:
                yield "".join(held)
            held, gap = [*gap, part], []
    if held or gap:
        yield "".join([*held, *gap])


def _unmarked(text: str) -> Iterator[str]:
    for block in _blocks(text):
        if _opens_whole(block):
            yield block
        else:
            yield from _sentences(block)


def _blocks(text: str) -> Iterator[str]:
    """Runs of lines that belong together: a fence, a table, an item, a paragraph."""
    block, fence, first, was_blank = list[str](), "", "", False
    for line in text.splitlines(keepends=True):
        if fence:
            block.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                yield from _with_gap_after("".join(block))
                block, first = [], ""
            continue
        if first and _begins(line, first, was_blank=was_blank):
            yield from _with_gap_after("".join(block))
            block, first = [], ""
        opening = _FENCE.match(line)
        fence = opening[1] if opening else ""
        was_blank = not line.strip()
        block.append(line)
        first = first or ("" if was_blank else line)
    if block:
        yield "".join(block)


def _begins(line: str, first: str, *, was_blank: bool) -> bool:
    """Whether a line begins something new, behind a block with that first line of words."""
    if not line.strip():
        return False
    if was_blank or _FENCE.match(line) or _ITEM.match(line):
        return True
    return bool(_TABLE.match(line)) != bool(_TABLE.match(first))


def _with_gap_after(block: str) -> Iterator[str]:
    """The white space at its end goes to what follows."""
    words = block.rstrip()
    yield words
    if len(words) < len(block):
        yield block[len(words) :]


def _opens_whole(block: str) -> bool:
    line = block.lstrip("\n")
    return bool(_FENCE.match(line) or _TABLE.match(line))


def _sentences(text: str) -> Iterator[str]:
    """Marks stand behind the full stop; a capital behind a mark begins something new."""
    begin = 0
    for end in _ends(text):
        marks = _LEADING_MARKS.match(text, begin)
        if marks and marks.end() < end:
            yield marks[0]
            begin = marks.end()
        yield text[begin:end]
        begin = end
    if begin < len(text):
        yield text[begin:]


def _ends(text: str) -> list[int]:
    marked = (mark.end() for mark in marks(text) if _BEGINS_ANEW.match(text, mark.end()))
    return sorted({*marked, *(span.end for span in sentences(text))})
