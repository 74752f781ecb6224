"""Assembles the writer's stream into sentences and blocks, each as soon as it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from glossator.text.languages import ENGLISH
from glossator.text.markdown import citation_marks
from glossator.text.sentences import sentences
from glossator.text.spans import open_code

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TABLE = re.compile(r"[ \t]*\|")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
HEADING = re.compile(r"\*\*[^*\n]+\*\*")
"""A line in bold, such as `**3. Find the gap**`, is one part and needs no citation mark."""
_MARKS = re.compile(r"\s*(?:\[\d{1,3}\][ \t]*)+[.,;:]?")
_LEADING_MARKS = re.compile(r"\s*(?:\[\d{1,3}\])+(?=\s)")
_BEGINS_ANEW = re.compile(r"\s+[*_`“\"(]*[^\W\d_a-z]")
_ENDED = re.compile(r"\[\d{1,3}\]([ \t]*\n[ \t]*\n\s*)\Z")
_UNDECIDED = re.compile(
    r"(?:\[\d{0,3}\]?\s*)*[.,;:]?|`{1,2}|~{1,2}|[-*+•|]|\d{1,3}[.)]?|(?:[-*+•]|\d{1,3}[.)])\s"
)


_SHORT = 500
"""While fewer characters are buffered, the buffer is parsed after each piece."""
_GROWTH = 8
"""A longer buffer is parsed again once it has grown by an eighth."""


class Assembler:
    """Takes pieces of any length; each part keeps the white space before it."""

    def __init__(self, language: str = ENGLISH) -> None:
        self._language = language
        self._pieces = list[str]()
        self._length = self._next_look = 0

    def feed(self, piece: str) -> list[str]:
        """The parts that are complete now.

        A part is complete once the next one has begun, and at a citation mark with a blank line below it.
        Each call parses the whole buffer. A long buffer is therefore parsed again only when it has grown
        by an eighth; to parse it after each piece would take quadratic time.
        """
        self._hold(piece)
        if self._length < self._next_look:
            return []
        text = self._take()
        if ended := _ENDED.search(text):
            complete = list(parts(text[: ended.start(1)], self._language))
            if open_code(text) is None and not _is_fence_or_table(complete[-1].lstrip()):
                self._hold(ended[1])
                return complete
        *complete, last = _parts_so_far(text, self._language)
        if not complete or _UNDECIDED.fullmatch(last.strip()):
            self._hold(text)
            self._next_look = self._length + self._length // _GROWTH if self._length > _SHORT else 0
            return []
        self._hold(last)
        return complete

    def end(self) -> list[str]:
        return [part for part in parts(self._take(), self._language) if part.strip()]

    def _hold(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)

    def _take(self) -> str:
        text = "".join(self._pieces)
        self._pieces.clear()
        self._length = self._next_look = 0
        return text


def _parts_so_far(text: str, language: str) -> list[str]:
    """The parts of the text; everything from an unclosed code mark or line in bold on is one last part."""
    all_parts = list(parts(text, language)) or [""]
    opened = [begin for begin in (open_code(text), _open_heading(text)) if begin is not None]
    if not opened:
        return all_parts
    begin = min(opened)
    ends = accumulate(map(len, all_parts))
    complete = [part for part, end in zip(all_parts, ends, strict=True) if end <= begin]
    return [*complete, text[sum(map(len, complete)) :]]


def _open_heading(text: str) -> int | None:
    """The start of a last line that begins in bold and may become a heading."""
    line = text.rpartition("\n")[2]
    is_open = line.startswith("*") and (line.count("**") == 1 or HEADING.fullmatch(line.rstrip()))
    return len(text) - len(line) if is_open else None


def parts(text: str, language: str = ENGLISH) -> Iterator[str]:
    """Sentences, list items, fences and tables, each with its citation marks; joined they are the text."""
    current, gap = list[str](), list[str]()
    for part in _blocks_and_sentences(text, language):
        if not part.strip():
            gap.append(part)
        elif current and _MARKS.fullmatch(part.strip()):
            current += [*gap, part]
            gap = []
        else:
            if current:
                yield "".join(current)
            current, gap = [*gap, part], []
    if current or gap:
        yield "".join([*current, *gap])


def _blocks_and_sentences(text: str, language: str) -> Iterator[str]:
    for block in _blocks(text):
        if _is_fence_or_table(block) or HEADING.fullmatch(block.strip()):
            yield block
        else:
            yield from _sentences(block, language)


def _blocks(text: str) -> Iterator[str]:
    """Runs of lines: a fence, a table, a list item or a paragraph."""
    block, fence, first_line, was_blank = list[str](), "", "", False
    for line in text.splitlines(keepends=True):
        if fence:
            block.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                yield from _split_trailing_space("".join(block))
                block, first_line = [], ""
            continue
        if first_line and _starts_block(line, first_line, was_blank=was_blank):
            yield from _split_trailing_space("".join(block))
            block, first_line = [], ""
        opening = _FENCE.match(line)
        fence = opening[1] if opening else ""
        was_blank = not line.strip()
        block.append(line)
        first_line = first_line or ("" if was_blank else line)
    if block:
        yield "".join(block)


def _starts_block(line: str, first_line: str, *, was_blank: bool) -> bool:
    """Whether the line starts a new block after one with that first line."""
    if not line.strip():
        return False
    if was_blank or _FENCE.match(line) or _ITEM.match(line):
        return True
    return bool(_TABLE.match(line)) != bool(_TABLE.match(first_line))


def _split_trailing_space(block: str) -> Iterator[str]:
    """The block, then the white space at its end."""
    text = block.rstrip()
    yield text
    if len(text) < len(block):
        yield block[len(text) :]


def _is_fence_or_table(block: str) -> bool:
    line = block.lstrip("\n")
    return bool(_FENCE.match(line) or _TABLE.match(line))


def _sentences(text: str, language: str) -> Iterator[str]:
    """Citation marks follow the full stop, so a capital letter after a mark starts a new sentence."""
    begin = 0
    for end in _ends(text, language):
        leading = _LEADING_MARKS.match(text, begin)
        if leading and leading.end() < end:
            yield leading[0]
            begin = leading.end()
        yield text[begin:end]
        begin = end
    if begin < len(text):
        yield text[begin:]


def _ends(text: str, language: str) -> list[int]:
    marked = (mark.end() for mark in citation_marks(text) if _BEGINS_ANEW.match(text, mark.end()))
    return sorted({*marked, *(span.end for span in sentences(text, language))})
