"""By keyboard alone, and by ear."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser_server import Command
from support.widget_reader import (
    LIFECYCLE,
    LIFECYCLE_PLACE,
    LIFECYCLE_WORDS,
    UNSAID,
    Reader,
    page_with,
    script,
)

FOCUSED = """() => { const {activeElement} = document.querySelector("glossator-chat").shadowRoot;
    return activeElement && (activeElement.ariaLabel ?? activeElement.textContent) }"""


@pytest.fixture
def reader(page: Page, demo: Command, tmp_path: Path) -> Generator[Reader]:
    with page_with(tmp_path, script(demo.url, topics=LIFECYCLE)) as address:
        page.goto(address)
        reader = Reader(page)
        expect(reader.button).to_be_visible()
        yield reader


def test_control_k_opens_and_closes_and_the_focus_returns_to_where_it_was(reader: Reader):
    before = reader.page.locator("#before")
    before.focus()
    reader.page.keyboard.press("Control+k")
    expect(reader.field).to_be_focused()
    reader.page.keyboard.press("Control+K")
    expect(reader.panel).to_be_hidden()
    expect(before).to_be_focused()


def test_enter_sends_and_shift_enter_begins_a_line(reader: Reader):
    reader.page.keyboard.press("Control+k")
    reader.page.keyboard.type("What is a")
    low = reader.field.evaluate("field => field.offsetHeight")
    reader.page.keyboard.press("Shift+Enter")
    reader.page.keyboard.type("lifecycle node?")
    expect(reader.field).to_have_value("What is a\nlifecycle node?")
    assert reader.field.evaluate("field => field.offsetHeight") > low
    reader.page.keyboard.press("Enter")
    expect(reader.field).to_have_value("")
    expect(reader.verdict).to_be_visible()
    assert reader.field.evaluate("field => field.offsetHeight") == low


def test_an_enter_that_chooses_a_character_does_not_send(reader: Reader):
    reader.page.keyboard.press("Control+k")
    reader.page.keyboard.type("What is a node")
    reader.field.evaluate(
        "field => field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
    )
    expect(reader.field).to_have_value("What is a node")
    expect(reader.turns).to_have_count(0)


def test_nothing_is_sent_that_says_nothing(reader: Reader):
    reader.page.keyboard.press("Control+k")
    expect(reader.control("Send")).to_be_disabled()
    reader.page.keyboard.type("   ")
    reader.page.keyboard.press("Enter")
    expect(reader.turns).to_have_count(0)
    expect(reader.control("Send")).to_be_disabled()


def test_escape_closes_the_preview_first_and_then_the_panel(reader: Reader):
    reader.page.keyboard.press("Control+k")
    reader.ask(LIFECYCLE)
    mark = reader.mark(LIFECYCLE_PLACE)
    mark.focus()
    preview = reader.panel.locator(".preview")
    expect(preview).to_contain_text(LIFECYCLE_WORDS)
    told = f"^{re.escape(LIFECYCLE_PLACE)} .*{LIFECYCLE_WORDS}.* Show it in the book$"
    expect(mark).to_have_accessible_description(re.compile(told))
    reader.page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    expect(reader.panel).to_be_visible()
    reader.page.keyboard.press("Escape")
    expect(reader.panel).to_be_hidden()
    expect(reader.button).to_be_focused()


def test_tab_goes_around_in_the_panel_both_ways(reader: Reader):
    reader.page.keyboard.press("Control+k")
    reader.ask(LIFECYCLE)
    expect(reader.verdict).to_be_visible()
    first = reader.control("New conversation")
    first.focus()
    reader.page.keyboard.press("Shift+Tab")
    expect(reader.field).to_be_focused()
    reader.page.keyboard.press("Tab")
    expect(first).to_be_focused()
    focused = set()
    for _ in range(40):
        reader.page.keyboard.press("Tab")
        focused.add(reader.page.evaluate(FOCUSED))
    assert None not in focused
    assert {"Close", "Conversation", "Copy", "Not helpful", "Ask a question", LIFECYCLE_PLACE} <= focused


def test_whole_sentences_are_read_out_without_marks_and_markdown(reader: Reader):
    reader.page.keyboard.press("Control+k")
    reader.ask(LIFECYCLE)
    expect(reader.verdict).to_be_visible()
    spoken = reader.spoken.locator("p").all_text_contents()
    assert [sentence for sentence in spoken if LIFECYCLE_WORDS in sentence]
    assert spoken[-1].startswith("The book says this")
    assert "Searching the book" in spoken
    assert not [sentence for sentence in spoken if "[" in sentence or "*" in sentence]
    expect(reader.panel.get_by_role("log")).to_have_attribute("aria-live", "off")


@pytest.mark.parametrize("question", [LIFECYCLE, UNSAID, None])
def test_axe_finds_nothing_serious(reader: Reader, axe: Callable[[Page], list[str]], question: str | None):
    reader.page.keyboard.press("Control+k")
    if question:
        reader.ask(question)
        expect(reader.panel.locator(".verdict")).to_be_visible()
        reader.panel.locator(".verdict").click()
        reader.control("Not helpful").click()
    assert axe(reader.page) == []
