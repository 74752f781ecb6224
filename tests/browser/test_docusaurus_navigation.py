"""A site with a Root of its own whose assistant is down: everything else works, and the site's router does the walking."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from importlib.resources import files
from pathlib import Path

import pytest
from get_docusaurus import get_small
from playwright.sync_api import Page, expect

from support.browser_server import pages
from support.widget_reader import Reader


@pytest.fixture(scope="module")
def origin() -> Generator[str]:
    with pages(get_small()) as origin:
        yield origin


@pytest.fixture
def start(page: Page, origin: str) -> Page:
    """Ready when React has taken over; the mark is lost when a page is loaded."""
    page.goto(f"{origin}/")
    expect(page.locator("html[data-has-hydrated=true]")).to_be_attached()
    page.evaluate("window.isSamePage = true")
    return page


def _go(page: Page, url: str) -> bool:
    """What the widget does when a citation is clicked; whether the site went there by itself."""
    told = "url => !dispatchEvent(new CustomEvent('glossator:navigate', {cancelable: true, detail: {url}}))"
    return page.evaluate(told, url)


def test_a_server_that_is_down_breaks_nothing(page: Page, origin: str):
    faults = list[str]()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{origin}/")
    page.get_by_role("main").get_by_role("link", name="measures", exact=True).click()
    expect(page.get_by_role("heading", name="Measures")).to_be_visible()
    expect(page.locator("#own-root")).to_be_attached()
    assert faults == []


def test_a_citation_leads_on_without_loading_a_page(start: Page, origin: str):
    assert _go(start, f"{origin}/gr%C3%B6%C3%9Fe#how-long-is-it")
    expect(start.get_by_role("heading", name="How long is it")).to_be_in_viewport()
    expect(start).to_have_url(f"{origin}/gr%C3%B6%C3%9Fe#how-long-is-it")
    assert start.evaluate("isSamePage")
    start.go_back()
    expect(start.get_by_role("heading", name="Start")).to_be_visible()
    assert start.evaluate("isSamePage")


@pytest.mark.parametrize(
    "elsewhere",
    ["{origin}/sheet.html", "{origin}/no-such-page", "https://book.example/gr%C3%B6%C3%9Fe"],
    ids=["a file beside the pages", "nothing", "another origin"],
)
def test_what_is_no_page_of_the_site_is_left_to_the_browser(start: Page, origin: str, elsewhere: str):
    assert not _go(start, elsewhere.format(origin=origin))
    expect(start).to_have_url(f"{origin}/")


def test_the_widget_speaks_the_language_of_the_site_and_stands_where_it_was_told(page: Page, tmp_path: Path):
    """Its own file is enough for that; nothing is asked."""
    site = shutil.copytree(get_small(), tmp_path / "site")
    (site / "widget.js").write_bytes(files("glossator.web.widget").joinpath("widget.js").read_bytes())
    with pages(site) as origin:
        start = (site / "index.html").read_text("utf-8")
        (site / "index.html").write_text(start.replace("http://127.0.0.1:2", origin), "utf-8")
        page.goto(f"{origin}/")
        reader = Reader(page, title="پوچھیں")
        reader.open()
        expect(page.locator("glossator-chat").locator("[lang=ur][dir=rtl]", has=reader.panel)).to_be_visible()
        expect(reader.control("A?")).to_be_visible()
        assert reader.panel.evaluate("panel => panel.getBoundingClientRect().left") < 100
