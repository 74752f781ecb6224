"""The text of a reStructuredText page as Markdown, with the place of each of its blocks in the file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from glossator.ingest.discover import PageFile
from glossator.ingest.includes import Resolver, repository_of
from glossator.ingest.rst.directives import Files
from glossator.ingest.rst.markdown import Placed, markdown_blocks
from glossator.ingest.rst.read import doctree
from glossator.ingest.sites import Site
from glossator.ingest.sites.sphinx import References, Sphinx
from glossator.model import Origin, Span

_NEWLINE = re.compile(r"\r\n?|\n")


def rst_page(file: PageFile, root: Path, site: Site) -> PageFile:
    page = (root / file.path).resolve()
    resolver = Resolver(repository_of(page.parent, site.folder))
    references = site.references(file.path) if isinstance(site, Sphinx) else References()
    files = Files(page, site.content_roots[0], resolver.read)
    blocks = list(markdown_blocks(doctree(file.text, files, references)))
    text = "".join(f"{block.text}\n\n" for block in blocks)
    content_hash = hashlib.sha256(f"{file.content_hash}\0{text}".encode()).hexdigest()
    return replace(file, text=text, content_hash=content_hash, origins=tuple(_origins(blocks, file.text)))


def _origins(blocks: Sequence[Placed], source: str) -> Iterator[Origin]:
    """A block comes from its own line and those before the next block."""
    starts = [0, *(newline.end() for newline in _NEWLINE.finditer(source))]
    lines = list[int]()
    for block in blocks:
        line = min((block.line or 1) - 1, len(starts) - 1)
        lines.append(max(line, lines[-1] if lines else 0))
    position = 0
    for block, line, following in zip(blocks, lines, [*lines[1:], len(starts)], strict=False):
        start = starts[line]
        end = starts[following] if line < following < len(starts) else len(source)
        if following == line:
            end = starts[line + 1] if line + 1 < len(starts) else len(source)
        length = len(block.text) + 2
        words = source[start:end].rstrip()
        yield Origin(Span(position, position + length), Span(start, start + len(words)))
        position += length
