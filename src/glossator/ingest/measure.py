"""How many tokens every block of a page has, in its source and in what the model reads of it.

A page is counted in one call, leaf by leaf; a parent has what its leaves have, but for code, which reads
otherwise whole than line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.parse import Block, BlockKind, walk
from glossator.model import Span

READ_WHOLE = (BlockKind.CODE, BlockKind.HTML)
"""While it fits into a passage."""

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class Measured:
    """A block with its sizes in tokens."""

    block: Block
    source: int
    reading: int
    gap: int
    """Of the markup between the block before and this one, which belongs to no block."""
    children: tuple[Measured, ...] = ()

    @property
    def span(self) -> Span:
        return self.block.span

    @property
    def kind(self) -> BlockKind:
        return self.block.kind


def measure(blocks: Sequence[Block], text: str, longest: int, count_tokens: CountTokens) -> list[Measured]:
    """The blocks with their sizes; a leaf of more than `longest` tokens is cut into parts that are not."""
    counted = remembering(count_tokens)
    leaves = list(_leaves(blocks))
    gaps = _gaps(leaves, text)
    whole = [block.reading for block in walk(blocks) if block.kind in READ_WHOLE]
    counted([*(_source(leaf, text) for leaf in leaves), *(leaf.reading for leaf in leaves), *whole, *gaps])
    gap_before = {leaf.span: gap for leaf, gap in zip(leaves, counted(gaps), strict=True)}
    return [_measured(block, text, longest, counted, gap_before) for block in blocks]


def remembering(count_tokens: CountTokens) -> CountTokens:
    """Counts every text once."""
    known = dict[str, int]()

    def count(texts: Sequence[str]) -> list[int]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, count_tokens(new), strict=True))
        return [known[text] for text in texts]

    return count


def _leaves(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.children:
            yield from _leaves(block.children)
        else:
            yield block


def _gaps(leaves: Sequence[Block], text: str) -> list[str]:
    ends = [leaves[0].span.start if leaves else 0, *(leaf.span.end for leaf in leaves)]
    return [text[end : leaf.span.start].strip() for end, leaf in zip(ends, leaves, strict=False)]


def _source(leaf: Block, text: str) -> str:
    return text[leaf.span.start : leaf.span.end]


def _measured(
    block: Block, text: str, longest: int, counted: CountTokens, gap_before: dict[Span, int]
) -> Measured:
    if block.children:
        parts = tuple(_measured(child, text, longest, counted, gap_before) for child in block.children)
        return _parent(block, parts, parts[0].gap, counted)
    gap = gap_before.get(block.span, 0)
    source, reading = counted([_source(block, text), block.reading])
    if max(source, reading) <= longest or len(_source(block, text)) < 2:
        return Measured(block, source, reading, gap)
    halves = tuple(_measured(half, text, longest, counted, {}) for half in _halves(block, text))
    return _parent(block, halves, gap, counted)


def _parent(block: Block, parts: tuple[Measured, ...], gap: int, counted: CountTokens) -> Measured:
    source = sum(part.source + part.gap for part in parts) - parts[0].gap
    is_read_whole = block.kind in READ_WHOLE
    reading = counted([block.reading])[0] if is_read_whole else sum(part.reading for part in parts)
    return Measured(block, source, reading, gap, parts)


def _halves(block: Block, text: str) -> tuple[Block, ...]:
    """Cut at the white space nearest before its middle, or at the middle where there is none."""
    start, end = block.span
    middle = (start + end) // 2
    space = max(text.rfind(mark, start + 1, middle) for mark in (" ", "\n"))
    first, second = (
        (Span(start, space), Span(space + 1, end))
        if space > start
        else (Span(start, middle), Span(middle, end))
    )
    return _half(text, first, block.words.start), _half(text, second, second.start)


def _half(text: str, span: Span, words_start: int) -> Block:
    start = min(max(words_start, span.start), span.end)
    line = text[start : span.end]
    reading = line.strip()
    start += len(line) - len(line.lstrip())
    return Block(BlockKind.LINE, span, reading, Span(start, start + len(reading)))
