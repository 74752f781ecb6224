"""The button, the panel, and how they live with the page around them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser_server import Command
from support.widget_reader import LIFECYCLE, Reader, page_with, script

ELEMENT = "document.querySelector('glossator-chat')"


@pytest.fixture
def address(demo: Command, tmp_path: Path) -> Generator[str]:
    with page_with(tmp_path, script(demo.url, topics=f"{LIFECYCLE}|How do nodes talk?")) as address:
        yield address


@pytest.fixture
def reader(page: Page, address: str) -> Reader:
    page.goto(address)
    return Reader(page)


def test_one_line_puts_a_button_on_the_page_that_opens_a_panel(reader: Reader):
    expect(reader.button).to_have_attribute("aria-expanded", "false")
    expect(reader.panel).to_be_hidden()
    reader.open()
    expect(reader.field).to_be_focused()
    expect(reader.page.locator("glossator-chat button.launcher")).to_have_attribute("aria-expanded", "true")
    expect(reader.control("How do nodes talk?")).to_be_visible()


def test_a_topic_is_asked_by_one_click_and_the_focus_stays_in_the_panel(reader: Reader):
    reader.open()
    reader.control(LIFECYCLE).click()
    expect(reader.verdict).to_be_visible()
    expect(reader.turns.get_by_role("heading", name=LIFECYCLE)).to_be_visible()
    expect(reader.field).to_be_focused()


def test_a_reader_who_comes_back_finds_conversation_draft_and_panel_as_they_were(reader: Reader):
    reader.open()
    reader.ask(LIFECYCLE)
    expect(reader.verdict).to_be_visible()
    reader.field.fill("and then")
    reader.page.reload()
    expect(reader.verdict).to_be_visible()
    expect(reader.field).to_have_value("and then")
    expect(reader.field).not_to_be_focused()
    expect(reader.spoken).to_have_text("")


def test_a_panel_that_was_closed_stays_closed(reader: Reader):
    reader.open()
    reader.control("Close").click()
    expect(reader.button).to_be_focused()
    reader.page.reload()
    expect(reader.button).to_be_visible()
    expect(reader.panel).to_be_hidden()


def test_an_element_that_is_taken_out_and_put_back_keeps_the_conversation_and_its_place(reader: Reader):
    reader.open()
    for asked in (1, 2):
        reader.ask(LIFECYCLE)
        expect(reader.panel.locator(".verdict")).to_have_count(asked)
    place = reader.panel.get_by_role("log").evaluate("log => log.scrollTop")
    reader.page.evaluate(f"const e = {ELEMENT}; e.remove(); document.querySelector('main').append(e)")
    expect(reader.turns).to_have_count(2)
    assert place > 0
    assert reader.panel.get_by_role("log").evaluate("log => log.scrollTop") == place


def test_a_site_that_changes_its_whole_body_keeps_the_widget(reader: Reader):
    reader.open()
    reader.ask(LIFECYCLE)
    expect(reader.verdict).to_be_visible()
    reader.page.evaluate("document.body = document.createElement('body')")
    expect(reader.verdict).to_be_visible()
    reader.page.keyboard.press("Control+k")
    expect(reader.panel).to_be_hidden()


def test_attributes_may_change_at_any_time(reader: Reader):
    reader.open()
    reader.field.fill("half a question")
    reader.page.evaluate(f"{ELEMENT}.setAttribute('title', 'The robot book')")
    renamed = Reader(reader.page, "The robot book")
    expect(renamed.panel).to_be_visible()
    expect(renamed.field).to_have_value("half a question")
    reader.page.evaluate(f"{ELEMENT}.setAttribute('position', 'bottom-left')")
    box = renamed.panel.bounding_box()
    assert box is not None
    assert box["x"] < 100
    reader.page.evaluate(f"{ELEMENT}.setAttribute('language', 'ur')")
    expect(renamed.panel.get_by_placeholder("سوال پوچھیں")).to_be_visible()


def test_the_script_twice_makes_one_element(page: Page, demo: Command, tmp_path: Path):
    twice = script(demo.url) + script(demo.url).replace("widget.js", "widget.js?again")
    with page_with(tmp_path, twice) as address:
        page.goto(address, wait_until="networkidle")
        expect(page.locator("glossator-chat")).to_have_count(1)
        expect(page.get_by_role("button", name="Ask the book")).to_have_count(1)


def test_an_element_of_the_page_s_own_stands_where_it_is_and_no_other_comes(
    page: Page, demo: Command, tmp_path: Path, axe: Callable[[Page], list[str]]
):
    own = '<glossator-chat position="inline" title="Ask here"></glossator-chat>' + script(demo.url)
    with page_with(tmp_path, own) as address:
        page.goto(address)
        reader = Reader(page, "Ask here", role="region")
        expect(reader.panel).to_be_visible()
        expect(reader.field).not_to_be_focused()
        expect(reader.control("Close")).to_have_count(0)
        reader.ask(LIFECYCLE)
        expect(reader.verdict).to_be_visible()
        expect(page.locator("glossator-chat")).to_have_count(1)
        assert axe(page) == []


def test_two_on_one_page_do_not_hear_of_each_other(page: Page, demo: Command, tmp_path: Path):
    two = '<glossator-chat title="One"></glossator-chat><glossator-chat title="Two" position="inline"></glossator-chat>'
    with page_with(tmp_path, two + script(demo.url)) as address:
        page.goto(address)
        one, two_ = Reader(page, "One"), Reader(page, "Two", role="region")
        two_.ask(LIFECYCLE)
        expect(two_.verdict).to_be_visible()
        page.locator("#before").focus()
        page.keyboard.press("Control+k")
        expect(one.panel).to_be_visible()
        expect(one.turns).to_have_count(0)
        page.reload()
        expect(two_.turns).to_have_count(1)
        expect(one.panel).to_be_visible()
        expect(one.turns).to_have_count(0)


def test_the_page_is_told_what_happens(reader: Reader):
    reader.page.evaluate(
        """() => { window.told = [];
        for (const name of ["open", "answer", "close"])
          addEventListener(`glossator:${name}`, (event) => told.push([name, event.detail?.question ?? null])) }"""
    )
    reader.page.evaluate(f"{ELEMENT}.ask({LIFECYCLE!r})")
    expect(reader.verdict).to_be_visible()
    reader.page.evaluate(f"{ELEMENT}.close()")
    reader.page.evaluate(f"{ELEMENT}.setAttribute('title', 'Another')")
    expected = [["open", None], ["answer", LIFECYCLE], ["close", None]]
    reader.page.wait_for_function("wanted => JSON.stringify(told) === JSON.stringify(wanted)", arg=expected)


def test_the_book_that_the_page_names_is_asked(page: Page, demo: Command, tmp_path: Path):
    with page_with(tmp_path, script(demo.url, book="default")) as address:
        page.goto(address)
        reader = Reader(page)
        reader.open()
        with page.expect_request("**/b/default/v1/ask"):
            reader.ask(LIFECYCLE)
        expect(reader.verdict).to_be_visible()
        page.reload()
        expect(reader.turns).to_have_count(1)
        page.evaluate(f"{ELEMENT}.removeAttribute('book')")
        expect(reader.turns).to_have_count(0)


def test_the_book_in_the_language_of_the_page_is_asked(page: Page, demo: Command, tmp_path: Path):
    named = "other de=default pt-BR=more"
    with page_with(tmp_path, script(demo.url, book=named, language="en")) as address:
        for language, book in (("de-AT", "default"), ("pt-br", "more"), ("en", "other")):
            page.goto(address)
            page.evaluate("language => { document.documentElement.lang = language }", language)
            # As when a page is loaded in that language.
            page.evaluate(f"{ELEMENT}.removeAttribute('book')")
            page.evaluate(f"book => {ELEMENT}.setAttribute('book', book)", named)
            reader = Reader(page)
            reader.open()
            with page.expect_request(f"**/b/{book}/v1/ask"):
                reader.ask(LIFECYCLE)


def test_private_mode_keeps_nothing_and_clears_on_close(page: Page, demo: Command, tmp_path: Path):
    with page_with(tmp_path, script(demo.url, ephemeral="")) as address:
        page.goto(address)
        reader = Reader(page)
        expect(reader.button).to_have_accessible_name("Ask the book. Private: nothing is kept")
        reader.open()
        expect(reader.panel.get_by_text("Private: nothing is kept")).to_be_visible()
        reader.ask(LIFECYCLE)
        expect(reader.verdict).to_be_visible()
        expect(reader.control("Helpful")).to_have_count(0)
        reader.field.fill("a draft")
        page.evaluate(f"{ELEMENT}.setAttribute('theme', 'dark')")
        expect(reader.turns).to_have_count(1)
        # In one task of the page: what is left when `close` returns would still be there if the page were closed now.
        turns_left = page.evaluate(
            f"""() => {{ const element = {ELEMENT}; element.close();
            return element.shadowRoot.querySelectorAll("article").length }}"""
        )
        assert turns_left == 0
        kept = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")
        assert kept == [0, 0, ""]
        reader.open()
        expect(reader.field).to_have_value("")
        expect(reader.turns).to_have_count(0)
