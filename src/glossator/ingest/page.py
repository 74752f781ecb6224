"""Load one page with what it includes, then process it: `load_page` and `process_page`.

To process it is to parse it, locate it in its site, split it into chunks and passages, and count its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from glossator.ingest import notebook, pdf
from glossator.ingest.cache import CachedWindow, SplitPage
from glossator.ingest.discover import PageFile, read_page
from glossator.ingest.includes import Resolver, repository_of, resolve_includes
from glossator.ingest.measure import measure, memoized
from glossator.ingest.parse import Dialect, Document, parse
from glossator.ingest.sites import Heading, PageFacts, Site, SiteKind
from glossator.ingest.sites.html_site import SUFFIXES as HTML
from glossator.ingest.sites.sphinx import Sphinx
from glossator.ingest.split import PageSource, split
from glossator.ingest.window import LONGEST_HEADING, windows
from glossator.model import Passage
from glossator.ports import Embedder
from glossator.text.words import stems


def load_page(root: Path, path: str, site: Site) -> PageFile:
    """The page with the text that its readers see. Raises PageUnreadable."""
    if path.lower().endswith(pdf.SUFFIX):
        return pdf.pdf_page(root, path)
    file = read_page(root, path)
    if path.endswith(notebook.SUFFIX):
        return notebook.notebook_page(file, _resolved(root, path, site))
    if path.endswith(".rst"):
        # A server never reads such a page, and docutils takes memory and time to import.
        from glossator.ingest.rst import rst_page

        return rst_page(file, root, site)
    if path.lower().endswith(HTML):
        # Nor such a page.
        from glossator.ingest.html.markdown import html_page

        return html_page(file)
    return resolve_includes(file, root, site)


def _resolved(root: Path, path: str, site: Site) -> Callable[[str], str] | None:
    """Cells are MyST in a Sphinx site, and else plain Markdown."""
    if not isinstance(site, Sphinx):
        return None
    folder = (root / path).resolve().parent
    resolver = Resolver(repository_of(folder, site.folder), site.directives)
    return lambda text: resolver.resolved(text, folder)


def process_page(file: PageFile, site: Site, embedder: Embedder, language: str) -> SplitPage:
    document = parse(file.text, dialect_of(file.path, site), language)
    headings = headings_of(document)
    place = site.place(PageFacts(file.path, document.front_matter, headings))
    window = embedder.identity.window
    count_tokens = memoized(embedder.count_tokens)
    blocks = measure(document.blocks, file.text, window - LONGEST_HEADING, count_tokens)
    source = PageSource(
        path=file.path,
        title=place.title,
        url=place.url,
        chapter=place.chapter,
        text=file.text,
        blocks=blocks,
        anchors=_anchors(document, site.anchors(headings)),
        origins=file.origins,
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
        windows=tuple(map(CachedWindow.of, passages)),
        stems=stems_of(passages, language),
    )


def dialect_of(path: str, site: Site) -> Dialect:
    """Docusaurus reads every page as MDX, whatever its suffix."""
    is_mdx = site.kind is SiteKind.DOCUSAURUS or path.endswith(".mdx")
    return Dialect.MDX if is_mdx else Dialect.COMMONMARK


def headings_of(document: Document) -> list[Heading]:
    return [Heading(block.level, block.reading, block.custom_id, block.code) for block in document.headings]


def _anchors(document: Document, anchors: Sequence[str]) -> dict[int, str]:
    starts = (heading.span.start for heading in document.headings)
    return dict(zip(starts, anchors, strict=True))


def stems_of(passages: Sequence[Passage], language: str) -> dict[str, int]:
    """How many passages of one page contain each stem."""
    return dict(Counter(stem for passage in passages for stem in set(stems(passage.reading, language))))
