"""Whatever stands in a book, a page of it is text and pictures."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.preview_hostile import PAYLOADS
from support.preview_visit import ParsedPage, article, opened, written

NEVER = {
    "base",
    "embed",
    "form",
    "iframe",
    "input",
    "link",
    "meta",
    "object",
    "script",
    "style",
    "svg",
    "template",
}
SCHEMES = {"", "http", "https", "mailto", "tel"}


@pytest.mark.parametrize("ending", ["md", "mdx"])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_an_author_writes_can_run(tmp_path: Path, payload: str, ending: str):
    book = written(tmp_path, {f"page.{ending}": f"# Page\n\n{payload}\n\nAfter it.\n"})
    reader = opened(book)
    html = article(reader, reader.get("/").headers["location"])
    seen = ParsedPage(html)
    assert not NEVER & {tag for tag, _ in seen.tags}
    for _, attributes in seen.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
    for link in (*seen.links, *seen.pictures):
        assert urlsplit(link).scheme in SCHEMES, link


def test_a_page_stays_whole_around_broken_tags(tmp_path: Path):
    book = written(tmp_path, {"page.md": "# Page\n\n</article></main></div>\n\nAfter it.\n"})
    html = opened(book).get("/page.md").text
    assert html.count("</article>") == 1
    assert html.index("After it.") < html.index("</article>")


def test_titles_are_text(tmp_path: Path):
    title = '<img src=x onerror=alert(1)> & "more"'
    book = written(tmp_path, {"page.md": f"---\ntitle: '{title}'\n---\n\nText.\n", "two.md": "# Two\n"})
    reader = opened(book)
    for address in ("/page.md", "/two.md", "/missing"):
        assert "<img" not in reader.get(address).text


def test_a_page_lets_no_foreign_script_or_style_in(tmp_path: Path):
    reply = opened(written(tmp_path, {"page.md": "# Page\n"})).get("/page.md")
    policy = dict(part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_strange_addresses_are_pages_that_are_not_there(tmp_path: Path):
    reader = opened(written(tmp_path, {"page.md": "# Page\n"}))
    for address in (
        "/%00",
        "/a%0Ab",
        "/%ff",
        "/" + "a/" * 2000,
        "/\\..\\..",
        "/page.md%00.png",
        "/%E2%80%AE",
    ):
        reply = reader.get(address)
        assert reply.status_code == 404
        assert "There is no such page" in reply.text


def test_only_reading_is_possible(tmp_path: Path):
    reader = opened(written(tmp_path, {"page.md": "# Page\n"}))
    reply = reader.head("/page.md")
    assert (reply.status_code, reply.content) == (200, b"")
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert reader.request(method, "/page.md").status_code == 405
