"""Hostile Markdown in a real browser, which finds ways that no reading of the HTML does."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from glossator.preview import SiteOptions, WidgetTag, preview
from support.browser_server import pages
from support.preview_hostile import PAYLOADS

PRESS_ALL = """() => {
  for (const link of document.querySelectorAll("article a")) {
    link.addEventListener("click", (press) => press.preventDefault());
    link.click();
  }
  return [...document.querySelectorAll("article a[href]")].map((link) => link.protocol);
}"""


@pytest.mark.parametrize("ending", ["md", "mdx"])
def test_hostile_pages_run_nothing_and_fetch_nothing(tmp_path: Path, page: Page, ending: str):
    """Without the policy that the server sends with a page, which would stop most of it a second time."""
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    with pages(tmp_path / "site", _set(tmp_path / "book", ending)) as url:
        for number, payload in enumerate(PAYLOADS):
            page.goto(f"{url}/{number}.html")
            assert set(page.evaluate(PRESS_ALL)) <= {"http:", "https:"}, payload
            assert page.evaluate("window.ran") is None, payload
            assert page.url == f"{url}/{number}.html", payload
        assert [address for address in asked if not address.startswith(f"{url}/")] == []


def _set(book: Path, ending: str) -> dict[str, str]:
    """Every payload as the page that the preview makes of it."""
    book.mkdir()
    for number, payload in enumerate(PAYLOADS):
        (book / f"{number}.{ending}").write_text(f"# Page\n\n{payload}\n\nAfter it.\n", "utf-8")
    reader = TestClient(preview(book, SiteOptions(), WidgetTag()))
    address = "/docs/{}" if ending == "mdx" else "/{}.md"
    replies = {number: reader.get(address.format(number)) for number in range(len(PAYLOADS))}
    assert {reply.status_code for reply in replies.values()} == {200}
    return {f"{number}.html": reply.text for number, reply in replies.items()}
