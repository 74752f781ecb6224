"""A reader asks, follows the citations, and says what they think of it."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from support.browser_server import Command
from support.widget_reader import (
    LIFECYCLE,
    LIFECYCLE_PLACE,
    LIFECYCLE_WORDS,
    SERVICE,
    SERVICE_PAGE,
    SERVICE_WORDS,
    UNSAID,
    Reader,
    page_with,
    script,
)

COMPARE = "Compare topics, services and actions"
NODES = "/docs/ros2/nodes"


@pytest.fixture
def reader(page: Page, demo: Command, tmp_path: Path) -> Generator[Reader]:
    with page_with(tmp_path, script(demo.url)) as address:
        page.goto(address)
        reader = Reader(page)
        reader.open()
        yield reader


@pytest.fixture
def in_the_book(page: Page, demo: Command) -> Reader:
    """On a page of the book itself, which allows no style and no script but the site's own."""
    page.goto(f"{demo.url}{NODES}")
    reader = Reader(page, "Ask this book")
    reader.open()
    return reader


def test_an_answer_has_marks_sources_confidence_and_the_numbers_behind_it(reader: Reader):
    reader.ask(LIFECYCLE)
    line = reader.verdict
    expect(line).to_have_attribute("aria-expanded", "false")
    numbers = list(dict.fromkeys(reader.turns.locator("button.mark").all_text_contents()))
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert sorted(" ".join(reader.places.locator("> span").all_text_contents()).split()) == sorted(numbers)
    expect(reader.places.filter(has_text=LIFECYCLE_PLACE)).to_have_count(1)
    line.click()
    expect(line).to_have_attribute("aria-expanded", "true")
    expect(reader.turns.locator("dl")).to_have_text(
        re.compile(r"Confidence0\.\d\d \((?:low|medium|high)\)Sentences the book carries(\d+) / \1Similarity")
    )


def test_hovering_a_mark_shows_the_quoted_words(reader: Reader):
    reader.ask(LIFECYCLE)
    reader.mark(LIFECYCLE_PLACE).hover()
    preview = reader.panel.locator(".preview")
    expect(preview.locator("p").first).to_have_text(LIFECYCLE_PLACE)
    expect(preview.locator("blockquote")).to_contain_text(LIFECYCLE_WORDS)
    preview.hover()
    expect(preview).to_be_visible()
    reader.page.mouse.move(5, 5)
    expect(preview).to_be_hidden()


def test_a_citation_of_this_page_scrolls_to_its_words_and_marks_them(in_the_book: Reader):
    reader = in_the_book
    reader.ask(LIFECYCLE)
    reader.mark(LIFECYCLE_PLACE).click()
    assert LIFECYCLE_WORDS in _marked_words(reader.page)
    assert urlless(reader.page.url).endswith(NODES)
    expect(reader.panel).to_be_visible()


def test_a_citation_of_another_page_goes_there_and_the_chat_stays_open(in_the_book: Reader):
    reader = in_the_book
    reader.ask(SERVICE)
    reader.place(SERVICE_PAGE).click()
    reader.page.wait_for_url(re.compile("/docs/ros2/services"))
    expect(reader.panel).to_be_visible()
    expect(reader.verdict).to_be_visible()
    expect(reader.page.locator("main").get_by_text(SERVICE_WORDS).first).to_be_in_viewport()


def test_a_citation_opens_in_a_new_tab_when_the_reader_wants_it_so(
    in_the_book: Reader, context: BrowserContext
):
    in_the_book.ask(SERVICE)
    with context.expect_page() as opened:
        in_the_book.mark(SERVICE_PAGE).click(modifiers=["Control"])
    assert "/docs/ros2/services" in opened.value.url
    expect(in_the_book.panel).to_be_visible()


def test_a_refusal_is_calm_and_names_the_nearest_sections(in_the_book: Reader):
    reader = in_the_book
    reader.ask(UNSAID)
    expect(reader.control("The book does not say")).to_be_visible()
    expect(reader.turns.get_by_text("Nearest in subject")).to_be_visible()
    nearest = reader.places.get_by_role("link").last
    address = urlless(nearest.get_attribute("href") or "")
    nearest.click()
    reader.page.wait_for_url(re.compile(re.escape(address)))
    expect(reader.panel).to_be_visible()


def test_a_passage_is_asked_about_alone_and_then_the_whole_book_is(reader: Reader):
    reader.page.evaluate("getSelection().selectAllChildren(document.querySelector('#passage'))")
    reader.page.get_by_role("button", name="Ask about this").click()
    badge = reader.panel.locator(".badge")
    expect(badge).to_contain_text("A lifecycle node, also called a managed node")
    expect(reader.field).to_be_focused()
    badge.get_by_label("This passage only").check()
    reader.ask(SERVICE)
    expect(badge).to_be_hidden()
    expect(reader.control("The book does not say")).to_be_visible()
    expect(reader.turns.locator("blockquote").first).to_contain_text("A lifecycle node")
    reader.control("Search the whole book").click()
    expect(reader.verdict).to_be_visible()
    expect(reader.turns).to_have_count(2)


