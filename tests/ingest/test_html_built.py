"""The HTML that a generator built is the same book as its sources; fixtures/built/README.md says how they were built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from glossator.ingest.discover import list_pages
from glossator.ingest.page import dialect_of, headings_of, load_page
from glossator.ingest.parse import BlockKind, MarkdownBlock, parse
from glossator.ingest.sites import PageFacts, PagePlace, site_of

BUILT = Path(__file__).parent / "fixtures" / "built"


@dataclass(frozen=True)
class ReadPage:
    place: PagePlace
    headings: list[tuple[int, str, str]]
    """The level, text and anchor of each, without the title of the page."""
    blocks: list[tuple[bool, str]]
    """Whether it is code, and its text."""


def read(root: Path, base_url: str | None = None) -> dict[str, ReadPage]:
    """The pages by their addresses, in reading order."""
    site = site_of(root, base_url=base_url)
    pages = list[ReadPage]()
    for path in list_pages(root, site.is_page).paths:
        file = load_page(root, path, site)
        document = parse(file.text, dialect_of(path, site))
        headings = headings_of(document)
        anchors = site.anchors(headings)
        pages.append(
            ReadPage(
                site.place(PageFacts(path, document.front_matter, headings)),
                [(h.level, h.text, a) for h, a in zip(headings, anchors, strict=True) if h.level > 1],
                [shown for block in document.blocks for shown in blocks_of(block)],
            )
        )
    return {page.place.url: page for page in sorted(pages, key=lambda page: page.place.order)}


def blocks_of(block: MarkdownBlock) -> Iterator[tuple[bool, str]]:
    if block.kind in (BlockKind.LIST, BlockKind.ITEM, BlockKind.QUOTE):
        for child in block.children:
            yield from blocks_of(child)
    elif block.level != 1:
        is_code = block.kind is BlockKind.CODE
        yield is_code, block.reading if is_code else " ".join(block.reading.split())


@pytest.mark.parametrize("generator", ["docusaurus", "sphinx", "mdbook"])
def test_the_html_of_a_built_site_is_the_same_book_as_its_sources(generator: str) -> None:
    source = read(BUILT / generator / "source")
    # Pages of mdBook do not say where the site stands.
    built = read(BUILT / generator / "html", "/book/" if generator == "mdbook" else None)
    assert list(built) == list(source)
    for url, page in source.items():
        found = built[url]
        assert (found.place.title, found.place.chapter) == (page.place.title, page.place.chapter)
        assert found.headings == page.headings
        # Notes stand where they were written, and at the end of a built page.
        assert sorted(found.blocks) == sorted(page.blocks)


def test_lists_that_docusaurus_makes_of_its_docs_and_mdbooks_second_copy_are_no_pages() -> None:
    for generator, hidden in (
        ("docusaurus", {"docs/category/ships/index.html", "docs/tags/index.html"}),
        ("mdbook", {"index.html"}),
    ):
        root = BUILT / generator / "html"
        assert all((root / name).is_file() for name in hidden)
        assert not hidden & set(list_pages(root, site_of(root).is_page).paths)


def test_a_built_site_says_where_it_stands_though_no_page_is_at_its_root() -> None:
    assert site_of(BUILT / "docusaurus" / "html").home == "https://harbour.example/book/"
