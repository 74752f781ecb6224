"""A slow line, a line that drops, and a server that says no."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from support.browser_server import Command, serve
from support.faulty_proxy import Fault, FaultyProxy
from support.widget_reader import LIFECYCLE, Reader, page_with, publishable_key, script

SECOND, THIRD, FOURTH = "What is a topic?", "What is an action?", "What is a service?"


@pytest.fixture
def line(demo: Command) -> Generator[FaultyProxy]:
    host, _, port = demo.url.removeprefix("http://").partition(":")
    with FaultyProxy((host, int(port)), drip_seconds=0.0005).running() as line:
        yield line


@pytest.fixture
def reader(page: Page, demo: Command, line: FaultyProxy, tmp_path: Path) -> Generator[Reader]:
    """Asks over a line that can be made bad."""
    tag = script(demo.url, server=line.in_front_of(demo.url))
    with page_with(tmp_path, tag) as address:
        page.goto(address)
        reader = Reader(page)
        reader.open()
        yield reader


def test_an_answer_comes_sentence_by_sentence_and_its_marks_can_be_followed_when_it_is_whole(
    reader: Reader, line: FaultyProxy
):
    line.fail(Fault.DRIP)
    reader.ask(LIFECYCLE)
    status = reader.turns.locator(".foot")
    expect(status).to_contain_text("Searching the book")
    expect(status).to_contain_text("Lifecycle nodes: starting in a known order", timeout=30_000)
    expect(reader.turns.locator("span.mark").first).to_have_text("1", timeout=30_000)
    expect(status).to_contain_text("Checking every sentence")
    expect(reader.turns.locator("button.mark")).to_have_count(0)
    first = reader.turns.locator(".answer > *").first.element_handle()
    expect(reader.turns.locator("button.mark").first).to_be_visible(timeout=30_000)
    assert first.evaluate("block => block.isConnected"), "what stood there was drawn anew"


def test_stopping_keeps_what_came_and_asking_again_makes_it_whole(reader: Reader, line: FaultyProxy):
    line.fail(Fault.DRIP)
    reader.ask(LIFECYCLE)
    expect(reader.turns.locator("span.mark").first).to_have_text("1", timeout=30_000)
    reader.control("Stop").focus()
    reader.page.keyboard.press("Enter")
    expect(reader.turns).to_contain_text("Stopped. What came so far is kept.")
    expect(reader.turns.locator(".answer")).to_contain_text(re.compile("lifecycle node", re.IGNORECASE))
    expect(reader.control("Stop")).to_be_hidden()
    expect(reader.field).to_be_focused()
    line.heal()
    reader.control("Ask again").click()
    expect(reader.verdict).to_be_visible()
    expect(reader.turns).to_have_count(1)


def test_three_questions_wait_in_order_and_can_be_dropped(reader: Reader, line: FaultyProxy):
    line.fail(Fault.TIMEOUT)
    for question in (LIFECYCLE, SECOND, THIRD, FOURTH):
        reader.ask(question)
    expect(reader.turns).to_have_count(4)
    expect(reader.panel.get_by_text("Waits its turn")).to_have_count(3)
    expect(reader.panel.get_by_text("Three are waiting already.")).to_be_visible()
    reader.field.fill("one more")
    expect(reader.control("Send")).to_be_disabled()
    reader.turns.nth(2).get_by_role("button", name="Remove").click()
    expect(reader.turns).to_have_count(3)
    expect(reader.control("Send")).to_be_enabled()
    line.heal()
    expect(reader.panel.locator(".verdict")).to_have_count(3, timeout=30_000)
    expect(reader.turns.get_by_role("heading")).to_have_text([LIFECYCLE, SECOND, FOURTH])


def test_a_line_that_drops_for_good_keeps_what_came(reader: Reader, line: FaultyProxy):
    line.fail(Fault.DRIP)
    reader.ask(LIFECYCLE)
    expect(reader.turns.locator("span.mark").first).to_have_text("1", timeout=30_000)
    line.fail(Fault.REFUSED)
    expect(reader.turns).to_contain_text("The line dropped, coming back")
    expect(reader.turns).to_contain_text("The line dropped. What came so far is kept.", timeout=30_000)
    expect(reader.turns.locator(".answer")).to_contain_text(re.compile("lifecycle node", re.IGNORECASE))
    expect(reader.spoken).to_contain_text("The line dropped. What came so far is kept.")
    line.heal()
    reader.control("Ask again").click()
    expect(reader.verdict).to_be_visible()


def test_who_is_offline_is_told_so(reader: Reader, context: BrowserContext):
    notice = reader.panel.get_by_text("You are offline.")
    expect(notice).to_be_hidden()
    context.set_offline(True)
    expect(notice).to_be_visible()
    context.set_offline(False)
    expect(notice).to_be_hidden()


def test_too_many_questions_are_counted_down_and_asked_again_by_themselves(
    page: Page, sample_home: Path, tmp_path: Path
):
    folder = tmp_path / "server"
    folder.mkdir()
    with (
        serve(folder, sample_home, requests_per_minute="2") as server,
        page_with(tmp_path, script(server.url)) as address,
    ):
        page.goto(address)
        reader = Reader(page)
        reader.open()
        reader.ask(LIFECYCLE)
        expect(reader.verdict).to_be_visible()
        reader.ask(SECOND)
        waiting = reader.turns.nth(1)
        expect(waiting).to_contain_text("Too many questions for now.")
        seconds = waiting.locator("b")
        shown = seconds.text_content()
        expect(seconds).not_to_have_text(shown or "")
        expect(seconds).to_contain_text("Asking again in")
        reader.control("Stop").click()
        expect(waiting).to_contain_text("Stopped.")


def test_a_key_that_is_not_accepted_is_named_to_the_author(page: Page, sample_home: Path, tmp_path: Path):
    folder = tmp_path / "server"
    folder.mkdir()
    with page_with(tmp_path, "") as address, serve(folder, sample_home) as server:
        publishable_key(folder, sample_home, address.removesuffix("/page.html"))
        page.goto(address)
        page.add_script_tag(url=f"{server.url}/widget.js", type="module")
        reader = Reader(page)
        reader.open()
        reader.ask(LIFECYCLE)
        expect(reader.turns).to_contain_text("This page’s key is not accepted here.")


def test_a_page_that_may_not_ask_there_is_told_so(page: Page, sample_home: Path, tmp_path: Path):
    folder = tmp_path / "server"
    folder.mkdir()
    key = publishable_key(folder, sample_home, "https://elsewhere.example")
    with (
        serve(folder, sample_home) as server,
        page_with(tmp_path, script(server.url, key=key)) as address,
    ):
        page.goto(address)
        reader = Reader(page)
        reader.open()
        reader.ask(LIFECYCLE)
        refused = "This page’s key is not accepted here. Author: check the key and its origins."
        expect(reader.turns).to_contain_text(refused, timeout=30_000)
