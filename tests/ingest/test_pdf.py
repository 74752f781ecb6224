"""A PDF is read page by page; its outline gives headings, and every section leads to its page."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from glossator.errors import PageUnreadable
from glossator.ingest.discover import list_pages
from glossator.ingest.page import load_page, process_page
from glossator.ingest.pdf import paragraphs
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.testing import MemoryCache, MemoryIndexStore, SilentProgress, WordEmbedder
from support.written_pdf import write_pdf


def text_of(file: Path) -> str:
    return load_page(file.parent, file.name, site_of(file)).text.rstrip("\n")


def test_every_page_is_a_section_that_leads_to_it(tmp_path: Path) -> None:
    file = write_pdf(tmp_path / "the-robot-book.pdf", "A node computes.", "A topic carries.")
    assert text_of(file) == (
        "# The robot book {#page=1}\n\nA node computes.\n\n## Page 2 {#page=2}\n\nA topic carries."
    )
    page = process_page(
        load_page(tmp_path, file.name, site_of(file)), site_of(file), WordEmbedder(), "english"
    )
    assert page.title == "The robot book"
    urls = [chunk.url_of(section) for chunk in page.chunks for section in chunk.sections]
    assert urls == ["the-robot-book.pdf#page=1", "the-robot-book.pdf#page=2"]


def test_the_outline_gives_headings_where_the_page_shows_them(tmp_path: Path) -> None:
    pages = (
        "Preface.\n1 Nodes\nA node computes.",
        "It has a name.\nNames\nof nodes\nA name is unique.",
        "More.",
    )
    outline = [("Nodes", 1, 1), ("Names of nodes", 2, 2), ("Nowhere shown", 1, 3)]
    file = write_pdf(tmp_path / "a.pdf", *pages, outline=outline, title="Robots")
    assert text_of(file).split("\n\n") == [
        "# Robots {#page=1}",
        "Preface.",
        "## Nodes {#page=1}",
        "A node computes.",
        "### Page 2 {#page=2}",
        "It has a name.",
        "### Names of nodes {#page=2}",
        "A name is unique.",
        "## Nowhere shown {#page=3}",
        "More.",
    ]


def test_the_lines_around_the_text_of_every_page_are_left_out(tmp_path: Path) -> None:
    texts = ("First.", "Second.", "Third.", "Fourth.", "Fifth.")
    pages = [f"The Book\n{text}\nPage {number} of 5" for number, text in enumerate(texts, 1)]
    text = text_of(write_pdf(tmp_path / "a.pdf", *pages))
    assert "The Book" not in text
    assert "of 5" not in text
    assert all(words in text for words in texts)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["A robot that moves", "through a room must", "stop."], ["A robot that moves through a room must stop."]),
        (["A line that is rather long and full", "End.", "Another line that is just as long"], ["A line that is rather long and full End.", "Another line that is just as long"]),
        (["A recog-", "nised word, and Qt-", "Creator"], ["A recognised word, and Qt- Creator"]),
        (["One.", "", "Two."], ["One.", "Two."]),
        (["• first", "goes on", "• second"], ["- first goes on", "- second"]),
        (["Steps", "1. First", "2. Second"], ["Steps", "1\\. First", "2\\. Second"]),
        (["# no heading *or* mark"], ["\\# no heading \\*or\\* mark"]),
        ([], []),
    ],
)  # fmt: skip
def test_lines_become_paragraphs(lines: list[str], found: list[str]) -> None:
    assert paragraphs(lines) == found


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no pdf", "is no PDF that can be read"),
        (b"", "is no PDF that can be read"),
        (b"%PDF-1.7\n%%EOF", "is no PDF that can be read"),
    ],
)
def test_a_file_that_is_no_pdf_is_named(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.pdf").write_bytes(content)
    with pytest.raises(PageUnreadable, match=reason):
        text_of(tmp_path / "a.pdf")


def test_a_pdf_of_pictures_or_with_a_password_is_named(tmp_path: Path) -> None:
    with pytest.raises(PageUnreadable, match="has no text: its pages are pictures"):
        text_of(write_pdf(tmp_path / "a.pdf", ""))
    with pytest.raises(PageUnreadable, match="is encrypted"):
        text_of(write_pdf(tmp_path / "b.pdf", "Text.", password="secret"))


def test_a_damaged_pdf_is_read_or_named_and_never_fails_otherwise(tmp_path: Path) -> None:
    whole = write_pdf(tmp_path / "a.pdf", "Some text.", "More.", outline=[("Some", 1, 1)]).read_bytes()
    chance = random.Random(7)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 30)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        (tmp_path / "b.pdf").write_bytes(damaged[: chance.randrange(len(damaged) // 2, len(damaged))])
        with suppress(PageUnreadable):
            assert text_of(tmp_path / "b.pdf")


def test_pdfs_are_pages_of_a_plain_folder_and_not_of_a_site(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "Text.")
    (tmp_path / "b.md").write_text("# B\n")
    assert list_pages(tmp_path, site_of(tmp_path).is_page).paths == ("a.pdf", "b.md")
    assert site_of(tmp_path / "a.pdf").kind is SiteKind.PLAIN
    (tmp_path / "mkdocs.yml").write_text("site_name: x\ndocs_dir: .\n")
    assert list_pages(tmp_path, site_of(tmp_path).is_page).paths == ("b.md",)


def test_a_pdf_becomes_a_book(tmp_path: Path) -> None:
    file = write_pdf(tmp_path / "a.pdf", "A node computes.", title="Robots")
    tools = IngestTools(WordEmbedder(), MemoryIndexStore(), MemoryCache(), SilentProgress())
    report = ingest(file, site_of(file), tools)
    assert (report.pages, report.chunks, report.skipped) == (1, 1, ())
