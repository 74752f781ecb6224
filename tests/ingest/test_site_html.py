"""A built site: when a folder is one, and the addresses, titles and chapters of its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.errors import BookNotFound
from glossator.ingest.discover import list_pages
from glossator.ingest.page import headings_of, load_page
from glossator.ingest.parse import parse
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import PageFacts, PagePlace, SiteKind, site_of
from glossator.testing import MemoryCache, MemoryIndexStore, SilentProgress, WordEmbedder


def write(root: Path, name: str, head: str = "", body: str = "<p>Text.</p>") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(f"<html lang=de><head>{head}</head><body>{body}</body></html>", "utf-8")


def place(root: Path, name: str, base_url: str | None = None) -> PagePlace:
    site = site_of(root, base_url=base_url)
    document = parse(load_page(root, name, site).text)
    return site.place(PageFacts(name, {}, headings_of(document)))


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        (["index.html"], SiteKind.HTML),
        (["a/b.htm"], SiteKind.HTML),
        (["index.html", "README.md"], SiteKind.PLAIN),
        (["index.html", "a.ipynb"], SiteKind.PLAIN),
        (["index.html", "mkdocs.yml"], SiteKind.MKDOCS),
        (["index.html", "node_modules/x/README.md", ".git/x.md"], SiteKind.HTML),
        (["style.css"], SiteKind.PLAIN),
    ],
)
def test_a_folder_of_html_without_pages_of_another_kind_is_a_built_site(
    tmp_path: Path, files: list[str], kind: SiteKind
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert site_of(tmp_path).kind is kind


def test_a_mixed_folder_is_read_as_html_where_the_author_says_so(tmp_path: Path) -> None:
    write(tmp_path, "index.html")
    (tmp_path / "README.md").write_text("# Readme\n")
    assert list_pages(tmp_path, site_of(tmp_path).is_page).paths == ("README.md",)
    assert list_pages(tmp_path, site_of(tmp_path, kind=SiteKind.HTML).is_page).paths == ("index.html",)


def test_what_a_generator_has_built_is_html_inside_of_its_own_folder_too(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text("title: Book\n")
    (tmp_path / "index.md").write_text("# Book\n")
    write(tmp_path, "_site/index.html")
    assert site_of(tmp_path / "_site").kind is SiteKind.HTML
    assert site_of(tmp_path).kind is SiteKind.JEKYLL


def test_addresses_are_those_at_which_a_server_sends_the_files(tmp_path: Path) -> None:
    for name in ("index.html", "a/index.html", "a/b.html", "ü x.html"):
        write(tmp_path, name)
    urls = {
        name: place(tmp_path, name).url for name in ("index.html", "a/index.html", "a/b.html", "ü x.html")
    }
    assert list(urls.values()) == ["/", "/a/", "/a/b.html", "/%C3%BC%20x.html"]
    assert place(tmp_path, "a/b.html", "https://x.example/book/").url == "https://x.example/book/a/b.html"


def test_canonical_addresses_say_where_the_site_stands_and_in_which_form(tmp_path: Path) -> None:
    def canonical(path: str) -> str:
        return f"<link rel=canonical href='https://x.example/book/{path}'>"

    write(tmp_path, "index.html", canonical(""))
    write(tmp_path, "nodes.html", canonical("nodes"))
    write(tmp_path, "old/index.html", canonical("new/"))
    site = site_of(tmp_path)
    assert site.home == "https://x.example/book/"
    urls = [place(tmp_path, name).url for name in ("index.html", "nodes.html", "old/index.html")]
    assert urls == ["/book/", "/book/nodes", "/book/old/"]


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Nodes | The Book</title>", "<h1>Own</h1>", "Own"),
        ("<title>Nodes | The Book</title>", "<p>x", "Nodes"),
        ("<title>The Book - Nodes</title>", "<p>x", "Nodes"),
        ("<title>Well-known - things</title>", "<p>x", "Well-known - things"),
        ("", "<p>x", "Some page"),
    ],
)
def test_a_page_is_called_by_its_heading_or_else_by_its_title(
    tmp_path: Path, head: str, body: str, title: str
) -> None:
    for name in ("a", "b", "c"):
        write(tmp_path, f"{name}.html", f"<title>{name} | The Book</title>")
    write(tmp_path, "some-page.html", head, body)
    assert place(tmp_path, "some-page.html").title == title
    assert site_of(tmp_path).title == "The Book"
    assert site_of(tmp_path).language == "de"


def test_the_chapter_of_a_page_is_its_outermost_folder(tmp_path: Path) -> None:
    write(tmp_path, "index.html", body="<h1>Home</h1>")
    write(tmp_path, "start/index.html", "<title>Begin here</title>")
    write(tmp_path, "start/install/index.html")
    write(tmp_path, "more/a.html")
    chapters = [
        place(tmp_path, name).chapter for name in ("index.html", "start/install/index.html", "more/a.html")
    ]
    assert chapters == ["Home", "Begin here", "More"]


def test_pages_that_ask_not_to_be_found_and_redirects_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "index.html")
    write(tmp_path, "print.html", "<meta name=robots content='noindex, follow'>")
    write(tmp_path, "moved.html", "<meta http-equiv=Refresh content='0; url=index.html'>")
    assert list_pages(tmp_path, site_of(tmp_path).is_page).paths == ("index.html",)


def test_a_built_site_becomes_a_book(tmp_path: Path) -> None:
    write(tmp_path, "index.html", "<title>The Book</title>", "<main><h1>Nodes</h1><p>A node computes.</main>")
    tools = IngestTools(WordEmbedder(), MemoryIndexStore(), MemoryCache(), SilentProgress())
    report = ingest(tmp_path, site_of(tmp_path), tools)
    assert (report.pages, report.chunks, report.skipped) == (1, 1, ())
    assert ingest(tmp_path, site_of(tmp_path), tools).changed is False


def test_a_book_of_which_no_page_can_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_bytes(b"\xff")
    tools = IngestTools(WordEmbedder(), MemoryIndexStore(), MemoryCache(), SilentProgress())
    with pytest.raises(
        BookNotFound, match=r"No page of .* can be read: index.html is not UTF-8 \(byte 0\)\."
    ):
        ingest(tmp_path, site_of(tmp_path), tools)
