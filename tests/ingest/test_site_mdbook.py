from __future__ import annotations

from pathlib import Path

import pytest

from glossator.ingest.sites import Heading, PageFacts, PagePlace, Site, SiteKind, site_of
from glossator.model import Span

ROOT = Path(__file__).parent / "fixtures" / "site" / "mdbook"


@pytest.fixture
def site() -> Site:
    return site_of(ROOT)


def place(site: Site, path: str) -> PagePlace:
    return site.place(PageFacts(path, {}, [Heading(1, "A heading")]))


def test_the_summary_says_what_the_pages_are_and_in_which_order(site: Site) -> None:
    paths = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.md")]
    pages = sorted((path for path in paths if site.is_page(path)), key=lambda path: place(site, path).order)
    assert pages == [
        "src/preface.md",
        "src/README.md",
        "src/one.md",
        "src/guide/README.md",
        "src/guide/deep er.md",
        "src/guide/below.md",
        "src/two.md",
        "src/three.md",
        "src/guide/ordered.md",
        "src/afterword.md",
    ]


def test_titles_are_those_of_the_summary(site: Site) -> None:
    assert place(site, "src/one.md").title == "One ros2 day"
    assert place(site, "src/README.md").title == "Read me first"


@pytest.mark.parametrize(
    ("path", "chapter"),
    [
        ("src/preface.md", "Preface"),
        ("src/one.md", "One ros2 day"),
        ("src/guide/deep er.md", "One ros2 day"),
        ("src/guide/below.md", "One ros2 day"),
        ("src/two.md", "The second part"),
        ("src/guide/ordered.md", "The second part"),
        ("src/afterword.md", "Afterword"),
    ],
)
def test_a_chapter_is_a_part_or_else_the_top_of_its_list(site: Site, path: str, chapter: str) -> None:
    assert place(site, path).chapter == chapter


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("src/one.md", "/mdBook/one.html"),
        ("src/README.md", "/mdBook/index.html"),
        ("src/guide/README.md", "/mdBook/guide/index.html"),
        ("src/guide/deep er.md", "/mdBook/guide/deep%20er.html"),
    ],
)
def test_pages_are_html_files_and_readmes_are_indexes(site: Site, path: str, url: str) -> None:
    assert place(site, path).url == url


def test_the_source_folder_has_the_same_addresses() -> None:
    site = site_of(ROOT / "src", base_url="https://x.example/")
    assert site.kind is SiteKind.MDBOOK
    assert site.is_page("guide/below.md")
    assert place(site, "guide/below.md").url == "https://x.example/guide/below.html"


def test_without_the_preprocessor_a_readme_stays_one(tmp_path: Path) -> None:
    (tmp_path / "book.toml").write_text("[build]\nuse-default-preprocessors = false\n")
    (tmp_path / "src").mkdir()
    site = site_of(tmp_path)
    assert place(site, "src/README.md").url == "/README.html"


def test_without_a_summary_every_page_is_one(tmp_path: Path) -> None:
    (tmp_path / "book.toml").write_text("")
    (tmp_path / "src").mkdir()
    site = site_of(tmp_path)
    assert site.is_page("src/a.md")
    assert not site.is_page("README.md")
    assert site.place(PageFacts("src/first-steps.md", {}, [])).title == "First steps"


@pytest.mark.parametrize(
    ("title", "anchor", "plain_anchor"),
    [
        ("a--b", "ab", "a--b"),
        ("one - two", "one---two", "one---two"),
        ("x ---- y", "x--y", "x------y"),
        ("--", "", "--"),
    ],
)
def test_dashes_are_set_before_an_anchor_is_made_unless_the_book_says_no(
    tmp_path: Path, title: str, anchor: str, plain_anchor: str
) -> None:
    assert site_of(_book(tmp_path)).anchors([Heading(2, title)]) == [anchor]
    plain = _book(tmp_path, "[output.html]\nsmart-punctuation = false\n")
    assert site_of(plain).anchors([Heading(2, title)]) == [plain_anchor]


def test_dashes_in_code_stay_what_they_are(tmp_path: Path) -> None:
    heading = Heading(2, "The --flag option --- really", code=(Span(4, 10),))
    assert site_of(_book(tmp_path)).anchors([heading]) == ["the---flag-option--really"]


def _book(folder: Path, config: str = "") -> Path:
    (folder / "book.toml").write_text(config, "utf-8")
    (folder / "src").mkdir(exist_ok=True)
    return folder
