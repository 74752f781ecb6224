from __future__ import annotations

from pathlib import Path

import pytest

from glossator.ingest.sites import Heading, PageFacts, Site, site_of


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return site_of(tmp_path)


def titled(path: str, title: str = "Title") -> PageFacts:
    return PageFacts(path, {}, [Heading(2, "Not the title"), Heading(1, title), Heading(1, "Nor this")])


def test_an_address_is_the_path_of_the_file(site: Site, tmp_path: Path) -> None:
    assert site.place(titled("guide/my page.md")).url == "guide/my%20page.md"
    based = site_of(tmp_path, base_url="https://x.example/book", route_base="text")
    assert based.place(titled("guide/page.md")).url == "https://x.example/book/text/guide/page.md"


def test_a_chapter_is_a_folder_at_the_top(site: Site) -> None:
    assert site.place(titled("02-getting-started/deep/page.md")).chapter == "Getting started"
    assert site.place(titled("page.md", "Alone")).chapter == "Alone"


def test_a_page_without_a_title_is_called_by_its_file(site: Site) -> None:
    assert site.place(PageFacts("01-first_steps.md", {}, [])).title == "First steps"
    assert site.place(PageFacts("a.md", {"title": 2024}, [])).title == "2024"


def test_pages_are_read_by_name_with_numbers_as_numbers(site: Site) -> None:
    paths = [
        "README.md",
        "a.md",
        "chapter2/README.md",
        "chapter2/b.md",
        "chapter10/index.md",
        "chapter10/a.md",
    ]
    shuffled = sorted(paths, reverse=True)
    assert sorted(shuffled, key=lambda path: site.place(titled(path)).order) == paths


def test_what_is_hidden_is_no_page(site: Site) -> None:
    paths = ["a.md", "b.MD", "c.txt", ".git/d.md", "node_modules/e.md", "f/g.markdown"]
    assert [path for path in paths if site.is_page(path)] == ["a.md", "b.MD", "f/g.markdown"]
