"""Pictures come with the pages that show them, and nothing else leaves the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.preview import SiteOptions, WidgetTag, preview
from support.preview_visit import ParsedPage, article, asked, opened, written

SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>"


def test_pictures_of_docusaurus(tmp_path: Path):
    page = "![a](/img/a.svg) ![b](./b.svg) ![c](@site/static/img/a.svg) <img src='../b.svg' alt=''/> ![d](gone.svg)\n"
    book = written(
        tmp_path,
        {
            "docusaurus.config.js": "module.exports = {title: 'T', url: 'https://x.example', baseUrl: '/base/'};",
            "static/img/a.svg": SVG,
            "docs/b.svg": SVG,
            "docs/in/b.svg": SVG,
            "docs/in/page.md": page,
        },
    )
    reader = opened(book)
    pictures = ParsedPage(article(reader, "/base/docs/in/page")).pictures
    assert pictures == ["/base/img/a.svg", "/base/in/b.svg", "/base/img/a.svg", "/base/b.svg", "gone.svg"]
    for picture in pictures[:-1]:
        reply = reader.get(picture)
        assert (reply.status_code, reply.headers["content-type"]) == (200, "image/svg+xml")
        assert "sandbox" in reply.headers["content-security-policy"]


def test_pictures_of_mkdocs_and_mdbook_stand_where_the_generator_puts_them(tmp_path: Path):
    mkdocs = written(
        tmp_path / "mkdocs",
        {"mkdocs.yml": "site_name: T\n", "docs/in/page.md": "![a](../img/a.png)\n", "docs/img/a.png": "x"},
    )
    mdbook = written(
        tmp_path / "mdbook",
        {
            "book.toml": "[book]\ntitle = 'T'\n",
            "src/SUMMARY.md": "- [Page](in/page.md)\n",
            "src/in/page.md": "![a](../img/a.png)\n",
            "src/img/a.png": "x",
        },
    )
    for book, page in ((mkdocs, "/in/page/"), (mdbook, "/in/page.html")):
        reader = opened(book)
        assert ParsedPage(article(reader, page)).pictures == ["/img/a.png"]
        assert reader.get("/img/a.png").content == b"x"


SECRETS = {
    "page.md": "# Page\n\n[key](.env) [toml](glossator.toml) [up](../outside.png) [note](notes.txt)\n",
    "pictures/a.png": "shown",
    ".env": "secret",
    ".git/a.png": "secret",
    "glossator.toml": "secret",
    "notes.txt": "secret",
    "draft.html": "secret",
}


@pytest.mark.parametrize(
    "address",
    [
        "/.env",
        "/.git/a.png",
        "/glossator.toml",
        "/notes.txt",
        "/draft.html",
        "/../outside.png",
        "/..\\outside.png",
        "/pictures/../../outside.png",
        "/pictures/..\\..\\outside.png",
        "/./pictures/../../outside.png",
        "//outside.png",
        "/pictures//a.png/..",
        "/link.png",
        "/folder/outside.png",
        "/_preview/../app.py",
        "/_preview/..\\app.py",
        "/_preview/",
    ],
)
def test_what_is_no_page_and_no_picture_of_the_book_is_not_given_away(tmp_path: Path, address: str):
    written(tmp_path, {"outside.png": "secret"})
    book = written(tmp_path / "book", SECRETS)
    (book / "link.png").symlink_to(tmp_path / "outside.png")
    (book / "folder").symlink_to(tmp_path)
    app = preview(book, SiteOptions(), WidgetTag())
    assert asked(app, "/pictures/a.png") == (200, b"shown")
    status, body = asked(app, address)
    assert status == 404
    assert b"secret" not in body