def test_a_passage_can_be_removed(reader: Reader):
    reader.page.evaluate("getSelection().selectAllChildren(document.querySelector('#passage'))")
    reader.page.get_by_role("button", name="Ask about this").click()
    reader.panel.locator(".badge").get_by_role("button", name="Remove").click()
    expect(reader.panel.locator(".badge")).to_be_hidden()
    expect(reader.field).to_be_focused()


def test_code_and_answers_are_copied(reader: Reader, context: BrowserContext):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader.ask("Which code puts a slow callback into its own callback group?")
    expect(reader.panel.locator(".verdict")).to_be_visible()
    copied = "navigator.clipboard.readText()"
    reader.turns.locator("figure").get_by_role("button", name="Copy").click()
    expect(reader.spoken).to_contain_text("Copied")
    assert "MultiThreadedExecutor(num_threads=2)" in reader.page.evaluate(copied)
    reader.turns.locator(".row").get_by_role("button", name="Copy").click()
    reader.page.wait_for_function(f"async () => /^\\[1\\] .+ › .+, http/m.test(await {copied})")


def test_who_was_not_helped_may_say_why(reader: Reader, demo: Command):
    reader.ask(LIFECYCLE)
    before = _unhelpful(demo)
    reader.control("Not helpful").click()
    expect(reader.control("Not helpful")).to_have_attribute("aria-pressed", "true")
    reason = reader.panel.get_by_placeholder("What was missing? (optional)")
    expect(reason).to_be_focused()
    reason.fill("It does not say how to write one.")
    with reader.page.expect_request("**/v1/feedback") as sent:
        reader.turns.get_by_role("button", name="Send").click()
    assert sent.value.post_data_json
    assert sent.value.post_data_json["reason"] == "It does not say how to write one."
    expect(reader.turns.get_by_text("Thank you.")).to_be_visible()
    expect(reader.control("Not helpful")).to_be_focused()
    assert _unhelpful(demo) == before + 1
    reader.control("Helpful").click()
    expect(reader.control("Not helpful")).to_have_attribute("aria-pressed", "false")


def test_a_new_conversation_begins_at_once_and_leaves_a_way_back(reader: Reader):
    anew, back = reader.control("New conversation"), reader.control("Back to the last conversation")
    expect(anew).to_be_hidden()
    expect(back).to_be_hidden()
    reader.ask(LIFECYCLE)
    expect(reader.panel.locator(".verdict")).to_be_visible()
    anew.click()
    expect(reader.turns).to_have_count(0)
    expect(reader.field).to_be_focused()
    back.click()
    expect(reader.turns).to_have_count(1)
    with reader.page.expect_request("**/v1/ask") as sent:
        reader.ask("Why is it useful?")
    assert sent.value.post_data_json
    assert sent.value.post_data_json["session"]["id"]
    expect(reader.panel.locator(".verdict, .not_in_book")).not_to_have_count(1)
    anew.click()
    reader.page.reload()
    expect(reader.panel).to_be_visible()
    expect(reader.turns).to_have_count(0)
    expect(back).to_be_hidden()


def test_a_reader_who_reads_above_is_not_pulled_down(reader: Reader):
    reader.ask(COMPARE)
    expect(reader.panel.locator(".verdict")).to_be_visible()
    reader.ask(LIFECYCLE)
    expect(reader.panel.locator(".verdict")).to_have_count(2)
    log = reader.panel.get_by_role("log")
    second = reader.turns.nth(1).get_by_role("heading")
    expect(second).to_be_in_viewport()
    log.evaluate("log => { log.scrollTop = 0 }")
    helpful = reader.control("Helpful").last
    helpful.evaluate("button => button.click()")
    expect(helpful).to_have_attribute("aria-pressed", "true")
    assert log.evaluate("log => log.scrollTop") == 0
    reader.ask("hello")
    expect(reader.turns).to_have_count(3)
    expect(reader.turns.nth(2).get_by_role("heading")).to_be_in_viewport()


def _marked_words(page: Page) -> str:
    page.wait_for_function("CSS.highlights.get('glossator')?.size > 0")
    return page.evaluate("[...CSS.highlights.get('glossator')].map((range) => range.toString()).join(' ')")


def urlless(url: str) -> str:
    return url.partition("#")[0]


def _unhelpful(demo: Command) -> int:
    overview = httpx2.get(f"{demo.url}/v1/admin/overview").raise_for_status().json()["overview"]
    return overview["unhelpful"]
