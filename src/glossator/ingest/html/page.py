"""The main content of an HTML page as Markdown, with the place of each of its blocks in the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from glossator.ingest.discover import PageFile
from glossator.ingest.html.document import main_content, parsed
from glossator.ingest.html.markdown import Placed, markdown_blocks
from glossator.model import Origin, Span


def html_page(file: PageFile) -> PageFile:
    """Raises PageUnreadable."""
    main = main_content(parsed(file.text))
    blocks = list(markdown_blocks(main)) if main else []
    text = "".join(f"{block.text}\n\n" for block in blocks)
    content_hash = hashlib.sha256(f"{file.content_hash}\0{text}".encode()).hexdigest()
    return replace(file, text=text, content_hash=content_hash, origins=tuple(_origins(blocks, file.text)))


def _origins(blocks: Sequence[Placed], source: str) -> Iterator[Origin]:
    """The parser moves elements that stand where they must not; their places stay in order nevertheless."""
    starts = list(accumulate((block.start for block in blocks), max))
    position = 0
    for block, start, limit in zip(blocks, starts, [*starts[1:], len(source)], strict=False):
        length = len(block.text) + 2
        yield Origin(Span(position, position + length), Span(start, _end(block, start, limit, source)))
        position += length


def _end(block: Placed, start: int, limit: int, source: str) -> int:
    """Behind the end tag of the block; where it has none, behind its last text. Never behind `limit`."""
    last = max(block.last, start)
    close = source.find(f"</{block.name}", last, limit) if block.name else source.find("<", last, limit)
    if close >= 0 and block.name:
        bracket = source.find(">", close, limit)
        return bracket + 1 if bracket >= 0 else limit
    return close if close > start else start + len(source[start:limit].rstrip())
