"""An author writes and reloads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.errors import BookNotFound
from glossator.preview import SiteOptions, WidgetTag, preview
from support.preview_visit import article, opened, written


def test_a_page_is_the_one_on_disk(tmp_path: Path):
    book = written(tmp_path, {"page.md": "# Page\n\nBefore.\n"})
    reader = opened(book)
    assert "Before." in article(reader, "/page.md")
    written(book, {"page.md": "# Page\n\nAfter!!\n"})
    assert "After!!" in article(reader, "/page.md")


def test_a_change_of_the_same_length_is_seen_by_its_time(tmp_path: Path):
    book = written(tmp_path, {"page.md": "# Page\n\nBefore.\n"})
    reader = opened(book)
    assert "Before." in article(reader, "/page.md")
    written(book, {"page.md": "# Page\n\nBehind.\n"})
    os.utime(book / "page.md", (2_000_000_000, 2_000_000_000))
    assert "Behind." in article(reader, "/page.md")


def test_pages_come_move_and_go(tmp_path: Path):
    book = written(tmp_path, {"a.md": "# First\n\n[on](b.md)\n", "b.md": "# Second\n"})
    reader = opened(book)
    assert 'rel="next" href="/b.md"' in reader.get("/a.md").text
    written(book, {"ab.md": "# Between\n"})
    assert 'rel="next" href="/ab.md"' in reader.get("/a.md").text
    (book / "b.md").rename(book / "c.md")
    assert reader.get("/b.md").status_code == 404
    assert "Second" in article(reader, "/c.md")
    written(book, {"c.md": "# Renamed\n"})
    assert "Renamed" in reader.get("/a.md").text


def test_the_configuration_may_change_too(tmp_path: Path):
    book = written(tmp_path, {"mkdocs.yml": "site_name: Before\n", "docs/index.md": "# Page\n"})
    reader = opened(book)
    assert "Before" in reader.get("/").text
    written(book, {"mkdocs.yml": "site_name: [broken\n"})
    reply = reader.get("/")
    assert reply.status_code == 500
    assert "mkdocs.yml is not YAML" in reply.text
    written(book, {"mkdocs.yml": "site_name: Afterwards\n"})
    assert "Afterwards" in reader.get("/").text


def test_a_page_that_cannot_be_read_is_left_out(tmp_path: Path):
    book = written(tmp_path, {"a.md": "# Good\n"})
    (book / "b.md").write_bytes(b"# \xff\n")
    reader = opened(book)
    assert "b.md" not in reader.get("/a.md").text
    assert reader.get("/b.md").status_code == 404


def test_an_empty_folder_says_so_until_there_is_a_page(tmp_path: Path):
    reader = opened(tmp_path)
    reply = reader.get("/")
    assert reply.status_code == 404
    assert "There is no page of Markdown in this folder yet." in reply.text
    written(tmp_path, {"page.md": "# Here\n"})
    assert "Here" in article(reader, "/page.md")


def test_there_must_be_a_folder(tmp_path: Path):
    with pytest.raises(BookNotFound):
        preview(tmp_path / "gone", SiteOptions(), WidgetTag())


def test_the_widget_is_on_every_page_with_its_questions(tmp_path: Path):
    widget = WidgetTag("Ask <it>", ("What is a?", 'Is "b" c?'), key="pk_1")
    reader = opened(written(tmp_path, {"page.md": "# Page\n"}), widget=widget)
    for address in ("/page.md", "/missing"):
        html = " ".join(reader.get(address).text.split())
        assert (
            '<script type="module" src="/widget.js" data-title="Ask &lt;it&gt;" '
            'data-topics="What is a?|Is &#34;b&#34; c?" data-key="pk_1"></script>'
        ) in html


def test_a_page_that_is_not_there_has_the_contents_beside_it(tmp_path: Path):
    reply = opened(written(tmp_path, {"page.md": "# A page\n"})).get("/missing")
    assert reply.status_code == 404
    assert '<a href="/page.md" dir="auto">A page</a>' in reply.text
    assert "Begin with “A page”" in reply.text


def test_a_book_in_urdu_reads_from_the_right(tmp_path: Path):
    configuration = "site_name: کتاب\ntheme:\n  name: material\n  language: ur\n"
    reader = opened(written(tmp_path, {"mkdocs.yml": configuration, "docs/index.md": "# روبوٹ\n"}))
    assert '<html lang="ur" dir="rtl">' in reader.get("/").text
