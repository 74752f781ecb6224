"""A reader's whole way through the demo: asked, answered, and led to the words; as everybody goes it."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from support.browser_server import SAMPLE, Command, serve
from support.widget_reader import LIFECYCLE, LIFECYCLE_PLACE, LIFECYCLE_WORDS, Reader, publishable_key

TITLE = "Ask this book"
ELEMENT = "document.querySelector('glossator-chat')"


@pytest.fixture
def reader(page: Page, demo: Command) -> Reader:
    page.goto(f"{demo.url}/docs/glossary")
    return Reader(page, TITLE)


def test_by_keyboard_alone(reader: Reader):
    page = reader.page
    page.keyboard.press("Control+k")
    page.keyboard.type(LIFECYCLE)
    page.keyboard.press("Enter")
    expect(reader.verdict).to_be_visible()
    link = reader.place(LIFECYCLE_PLACE)
    for _ in range(40):
        page.keyboard.press("Shift+Tab")
        if link.evaluate("link => link.matches(':focus')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/docs/ros2/nodes"))
    expect(page.locator("main").get_by_text(LIFECYCLE_WORDS).first).to_be_in_viewport()
    expect(reader.verdict).to_be_visible()


def test_what_an_answer_cites_does_not_lie_behind_the_answer(reader: Reader, demo: Command):
    page = reader.page
    page.goto(f"{demo.url}/docs/ros2/nodes")
    reader.open()
    reader.ask(LIFECYCLE)
    reader.mark(LIFECYCLE_PLACE).click()
    page.wait_for_function("CSS.highlights.get('glossator')?.size === 1")
    right = page.evaluate("[...CSS.highlights.get('glossator')][0].getBoundingClientRect().right")
    panel = reader.panel.bounding_box()
    assert panel
    assert right <= panel["x"]


def test_in_private_mode_another_page_opens_beside_this_one(reader: Reader, context: BrowserContext):
    reader.page.evaluate(f"{ELEMENT}.setAttribute('ephemeral', '')")
    reader.page.keyboard.press("Control+k")
    reader.ask(LIFECYCLE)
    expect(reader.verdict).to_be_visible()
    with context.expect_page() as opened:
        reader.place(LIFECYCLE_PLACE).click()
    assert "/docs/ros2/nodes" in opened.value.url
    expect(reader.verdict).to_be_visible()
    assert reader.page.evaluate(
        "[localStorage.getItem('theme'), sessionStorage.length, document.cookie]"
    ) == [
        None,
        0,
        "",
    ]


def test_a_server_that_has_no_place_is_waited_for(reader: Reader):
    """The first time it says no; then it answers."""
    refused = {"status": 503, "code": "overloaded", "detail": "", "retryable": True, "retry_after": 1}
    reader.page.route(
        "**/v1/ask",
        lambda route: route.fulfill(status=503, json={**refused, "title": "", "type": "about:blank"}),
        times=1,
    )
    reader.open()
    reader.ask(LIFECYCLE)
    expect(reader.turns.first).to_contain_text("Many readers are asking now.")
    expect(reader.verdict).to_be_visible()


def test_with_keys_the_pages_of_the_preview_have_one_and_the_conversation_comes_back(
    page: Page, sample_home: Path, tmp_path: Path
):
    port = _free_port()
    key = publishable_key(tmp_path, sample_home, f"http://127.0.0.1:{port}")
    with serve(tmp_path, sample_home, "--port", str(port), preview=str(SAMPLE), preview_key=key) as server:
        page.goto(f"{server.url}/docs/glossary")
        reader = Reader(page, TITLE)
        reader.open()
        reader.ask(LIFECYCLE)
        expect(reader.verdict).to_be_visible()
        page.reload()
        expect(reader.verdict).to_be_visible()


def _free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]
