"""Jekyll and GitBook, by the rules of their documentation; no registry has a generator to build them with."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.ingest.discover import list_pages
from glossator.ingest.page import load_page
from glossator.ingest.parse import parse
from glossator.ingest.sites import Heading, PageFacts, SiteKind, site_of


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def url(root: Path, path: str) -> str:
    site = site_of(root)
    return site.place(PageFacts(path, parse(load_page(root, path, site).text).front_matter, [])).url


class TestJekyll:
    CONFIG = "title: Robots\nurl: https://x.example\nbaseurl: /book\ncollections: {guide: {output: true}}\nexclude: [old/**]\n"
    PAGES = ("index.md", "a/one.md", "_guide/two.md", "_drafts/no.md", "old/no.md", "vendor/no.md")

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        write(tmp_path, **{"_config.yml": self.CONFIG, "own.md": "---\npermalink: /far/away/\n---\n"})
        return write(tmp_path, **dict.fromkeys(self.PAGES, "# Title\n"))

    def test_is_found_by_its_configuration(self, root: Path) -> None:
        site = site_of(root)
        assert (site.kind, site.title, site.home) == (SiteKind.JEKYLL, "Robots", "https://x.example/book")

    def test_drafts_and_excluded_files_are_no_pages(self, root: Path) -> None:
        paths = list_pages(root, site_of(root).is_page).paths
        assert paths == ("_guide/two.md", "a/one.md", "index.md", "own.md")

    @pytest.mark.parametrize(
        ("path", "address"),
        [
            ("index.md", "/book/"),
            ("a/one.md", "/book/a/one.html"),
            ("_guide/two.md", "/book/guide/two.html"),
            ("own.md", "/book/far/away/"),
        ],
    )
    def test_addresses(self, root: Path, path: str, address: str) -> None:
        assert url(root, path) == address

    def test_pretty_addresses_are_folders(self, root: Path) -> None:
        write(root, **{"_config.yml": "permalink: pretty\n"})
        assert url(root, "a/one.md") == "/a/one/"

    def test_anchors(self, root: Path) -> None:
        headings = [Heading(2, text) for text in ("What's new? (v2.0)", "Twice", "Twice", "1. First")]
        assert site_of(root).anchors(headings) == ["whats-new-v20", "twice", "twice-1", "1-first"]


class TestGitBook:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        summary = "# Table of contents\n\n* [Home](README.md)\n\n## Guide\n\n* [Second](guide/second.md)\n* [First](guide/README.md)\n"
        write(tmp_path, **{".gitbook.yaml": "root: ./docs/\n", "docs/SUMMARY.md": summary})
        pages = (
            "docs/README.md",
            "docs/guide/README.md",
            "docs/guide/second.md",
            "docs/unlisted.md",
            "other.md",
        )
        return write(tmp_path, **dict.fromkeys(pages, "# Title\n"))

    def test_pages_are_those_of_the_summary(self, root: Path) -> None:
        site = site_of(root)
        assert site.kind is SiteKind.GITBOOK
        paths = list_pages(root, site.is_page).paths
        assert paths == ("docs/README.md", "docs/guide/README.md", "docs/guide/second.md")

    def test_addresses_have_no_suffix(self, root: Path) -> None:
        paths = ("docs/README.md", "docs/guide/README.md", "docs/guide/second.md")
        assert [url(root, path) for path in paths] == ["/", "/guide", "/guide/second"]

    def test_order_and_chapters_are_those_of_the_summary(self, root: Path) -> None:
        site = site_of(root)
        places = [site.place(PageFacts(f"docs/guide/{name}.md", {}, [])) for name in ("second", "README")]
        assert places[0].order < places[1].order
        assert {place.chapter for place in places} == {"Guide"}
