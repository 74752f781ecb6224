"""A citation leads to the page and the anchor that the index recorded, and no link leads nowhere."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from glossator.preview import SiteOptions
from support.preview_visit import ParsedPage, cited, crawled, inner, lead_somewhere, manifest, opened, written

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "physical-ai-book"
FIXTURES = ROOT / "tests" / "ingest" / "fixtures" / "site"
BOOKS = [
    SAMPLE,
    *(FIXTURES / name for name in ("docusaurus", "docusaurus-written", "mdbook", "mkdocs", "mkdocs-folders")),
]
PLAIN = {
    "README.md": "# Birds\n\nSee [owls](guide/owls.md#What-They-Eat), [the guide](guide/) and [itself](#birds).\n",
    "guide/README.md": "# Guide\n\nTo the [owls](owls.md) and [back](../README.md).\n",
    "guide/owls.md": "# Owls\n\n## What they eat\n\nMice.\n",
}


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
def test_every_section_that_the_index_records_is_where_it_says(book: Path):
    assert lead_somewhere(opened(book), cited(book))


def test_the_addresses_of_a_folder_without_a_site_are_those_of_its_files_from_the_root(tmp_path: Path):
    book = written(tmp_path, PLAIN)
    urls = cited(book)
    assert "guide/owls.md#what-they-eat" in urls
    reader = opened(book)
    assert lead_somewhere(reader, (f"/{url}" for url in urls))
    # A browser takes them from the root of the site, and not from the folder of the page.
    assert ("base", {"href": "/"}) in ParsedPage(reader.get("/guide/owls.md").text).tags


@pytest.mark.parametrize(
    "options",
    [
        SiteOptions(base_url="/book/"),
        SiteOptions(base_url="https://x.example/deep/book/"),
        SiteOptions(route_base="text"),
    ],
    ids=["path", "host", "route"],
)
def test_the_pages_stand_where_the_ingest_was_told_that_they_do(options: SiteOptions):
    book = FIXTURES / "docusaurus-written"
    urls = cited(book, options)
    assert lead_somewhere(opened(book, options), (url.removeprefix("https://x.example") for url in urls))


def test_every_link_of_every_page_of_the_sample_book_leads_somewhere():
    reader = opened(SAMPLE)
    pages = crawled(reader)
    links = [(page, link) for page, seen in pages.items() for link in seen.links if inner(link)]
    assert len(pages) == 24
    assert len(links) > 1000
    for page, link in links:
        path, anchor = urldefrag(link)
        if path not in ("", "/"):
            assert not anchor or unquote(anchor) in pages[path].ids, f"{page}: {link}"
    for picture in {picture for seen in pages.values() for picture in seen.pictures}:
        assert reader.get(picture).headers["content-type"].startswith("image/"), picture


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
def test_the_contents_have_the_pages_of_the_index_in_its_order(book: Path):
    records = manifest(book).pages
    reader = opened(book)
    page = reader.get(records[0].url).text
    contents = page.partition('<nav id="_contents"')[2].partition("</nav>")[0]
    assert ParsedPage(contents).links == [record.url for record in records]
    for record in records:
        assert f"<title>{_escaped(record.title)}" in reader.get(record.url).text


def test_an_address_with_a_slash_too_many_or_too_few_leads_to_the_page():
    reader = opened(SAMPLE)
    for address in ("/docs", "/docs/index.html", "/"):
        reply = reader.get(address)
        assert (reply.status_code, reply.headers["location"]) == (307, "/docs/")
    assert reader.get("/docs/ros2/nodes/").headers["location"] == "/docs/ros2/nodes"


def test_links_in_a_folder_of_markdown_lead_to_its_files(tmp_path: Path):
    pages = crawled(opened(written(tmp_path, PLAIN)))
    assert set(pages) == {"/README.md", "/guide/README.md", "/guide/owls.md"}
    assert {"/guide/owls.md#what-they-eat", "/guide/README.md", "/README.md#birds"} <= set(
        pages["/README.md"].links
    )


def _escaped(title: str) -> str:
    return title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;")
