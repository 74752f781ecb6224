"""Count the tokens of every block of a page, in its source and in its plain reading.

The leaves of a page are counted in one call. The count of a parent is the sum of its leaves, except for code
and HTML, whose reading as a whole differs from that of their lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.ingest.parse import BlockKind, MarkdownBlock, walk
from glossator.model import Span

READ_WHOLE = (BlockKind.CODE, BlockKind.HTML)
"""Blocks that stay whole while they fit into a passage."""

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class MeasuredBlock:
    """A block with its sizes in tokens."""

    block: MarkdownBlock
    source: int
    reading: int
    gap: int
    """Tokens of the markup between the previous block and this one, which belongs to no block."""
    children: tuple[MeasuredBlock, ...] = ()

    @property
    def span(self) -> Span:
        return self.block.span

    @property
    def kind(self) -> BlockKind:
        return self.block.kind


def measure(
    blocks: Sequence[MarkdownBlock], text: str, longest: int, count_tokens: CountTokens
) -> list[MeasuredBlock]:
    """The blocks with their sizes; a leaf of more than `longest` tokens is cut into shorter parts."""
    count_once = memoized(count_tokens)
    leaves = list(_leaves(blocks))
    gaps = _gaps(leaves, text)
    whole = [block.reading for block in walk(blocks) if block.kind in READ_WHOLE]
    count_once([*(_source(leaf, text) for leaf in leaves), *(leaf.reading for leaf in leaves), *whole, *gaps])
    gap_before = {leaf.span: gap for leaf, gap in zip(leaves, count_once(gaps), strict=True)}
    return [_measured(block, text, longest, count_once, gap_before) for block in blocks]


def memoized(count_tokens: CountTokens) -> CountTokens:
    """A counter that counts each distinct text once."""
    known = dict[str, int]()

    def count(texts: Sequence[str]) -> list[int]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, count_tokens(new), strict=True))
        return [known[text] for text in texts]

    return count


def _leaves(blocks: Sequence[MarkdownBlock]) -> Iterator[MarkdownBlock]:
    for block in blocks:
        if block.children:
            yield from _leaves(block.children)
        else:
            yield block


def _gaps(leaves: Sequence[MarkdownBlock], text: str) -> list[str]:
    ends = [leaves[0].span.start if leaves else 0, *(leaf.span.end for leaf in leaves)]
    return [text[end : leaf.span.start].strip() for end, leaf in zip(ends, leaves, strict=False)]


def _source(leaf: MarkdownBlock, text: str) -> str:
    return text[leaf.span.start : leaf.span.end]


def _measured(
    block: MarkdownBlock, text: str, longest: int, count_tokens: CountTokens, gap_before: dict[Span, int]
) -> MeasuredBlock:
    if block.children:
        parts = tuple(_measured(child, text, longest, count_tokens, gap_before) for child in block.children)
        return _parent(block, parts, parts[0].gap, count_tokens)
    gap = gap_before.get(block.span, 0)
    source, reading = count_tokens([_source(block, text), block.reading])
    if max(source, reading) <= longest or len(_source(block, text)) < 2:
        return MeasuredBlock(block, source, reading, gap)
    halves = tuple(_measured(half, text, longest, count_tokens, {}) for half in _halves(block, text))
    return _parent(block, halves, gap, count_tokens)


def _parent(
    block: MarkdownBlock, parts: tuple[MeasuredBlock, ...], gap: int, count_tokens: CountTokens
) -> MeasuredBlock:
    source = sum(part.source + part.gap for part in parts) - parts[0].gap
    is_read_whole = block.kind in READ_WHOLE
    reading = count_tokens([block.reading])[0] if is_read_whole else sum(part.reading for part in parts)
    return MeasuredBlock(block, source, reading, gap, parts)


def _halves(block: MarkdownBlock, text: str) -> tuple[MarkdownBlock, ...]:
    """The block cut at the last white space before its middle, or at the middle where there is none."""
    start, end = block.span
    middle = (start + end) // 2
    space = max(text.rfind(mark, start + 1, middle) for mark in (" ", "\n"))
    first, second = (
        (Span(start, space), Span(space + 1, end))
        if space > start
        else (Span(start, middle), Span(middle, end))
    )
    return _half(text, first, block.words.start), _half(text, second, second.start)


def _half(text: str, span: Span, words_start: int) -> MarkdownBlock:
    start = min(max(words_start, span.start), span.end)
    line = text[start : span.end]
    reading = line.strip()
    start += len(line) - len(line.lstrip())
    return MarkdownBlock(BlockKind.LINE, span, reading, Span(start, start + len(reading)))
