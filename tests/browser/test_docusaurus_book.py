"""The sample book as Docusaurus builds it, below a base url: its citations lead somewhere, and readers can ask."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from playwright.sync_api import Page, expect

from support.asked_site import AskedSite, asked_site
from support.built_page import anchor_of, file_of, read_page
from support.docusaurus_book import DocusaurusBook
from support.widget_reader import Reader

QUESTIONS = (Path(__file__).parents[1] / "sites" / "questions.txt").read_text("utf-8").splitlines()
QUESTION = "Why is domain randomization the cheapest tool against the sim-to-real gap?"
SOURCE = "Simulation › Domain randomization"
WORDS = "training or testing over many random variants of the simulation"
MARKED = "[...(CSS.highlights.get('glossator') ?? [])].join()"


@pytest.fixture(scope="module")
def site(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[AskedSite]:
    folder = tmp_path_factory.mktemp("docusaurus")
    home = shutil.copytree(sample_home, folder / "home")
    with asked_site(folder, home, DocusaurusBook()) as site:
        yield site


@pytest.fixture
def reader(page: Page, site: AskedSite) -> Reader:
    """Who has asked on the first page; the mark is lost when a page is loaded."""
    page.goto(f"{site.url}docs/")
    page.evaluate("window.isSamePage = true")
    reader = Reader(page)
    reader.open()
    reader.ask(QUESTION)
    expect(reader.verdict).to_be_visible()
    return reader


def test_every_page_has_the_widget_once(site: AskedSite):
    for path in site.folder.rglob("*.html"):
        ours = [script for script in read_page(path).scripts if "data-server" in script]
        assert [script["src"] for script in ours] == [f"{site.server}/widget.js"], path
        assert (ours[0]["type"], ours[0]["data-key"]) == ("module", site.key)


def test_the_citations_of_fifty_questions_lead_to_existing_pages_and_anchors(site: AskedSite):
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda question: _ask(site, question), QUESTIONS))
    assert sum(bool(answer["citations"]) for answer in answers) >= 40
    cited = [cited["url"] for answer in answers for cited in answer["citations"]]
    assert [url for url in cited if not _leads_somewhere(url, site)] == []
    assert len({urlsplit(url).path for url in cited}) >= 15
    assert sum(bool(anchor_of(urlsplit(url))) for url in cited) >= 40


def _ask(site: AskedSite, question: str) -> dict:
    headers = {"authorization": f"Bearer {site.key}", "origin": site.origin}
    asked = {"question": question, "remember": False}
    reply = httpx2.post(f"{site.server}/v1/ask", json=asked, headers=headers, timeout=60)
    return reply.raise_for_status().json()


def _leads_somewhere(url: str, site: AskedSite) -> bool:
    file, anchor = file_of(urlsplit(url), site.folder.parent), anchor_of(urlsplit(url))
    # What stands above the first heading has no anchor.
    return url.startswith(site.url) and file.is_file() and (not anchor or anchor in read_page(file).anchors)


def test_a_citation_leads_to_its_words_without_loading_a_page_or_losing_the_chat(
    reader: Reader, site: AskedSite
):
    page = reader.page
    reader.panel.get_by_role("link", name=SOURCE).click()
    expect(page.get_by_role("heading", name="Domain randomization", level=2)).to_be_in_viewport()
    page.wait_for_function(f"{MARKED} !== ''")
    assert WORDS in page.evaluate(MARKED)
    expect(page.locator("article.turn").get_by_role("heading", name=QUESTION)).to_be_visible()
    expect(page).to_have_url(f"{site.url}docs/modelling/simulation#domain-randomization")
    assert page.evaluate("isSamePage")


def test_the_open_chat_goes_along_with_the_sites_own_links(reader: Reader):
    sidebar = reader.page.get_by_role("navigation", name="Docs sidebar")
    sidebar.get_by_role("link", name="Glossary").click()
    expect(reader.page.get_by_role("heading", name="Glossary", level=1)).to_be_visible()
    expect(reader.turns.get_by_role("heading", name=QUESTION)).to_be_visible()
    expect(reader.page.locator("glossator-chat")).to_have_count(1)
    assert reader.page.evaluate("isSamePage")


def test_the_widget_has_the_sites_colours_and_font_and_is_dark_when_it_is(page: Page, site: AskedSite):
    page.goto(f"{site.url}docs/")
    reader = Reader(page)
    reader.open()
    expect(reader.panel).to_have_css("background-color", "rgb(255, 255, 255)")
    site_font = page.evaluate("getComputedStyle(document.body).fontFamily")
    expect(reader.panel.locator("h2")).to_have_css("font-family", site_font)
    link_colour = page.locator("article a").first.evaluate("link => getComputedStyle(link).color")
    expect(reader.panel.locator(".asked > svg").first).to_have_css("color", link_colour)
    page.get_by_role("button", name="Switch between dark and light mode").click()
    expect(page.locator("html[data-theme=dark]")).to_be_attached()
    expect(reader.panel).to_have_css("background-color", "rgb(36, 37, 38)")


def test_the_way_back_to_the_top_is_not_covered(page: Page, site: AskedSite):
    page.goto(f"{site.url}docs/")
    expect(Reader(page).button).to_be_visible()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    # It shows itself to readers who scroll up.
    page.wait_for_function(
        "scrollBy(0, -5), document.querySelector('.theme-back-to-top-button').checkVisibility({visibilityProperty: true})"
    )
    page.get_by_role("button", name="Scroll back to top").click()
    page.wait_for_function("scrollY === 0")
