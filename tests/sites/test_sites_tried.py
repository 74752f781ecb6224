"""The lines of docs/sites.md, on sites that the generators really built."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from get_docusaurus import PLUGIN
from playwright.sync_api import Locator, Page, expect

from support.asked_site import BASE, AskedSite, asked_site
from support.built_page import anchor_of, file_of, read_page
from support.documented_lines import PAGE
from support.small_books import MdBook, MkDocsBook, PlainPages
from support.widget_reader import Reader

QUESTION = "What is quality of service?"
QUESTIONS = (
    QUESTION,
    "What is a node?",
    "How do I stop a node?",
    "What is a topic?",
    "How is the battery charged?",
)
MARKED = "[...(CSS.highlights.get('glossator') ?? [])].join()"
LIGHT, DARK = "rgb(255, 253, 249)", "rgb(26, 24, 22)"


def test_mkdocs_material_takes_chat_and_citations_along_in_an_instant(page: Page, tmp_path: Path):
    with asked_site(tmp_path, tmp_path / "home", MkDocsBook(tmp_path / "source")) as site:
        _check_citations(site)
        reader = _reader_who_asked(page, site)
        page.get_by_role("link", name="Batteries").click()
        expect(page.get_by_role("heading", name="Batteries", level=1)).to_be_visible()
        _follow_the_citation(reader, site)
        page.wait_for_function(f"{MARKED} !== ''")
        assert page.evaluate(MARKED).startswith("Quality of service is the set of delivery rules")
        assert page.evaluate("window.isSamePage")
        _darken(reader, page.get_by_title("Switch to dark"))


def test_mdbook_loads_its_pages_and_the_chat_is_on_them_as_it_was_left(page: Page, tmp_path: Path):
    with asked_site(tmp_path, tmp_path / "home", MdBook(tmp_path / "source")) as site:
        _check_citations(site)
        reader = _reader_who_asked(page, site)
        _follow_the_citation(reader, site)
        page.get_by_role("button", name="Change theme").click()
        _darken(reader, page.get_by_role("menuitem", name="Coal"))


def test_one_line_is_enough_for_pages_that_were_written_by_hand(page: Page, tmp_path: Path):
    said = list[str]()
    page.on("console", lambda message: said.append(message.text))
    with asked_site(tmp_path, tmp_path / "home", PlainPages(tmp_path / "source")) as site:
        _check_citations(site)
        _follow_the_citation(_reader_who_asked(page, site), site)
    assert [text for text in said if "Content Security Policy" in text] == []


def _check_citations(site: AskedSite) -> None:
    for question in QUESTIONS:
        cited = _ask(site, question)["citations"]
        assert cited, question
        for url in (urlsplit(citation["url"]) for citation in cited):
            file, anchor = file_of(url, site.folder.parent), anchor_of(url)
            assert url.path.startswith(BASE)
            assert file.is_file(), url
            assert not anchor or anchor in read_page(file).anchors, url


def _ask(site: AskedSite, question: str) -> dict:
    headers = {"authorization": f"Bearer {site.key}", "origin": site.origin}
    asked = {"question": question, "remember": False}
    reply = httpx2.post(f"{site.server}/v1/ask", json=asked, headers=headers, timeout=60)
    return reply.raise_for_status().json()


def _reader_who_asked(page: Page, site: AskedSite) -> Reader:
    """On the first page; the mark is lost when a page is loaded."""
    page.goto(site.url)
    page.evaluate("window.isSamePage = true")
    reader = Reader(page)
    reader.open()
    reader.ask(QUESTION)
    expect(reader.verdict).to_be_visible()
    return reader


def _follow_the_citation(reader: Reader, site: AskedSite) -> None:
    """The chat goes along."""
    reader.panel.get_by_role("link", name="Quality of service").click()
    expect(reader.page).to_have_url(re.compile(rf"^{site.url}01-start/02-topics.*#quality-of-service"))
    expect(reader.page.locator("h2#quality-of-service")).to_be_in_viewport()
    expect(reader.turns.get_by_role("heading", name=QUESTION)).to_be_visible()
    expect(reader.page.locator("glossator-chat")).to_have_count(1)


def _darken(reader: Reader, switch: Locator) -> None:
    expect(reader.panel).to_have_css("background-color", LIGHT)
    switch.click()
    expect(reader.panel).to_have_css("background-color", DARK)


def test_every_option_of_the_docusaurus_plugin_is_documented():
    (declared,) = re.findall(
        r"type Options = {(.*?)\n  }", (PLUGIN / "index.d.ts").read_text("utf-8"), re.DOTALL
    )
    documented = re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert documented == re.findall(r"readonly (\w+)\??:", declared)
