"""One page: parsed, placed in its site, cut into chunks and passages."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.ingest.keep import SplitPage, Window
from glossator.ingest.lexicon import stems_of
from glossator.ingest.measure import measure, remembering
from glossator.ingest.parse import Dialect, Document, parse
from glossator.ingest.read import PageFile
from glossator.ingest.site import Heading, PageFacts, Site, SiteKind
from glossator.ingest.split import PageSource, split
from glossator.ingest.window import LONGEST_HEADING, windows
from glossator.ports import Embedder


def cut(file: PageFile, site: Site, embedder: Embedder, language: str) -> SplitPage:
    document = parse(file.text, dialect_of(file.path, site))
    headings = headings_of(document)
    place = site.place(PageFacts(file.path, document.front_matter, headings))
    window = embedder.identity.window
    count_tokens = remembering(embedder.count_tokens)
    blocks = measure(document.blocks, file.text, window - LONGEST_HEADING, count_tokens)
    source = PageSource(
        path=file.path,
        title=place.title,
        url=place.url,
        chapter=place.chapter,
        text=file.text,
        blocks=blocks,
        anchors=_anchors(document, site.anchors(headings)),
    )
    chunks = split(source)
    passages = windows(chunks, blocks, count_tokens, window)
    return SplitPage(
        content_hash=file.content_hash,
        title=place.title,
        url=place.url,
        chapter=place.chapter,
        order=place.order,
        chunks=tuple(chunks),
        windows=tuple(map(Window.of, passages)),
        stems=stems_of(passages, language),
    )


def dialect_of(path: str, site: Site) -> Dialect:
    """Docusaurus reads every page as MDX, whatever its ending."""
    is_mdx = site.kind is SiteKind.DOCUSAURUS or path.endswith(".mdx")
    return Dialect.MDX if is_mdx else Dialect.COMMONMARK


def headings_of(document: Document) -> list[Heading]:
    return [Heading(block.level, block.reading, block.custom_id, block.code) for block in document.headings]


def _anchors(document: Document, anchors: Sequence[str]) -> dict[int, str]:
    starts = (heading.span.start for heading in document.headings)
    return dict(zip(starts, anchors, strict=True))
