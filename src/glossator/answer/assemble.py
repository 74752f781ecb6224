"""What a writer says piece by piece becomes sentences and blocks, each as soon as it is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glossator.text.sentences import sentences

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TABLE = re.compile(r"[ \t]*\|")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_MARKS = re.compile(r"\s*(?:\[\d{1,3}\][ \t]*)+[.,;:]?")
_LEADING_MARKS = re.compile(r"\s*(?:\[\d{1,3}\])+(?=\s)")
_MARKED_END = re.compile(r"\[\d{1,3}\](?=\s+[*_`“\"(]*[^\W\d_a-z])")
_UNDECIDED = re.compile(
    r"(?:\[\d{0,3}\]?\s*)*[.,;:]?|`{1,2}|~{1,2}|[-*+•|]|\d{1,3}[.)]?|(?:[-*+•]|\d{1,3}[.)])\s"
)


class Assembler:
    """Fed with pieces of any length; each part keeps the white space before it."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> list[str]:
        """What is whole now: a part is, once it is clear that another has begun."""
        self._held += piece
        *whole, last = list(parts(self._held)) or [""]
        if not whole or _UNDECIDED.fullmatch(last.strip()):
            return []
        self._held = last
        return whole

    def end(self) -> list[str]:
        rest, self._held = self._held, ""
        return [part for part in parts(rest) if part.strip()]


def parts(text: str) -> Iterator[str]:
    """Sentences, items of lists, whole fences and tables, each with its marks; joined they are the text."""
    held, gap = "", ""
    for part in _unmarked(text):
        if not part.strip():
            gap += part
        elif held and _MARKS.fullmatch(part.strip()):
            held, gap = held + gap + part, ""
        else:
            if held:
                yield held
            held, gap = gap + part, ""
    if held + gap:
        yield held + gap


def _unmarked(text: str) -> Iterator[str]:
    for block in _blocks(text):
        if _opens_whole(block):
            yield block
        else:
            yield from _sentences(block)


def _blocks(text: str) -> Iterator[str]:
    """Runs of lines that belong together: a fence, a table, an item, a paragraph."""
    block, fence, was_blank = "", "", False
    for line in text.splitlines(keepends=True):
        if fence:
            block += line
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                yield from _with_gap_after(block)
                block = ""
            continue
        if block.strip() and _begins(line, block, was_blank=was_blank):
            yield from _with_gap_after(block)
            block = ""
        opening = _FENCE.match(line)
        fence = opening[1] if opening else ""
        was_blank = not line.strip()
        block += line
    if block:
        yield block


def _begins(line: str, block: str, *, was_blank: bool) -> bool:
    """Whether a line begins something new."""
    if not line.strip():
        return False
    if was_blank or _FENCE.match(line) or _ITEM.match(line):
        return True
    return bool(_TABLE.match(line)) != bool(_TABLE.match(block.lstrip("\n")))


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
    marked = (match.end() for match in _MARKED_END.finditer(text))
    return sorted({*marked, *(span.end for span in sentences(text))})
