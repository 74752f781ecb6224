"""Our addresses, anchors, chapters and order beside those of real builds (see fixtures/site/README.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.ingest.discover import PageFile, list_pages
from glossator.ingest.page import headings_of, load_page
from glossator.ingest.parse import Document, parse
from glossator.ingest.sites import Heading, PageFacts, PagePlace, Site, SiteKind, site_of
from glossator.model import Span

FIXTURES = Path(__file__).parent / "fixtures" / "site"
RAW_TITLES = {
    # Docusaurus shows the marks of a title, and takes a title only from the very top of a page.
    "content/headings.md": "Headings of every kind",
    "content/late-title.md": "A late title",
}


@cache
def truth(name: str) -> dict[str, Any]:
    return json.loads((FIXTURES / f"{name}.truth.json").read_text(encoding="utf-8"))


def pages_of(site: Site, root: Path) -> dict[str, PageFacts]:
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {path: facts(root, path) for path in paths if site.is_page(path)}


def facts(root: Path, path: str) -> PageFacts:
    text = (root / path).read_text(encoding="utf-8")
    match = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    front_matter = yaml.safe_load(match[1]) if match else {}
    tokens = MarkdownIt("commonmark").enable("strikethrough").parse(text[match.end() :] if match else text)
    return PageFacts(
        path, front_matter, [heading(tokens, i) for i, t in enumerate(tokens) if t.type == "heading_open"]
    )


def heading(tokens: list[Token], index: int) -> Heading:
    text, code = "", []
    for child in flat(tokens[index + 1].children or []):
        if child.type == "code_inline":
            code.append(Span(len(text), len(text) + len(child.content)))
        text += {"softbreak": "\n", "html_inline": ""}.get(child.type, child.content)
    match = re.search(r"\s*\{:?\s*#([^\s}]+)[^}]*\}$", text)
    shown = text[: match.start()] if match else text
    return Heading(int(tokens[index].tag[1]), shown, match[1] if match else None, tuple(code))


def flat(tokens: list[Token]) -> list[Token]:
    return [leaf for token in tokens for leaf in (flat(token.children) if token.children else [token])]


def places(site: Site, pages: Mapping[str, PageFacts]) -> dict[str, PagePlace]:
    return {path: site.place(page) for path, page in pages.items()}


def in_reading_order(placed: Mapping[str, PagePlace]) -> list[str]:
    return sorted(placed, key=lambda path: placed[path].order)


class TestDocusaurus:
    ROOT = FIXTURES / "docusaurus"

    def site(self, locale: str | None = None) -> Site:
        return site_of(self.ROOT, locale=locale, base_url="https://corners.example/book/")

    @pytest.mark.parametrize("locale", ["en", "ur"])
    def test_every_page_has_the_address_the_build_gives_it(self, locale: str) -> None:
        site = self.site(locale)
        placed = places(site, pages_of(site, self.ROOT))
        expected = {path: page["url"] for path, page in truth("docusaurus")[locale]["pages"].items()}
        assert {path: unquote(place.url) for path, place in placed.items()} == expected

    @pytest.mark.parametrize("locale", ["en", "ur"])
    def test_every_heading_has_the_anchor_the_build_gives_it(self, locale: str) -> None:
        site = self.site(locale)
        for path, page in pages_of(site, self.ROOT).items():
            anchors = site.anchors(page.headings)
            below = [a for a, h in zip(anchors, page.headings, strict=True) if h.level > 1]
            assert below == truth("docusaurus")[locale]["pages"][path]["anchors"], path
            assert {a for a, h in zip(anchors, page.headings, strict=True) if h.level == 1} <= {""}

    @pytest.mark.parametrize("locale", ["en", "ur"])
    def test_pages_are_read_in_the_order_of_the_next_links(self, locale: str) -> None:
        site = self.site(locale)
        placed = places(site, pages_of(site, self.ROOT))
        expected = truth("docusaurus")[locale]["order"]
        assert [path for path in in_reading_order(placed) if path != "content/unlisted.md"] == expected[:-1]

    @pytest.mark.parametrize("locale", ["en", "ur"])
    def test_every_page_has_the_title_and_the_chapter_the_build_shows(self, locale: str) -> None:
        site = self.site(locale)
        for path, place in places(site, pages_of(site, self.ROOT)).items():
            shown = truth("docusaurus")[locale]["pages"][path]
            title = RAW_TITLES.get(path, shown["title"])
            chapter = title if shown["chapter"] == shown["title"] else shown["chapter"]
            assert (place.title, place.chapter) == (title, chapter), path

    @pytest.mark.parametrize("trailing_slash", ["true", "false"])
    def test_the_trailing_slash_option_is_followed(self, trailing_slash: str, tmp_path: Path) -> None:
        copy_tree(self.ROOT, tmp_path)
        config = tmp_path / "docusaurus.config.js"
        config.write_text(
            config.read_text().replace("baseUrl:", f"trailingSlash: {trailing_slash},\n  baseUrl:")
        )
        site = site_of(tmp_path, base_url="https://corners.example/book/")
        urls = {path: unquote(place.url) for path, place in places(site, pages_of(site, tmp_path)).items()}
        assert urls == truth("docusaurus")["trailing_slash"][trailing_slash]

    def test_the_docs_folder_alone_has_the_same_addresses(self) -> None:
        site = site_of(self.ROOT / "content", base_url="https://corners.example/book/")
        placed = places(site, pages_of(site, self.ROOT / "content"))
        expected = {
            path.removeprefix("content/"): page["url"]
            for path, page in truth("docusaurus")["en"]["pages"].items()
        }
        assert {path: unquote(place.url) for path, place in placed.items()} == expected


class TestDocusaurusWithWrittenSidebars:
    ROOT = FIXTURES / "docusaurus-written"

    def expected(self) -> dict[str, Any]:
        return truth("docusaurus-written")["de"]

    def placed(self) -> dict[str, PagePlace]:
        site = site_of(self.ROOT, base_url="https://written.example/")
        return places(site, pages_of(site, self.ROOT))

    def test_every_page_has_the_address_the_build_gives_it(self) -> None:
        released = "api_versioned_docs/version-1.0/1-one.md"
        expected = {path: page["url"] for path, page in self.expected()["pages"].items() if path != released}
        assert {path: place.url for path, place in self.placed().items()} == expected

    def test_pages_are_read_in_the_order_of_the_sidebars(self) -> None:
        placed = self.placed()
        chapters = {path: page["chapter"] for path, page in self.expected()["pages"].items()}
        for folder in ("docs/", "api/"):
            ours = [path for path in in_reading_order(placed) if path.startswith(folder) and chapters[path]]
            theirs = [path for path in self.expected()["order"] if path.startswith(folder) and chapters[path]]
            assert ours == theirs

    def test_a_page_in_no_sidebar_is_read_last_and_is_its_own_chapter(self) -> None:
        placed = self.placed()
        docs = [path for path in in_reading_order(placed) if path.startswith("docs/")]
        assert docs[-2:] == ["docs/_kept.md", "docs/in-no-sidebar.md"]
        assert placed["docs/in-no-sidebar.md"].chapter == "In no sidebar"

    def test_chapters_are_the_outermost_labels(self) -> None:
        shown = {path: page["chapter"] for path, page in self.expected()["pages"].items() if page["chapter"]}
        assert {path: place.chapter for path, place in self.placed().items() if path in shown} == shown

    def test_anchors_keep_their_case_where_the_site_says_so(self) -> None:
        site = site_of(self.ROOT)
        page = facts(self.ROOT, "docs/start.md")
        assert site.anchors(page.headings) == ["", *self.expected()["pages"]["docs/start.md"]["anchors"]]


@pytest.mark.parametrize(
    ("name", "docs", "base"),
    [("mkdocs", "pages", "https://corners.example/manual/"), ("mkdocs-folders", "docs", None)],
)
class TestMkDocs:
    def test_a_page_is_what_the_build_makes_of_it(self, name: str, docs: str, base: str | None) -> None:
        root = FIXTURES / name
        site = site_of(root, base_url=base)
        placed = places(site, pages_of(site, root))
        shown = {f"{docs}/{path}": page for path, page in truth(name)["pages"].items()}
        assert placed.keys() == shown.keys()
        for path, place in placed.items():
            assert place.url.removeprefix("/") == shown[path]["url"]
            assert place.title == shown[path]["title"]
            assert place.chapter == (shown[path]["chapter"] or place.title)

    def test_anchors_are_those_of_the_build(self, name: str, docs: str, base: str | None) -> None:
        root = FIXTURES / name / docs
        site = site_of(root)
        assert site.kind is SiteKind.MKDOCS
        for path, page in pages_of(site, root).items():
            assert site.anchors(page.headings) == truth(name)["pages"][path]["anchors"], path

    def test_pages_are_read_in_the_order_of_the_navigation(
        self, name: str, docs: str, base: str | None
    ) -> None:
        root = FIXTURES / name / docs
        site = site_of(root)
        ours = in_reading_order(places(site, pages_of(site, root)))
        theirs = truth(name)["order"]
        assert ours[: len(theirs)] == theirs


class TestSphinx:
    ROOT = FIXTURES / "sphinx"

    def pages(self) -> dict[str, tuple[PageFile, list[Heading]]]:
        site = site_of(self.ROOT)
        files = {path: load_page(self.ROOT, path, site) for path in list_pages(self.ROOT, site.is_page).paths}
        return {path: (file, headings_of(parse(file.text))) for path, file in files.items()}

    def shown(self) -> dict[str, dict[str, Any]]:
        names = {path.removesuffix(".html"): page for path, page in truth("sphinx")["pages"].items()}
        return {path: names[path.rsplit(".", 1)[0]] for path in self.pages()}

    def test_a_page_is_what_the_build_makes_of_it(self) -> None:
        site = site_of(self.ROOT, base_url="https://corners.example/book/")
        for path, (_, headings) in self.pages().items():
            place = site.place(PageFacts(path, {}, headings))
            assert (place.url, place.title) == (self.shown()[path]["url"], self.shown()[path]["title"])

    def test_every_heading_has_the_anchor_the_build_gives_it(self) -> None:
        site = site_of(self.ROOT)
        ours = {path: site.anchors(headings) for path, (_, headings) in self.pages().items()}
        assert ours == {path: page["anchors"] for path, page in self.shown().items()}

    def test_listings_show_the_lines_that_the_build_shows(self) -> None:
        for path, (file, _) in self.pages().items():
            fences = re.findall(r"^ *```\w+\n(.*?)```$", file.text, re.DOTALL | re.MULTILINE)
            assert [fence.strip().split("\n") for fence in fences] == self.shown()[path]["code"]

    def test_pages_are_read_in_the_order_of_the_toctrees(self) -> None:
        site = site_of(self.ROOT)
        placed = {
            path: site.place(PageFacts(path, {}, headings)) for path, (_, headings) in self.pages().items()
        }
        ours = [f"{path.rsplit('.', 1)[0]}.html" for path in in_reading_order(placed)]
        assert ours == [*truth("sphinx")["order"], "alone.html"]
        assert placed["guide/nodes.rst"].chapter == "Lessons"
        assert placed["guide/more.md"].chapter == "Lessons"


class TestJupyterBook:
    ROOT = FIXTURES / "jupyter-book"

    def read(self) -> dict[str, tuple[PagePlace, Document, list[str]]]:
        site, pages = site_of(self.ROOT), dict[str, tuple[PagePlace, Document, list[str]]]()
        for path in list_pages(self.ROOT, site.is_page).paths:
            document = parse(load_page(self.ROOT, path, site).text)
            headings = headings_of(document)
            place = site.place(PageFacts(path, document.front_matter, headings))
            pages[f"{path.rsplit('.', 1)[0]}.html"] = place, document, site.anchors(headings)
        return pages

    def test_is_no_site_of_jekyll(self) -> None:
        site = site_of(self.ROOT)
        assert (site.kind, site.title, site.language) == (SiteKind.SPHINX, "Harbour book", "en")
        assert site.home == "https://corners.example/book"

    def test_pages_and_titles_are_those_of_the_build(self) -> None:
        ours = {name: (place.url, place.title) for name, (place, _, _) in self.read().items()}
        shown = truth("jupyter-book")["pages"]
        host = "https://corners.example"
        assert ours == {name: (page["url"].removeprefix(host), page["title"]) for name, page in shown.items()}

    def test_anchors_are_those_of_the_build(self) -> None:
        """The build gives a heading with a label two of them."""
        for name, (_, _, anchors) in self.read().items():
            shown = truth("jupyter-book")["pages"][name]
            assert set(anchors) <= set(shown["ids"])
            labelled = {"my-label": "with-a-label", "crane-label": "labelled"}
            assert [labelled.get(anchor, anchor) for anchor in anchors] == shown["anchors"]

    def test_a_page_has_the_words_of_the_build(self) -> None:
        for name, (_, document, _) in self.read().items():
            reading = "".join(block.reading.replace("{{ unknown }}", "") for block in document.blocks)
            assert "".join(re.findall(r"\w+", reading)) == truth("jupyter-book")["pages"][name]["words"]

    def test_pages_are_read_in_the_order_of_the_contents(self) -> None:
        read = self.read()
        ours = sorted(read, key=lambda name: read[name][0].order)
        assert ours == [*truth("jupyter-book")["order"], "alone.html"]
        assert [read[name][0].chapter for name in ours[:4]] == ["Harbour & ships", "Ships", "Ships", "Ships"]
        assert {read[name][0].chapter for name in ours[4:8]} == {"Rest"}


@pytest.mark.parametrize("way", ["toc", "folders", "without toc", "without toc, folders"])
def test_a_site_of_mystmd_is_what_the_build_makes_of_it(tmp_path: Path, way: str) -> None:
    copy_tree(FIXTURES / "mystmd", tmp_path)
    config = yaml.safe_load((tmp_path / "myst.yml").read_text("utf-8"))
    config["site"]["options"] = {"folders": "folders" in way}
    if "without toc" in way:
        del config["project"]["toc"]
    (tmp_path / "myst.yml").write_text(yaml.safe_dump(config), "utf-8")
    site = site_of(tmp_path)
    assert (site.kind, site.title) == (SiteKind.MYST, "Harbour book")
    pages = dict[str, tuple[PagePlace, list[str]]]()
    for path in list_pages(tmp_path, site.is_page).paths:
        document = parse(load_page(tmp_path, path, site).text)
        headings = headings_of(document)
        place = site.place(PageFacts(path, document.front_matter, headings))
        pages[path] = place, [anchor for anchor in site.anchors(headings) if anchor]
    in_order = sorted(pages, key=lambda path: pages[path][0].order)
    ours = [(path, pages[path][0].url, pages[path][0].title, pages[path][1]) for path in in_order]
    shown = truth("mystmd")[way]
    assert ours == [(page["path"], page["url"], page["title"], page["anchors"]) for page in shown["pages"]]
    assert {place.url: place.chapter for place, _ in pages.values() if place.url != "/"} == shown["chapters"]


def page_file(url: str, base: str) -> str:
    """The file of a built site that an address leads to."""
    path = unquote(url.removeprefix(base))
    return f"{path}index.html" if path.endswith("/") or not path else path


@pytest.mark.parametrize(
    ("name", "kind"),
    [("vitepress", SiteKind.VITEPRESS), ("starlight", SiteKind.STARLIGHT), ("hugo", SiteKind.HUGO)],
)
class TestFolderSites:
    def site(self, name: str) -> Site:
        return site_of(FIXTURES / name)

    def read(self, name: str) -> dict[str, tuple[PagePlace, list[str]]]:
        root, site = FIXTURES / name, self.site(name)
        pages = dict[str, tuple[PagePlace, list[str]]]()
        for path in list_pages(root, site.is_page).paths:
            document = parse(load_page(root, path, site).text)
            headings = headings_of(document)
            place = site.place(PageFacts(path, document.front_matter, headings))
            anchors = zip(site.anchors(headings), headings, strict=True)
            pages[path] = place, [anchor for anchor, heading in anchors if heading.level > 1]
        return pages

    def test_pages_and_anchors_are_those_of_the_build(self, name: str, kind: SiteKind) -> None:
        assert self.site(name).kind is kind
        ours = {page_file(place.url, "/book/"): anchors for place, anchors in self.read(name).values()}
        assert ours == {path: page["anchors"] for path, page in truth(name).items()}

    def test_pages_are_read_in_the_order_of_the_sidebar(self, name: str, kind: SiteKind) -> None:
        placed = {path: place for path, (place, _) in self.read(name).items()}
        ordered = [placed[path] for path in in_reading_order(placed)]
        assert [(place.title, place.chapter) for place in ordered][: len(ORDER[name])] == ORDER[name]


ORDER = {
    "vitepress": [("Second", "Guide"), ("First", "Guide"), ("Alone", "Alone")],
    "starlight": [
        ("Second", "Guide"),
        ("First page", "Guide"),
        ("Zed", "Rest"),
        ("Abe", "Rest"),
        ("Deep", "Rest"),
        ("Alone", "Alone"),
    ],
    "hugo": [
        ("Home", "Home"),
        ("The docs", "The docs"),
        ("Second", "The docs"),
        ("First page", "The docs"),
    ],
}


def copy_tree(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.is_file():
            copied = target / path.relative_to(source)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(path.read_bytes())
