from __future__ import annotations

from pathlib import Path

import pytest

from glossator.errors import BookError, SettingsError
from glossator.ingest.sites import Heading, PageFacts, SiteKind, site_of

PAGE = PageFacts("page.md", {}, [Heading(1, "Page")])


def write(root: Path, **files: str) -> None:
    """Files by their names, `__` for a slash and `_0_` for a dot."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_0_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("docusaurus.config.ts", SiteKind.DOCUSAURUS),
        ("docusaurus.config.mjs", SiteKind.DOCUSAURUS),
        ("book.toml", SiteKind.MDBOOK),
        ("mkdocs.yml", SiteKind.MKDOCS),
        ("src/SUMMARY.md", SiteKind.MDBOOK),
        ("part/_category_.yml", SiteKind.DOCUSAURUS),
        ("part/page.mdx", SiteKind.DOCUSAURUS),
        ("README.md", SiteKind.PLAIN),
        ("node_modules/x/page.mdx", SiteKind.PLAIN),
    ],
)
def test_the_kind_is_found_out_from_what_lies_in_the_folder(
    tmp_path: Path, name: str, kind: SiteKind
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("")
    assert site_of(tmp_path).kind is kind


def test_a_part_of_the_docs_belongs_to_the_site_above_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        docusaurus_0_config_0_js="module.exports = {baseUrl: '/b/'}",
        docs__a__b__page_0_md="# Page\n",
    )
    site = site_of(tmp_path / "docs" / "a")
    assert site.kind is SiteKind.DOCUSAURUS
    assert site.place(PageFacts("b/page.md", {}, [])).url == "/b/docs/a/b/page"


def test_a_folder_beside_the_docs_does_not_belong_to_the_site_above_it(tmp_path: Path) -> None:
    write(tmp_path, mkdocs_0_yml="site_name: x", docs__index_0_md="# x\n", notes__page_0_md="# Page\n")
    assert site_of(tmp_path / "notes").kind is SiteKind.PLAIN


def test_a_site_in_the_website_folder_publishes_the_docs_beside_it(tmp_path: Path) -> None:
    config = "module.exports = {presets: [['classic', {docs: {path: '../docs'}}]]}"
    write(tmp_path, website__docusaurus_0_config_0_js=config, docs__1_intro_0_md="# Intro\n")
    for root, path in ((tmp_path, "docs/1_intro.md"), (tmp_path / "docs", "1_intro.md")):
        site = site_of(root)
        assert site.is_page(path)
        assert site.place(PageFacts(path, {}, [])).url == "/docs/intro"


def test_the_kind_an_operator_names_is_taken(tmp_path: Path) -> None:
    write(tmp_path, mkdocs_0_yml="site_name: x", docs__page_0_md="# Page\n")
    assert site_of(tmp_path, kind=SiteKind.PLAIN).kind is SiteKind.PLAIN
    site = site_of(tmp_path / "docs", kind=SiteKind.DOCUSAURUS)
    assert site.place(PAGE).url == "/docs/page"


def test_a_single_file_has_the_site_of_its_folder(tmp_path: Path) -> None:
    write(tmp_path, mkdocs_0_yml="site_name: x", docs__page_0_md="# Page\n")
    assert site_of(tmp_path / "docs" / "page.md").place(PAGE).url == "/page/"


def test_base_and_route_of_the_operator_stand_above_those_of_the_site(tmp_path: Path) -> None:
    write(tmp_path, docusaurus_0_config_0_js="module.exports = {url: 'https://x.example', baseUrl: '/b/'}")
    write(tmp_path, docs__page_0_md="# Page\n")
    site = site_of(tmp_path / "docs", base_url="https://y.example/c", route_base="handbook")
    assert site.place(PAGE).url == "https://y.example/c/handbook/page"
    assert site_of(tmp_path / "docs", route_base="/").place(PAGE).url == "/b/page"


def test_a_site_tells_where_it_is_published(tmp_path: Path) -> None:
    write(tmp_path, docusaurus_0_config_0_js="module.exports = {url: 'https://x.example', baseUrl: '/b/'}")
    assert site_of(tmp_path).home == "https://x.example/b/"


@pytest.mark.parametrize("base_url", ["book", "ftp://x.example/", "//x.example/", "https://x.example/?a=b"])
def test_what_is_no_base_url_is_refused(tmp_path: Path, base_url: str) -> None:
    with pytest.raises(SettingsError, match="is no base url"):
        site_of(tmp_path, base_url=base_url)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mkdocs.yml", "nav: [\n"),
        ("book.toml", "[book\n"),
        ("docs/a/_category_.json", "{"),
        ("mkdocs.yml", "\udcff"),
    ],
)
def test_a_broken_configuration_is_named(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BookError, match=name.rpartition("/")[2]):
        site_of(tmp_path)


def test_the_fingerprint_changes_with_the_configuration_and_not_with_the_folder(tmp_path: Path) -> None:
    one, two, other = tmp_path / "one", tmp_path / "two", tmp_path / "other"
    for root, label in ((one, "Motion"), (two, "Motion"), (other, "Sensing")):
        write(root, docusaurus_0_config_0_js="module.exports = {}", docs__a__page_0_md="# Page\n")
        (root / "docs" / "a" / "_category_.json").write_text(f'{{"label": "{label}"}}')
    assert site_of(one).fingerprint == site_of(two).fingerprint
    assert site_of(one).fingerprint != site_of(other).fingerprint
    assert site_of(one).fingerprint != site_of(one, base_url="/b/").fingerprint
