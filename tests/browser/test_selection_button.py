"""What a reader marks in a page can be asked about: by mouse, by keyboard and by touch."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from support.dictated_server import answer_of, dictated, told

SENTENCE = "A lifecycle node has a state machine, so that an outside manager decides when it begins to act."
URDU = "روبوٹ ایک مشین ہے جو محسوس کرتی ہے اور عمل کرتی ہے۔"
PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><title>A book</title>
<style>body {{ margin: 0; font: 16px/24px monospace }} p {{ margin: 0 }}</style>
<body><main><p id="top">{SENTENCE}</p><p id="short">Too short.</p>
<p><input id="field" size="60" value="What the reader writes is the reader's own."></p>
<p id="editable" contenteditable="true">What the reader edits is the reader's own as well.</p>
<div style="height: 300px"></div><p id="middle">{SENTENCE}</p><p><span id="urdu" dir="rtl" lang="ur">{URDU}</span></p>
<p id="long">{"Words and words. " * 1000}</p><div style="height: 1500px"></div><a id="last" href="#top">To the top</a></main>
<script type="module" src="/widget.js"></script></body></html>"""
SELECT = """(element, isBackward) => {
  const { firstChild: text } = element;
  const ends = isBackward ? [text, text.length, text, 0] : [text, 0, text, text.length];
  getSelection().setBaseAndExtent(...ends);
}"""


class Reader:
    def __init__(self, page: Page):
        self.page = page

    @property
    def button(self) -> Locator:
        return self.page.get_by_role("button", name="Ask about this")

    @property
    def passage(self) -> Locator:
        """What the next question is about."""
        return self.page.get_by_role("dialog").locator(".badge blockquote")

    @property
    def selected(self) -> str:
        return self.page.evaluate("String(getSelection())")

    def mark(self, name: str, *, is_backward: bool = False) -> None:
        """As keys and fingers do, without a mouse."""
        self.page.locator(name).evaluate(SELECT, is_backward)

    def drag(self, name: str) -> None:
        self.page.locator(name).hover(position={"x": 2, "y": 12})
        self.page.mouse.down()
        self.page.locator(name).hover(position={"x": 200, "y": 12})
        self.page.mouse.up()

    def box(self, place: Locator) -> tuple[float, float, float, float]:
        box = place.bounding_box()
        assert box
        return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


@pytest.fixture
def site() -> Generator[str]:
    with dictated({"/": PAGE}, [told(answer_of(["Yes."], []))]) as server:
        yield server.url


@pytest.fixture
def reader(page: Page, site: str) -> Reader:
    page.goto(site)
    expect(page.locator("glossator-chat")).to_be_attached()
    return Reader(page)


def test_by_mouse_and_the_selection_stays(reader: Reader):
    expect(reader.button).to_be_hidden()
    reader.drag("#middle")
    expect(reader.button).to_be_visible()
    words = reader.selected
    assert words in SENTENCE
    assert len(words) > 10
    reader.button.hover()
    reader.page.mouse.down()
    assert reader.selected == words
    reader.page.mouse.up()
    expect(reader.passage).to_have_text(words.strip())
    expect(reader.button).to_be_hidden()


def test_by_keyboard_with_a_shortcut(reader: Reader):
    reader.page.locator("#middle").dblclick(position={"x": 40, "y": 12})
    for _ in range(5):
        reader.page.keyboard.press("Shift+ArrowRight")
    assert reader.selected == "lifecycle node"
    expect(reader.button).to_be_visible()
    expect(reader.button).to_have_attribute("aria-keyshortcuts", "Alt+A")
    reader.page.keyboard.press("Alt+a")
    expect(reader.passage).to_have_text("lifecycle node")


def test_by_keyboard_as_the_first_stop_of_the_widget(reader: Reader):
    reader.page.locator("#last").focus()
    reader.mark("#long")
    expect(reader.button).to_be_attached()
    reader.page.locator("#last").focus()
    reader.page.keyboard.press("Tab")
    expect(reader.button).to_be_focused()
    reader.page.keyboard.press("Enter")
    expect(reader.passage).to_contain_text("Words and words.")


def test_by_touch_below_the_words(chromium: Browser, site: str):
    with chromium.new_context(
        viewport={"width": 320, "height": 600}, has_touch=True, is_mobile=True
    ) as context:
        reader = Reader(context.new_page())
        reader.page.goto(site)
        reader.mark("#top", is_backward=True)
        expect(reader.button).to_be_visible()
        left, top, right, bottom = reader.box(reader.button)
        assert top >= reader.box(reader.page.locator("#top"))[3]
        assert left >= 0
        assert right <= 320
        reader.page.touchscreen.tap((left + right) / 2, (top + bottom) / 2)
        expect(reader.passage).to_have_text(SENTENCE)


def test_below_the_last_line_whichever_way_the_reader_went(reader: Reader):
    words = reader.page.locator("#middle")
    for is_backward in (False, True):
        reader.mark("#middle", is_backward=is_backward)
        expect(reader.button).to_be_visible()
        assert 0 <= reader.box(reader.button)[1] - reader.box(words)[3] < 20


def test_never_outside_of_the_window(reader: Reader):
    reader.page.set_viewport_size({"width": 340, "height": 300})
    for name, is_backward in (("#top", True), ("#long", False)):
        reader.mark(name, is_backward=is_backward)
        expect(reader.button).to_be_visible()
        left, top, right, bottom = reader.box(reader.button)
        assert left >= 0
        assert top >= 0
        assert right <= 340
        assert bottom <= 300
        reader.page.keyboard.press("Escape")
        expect(reader.button).to_be_hidden()


def test_gone_with_escape_with_scrolling_and_with_the_selection(reader: Reader):
    reader.mark("#middle")
    expect(reader.button).to_be_visible()
    reader.page.keyboard.press("Escape")
    expect(reader.button).to_be_hidden()
    reader.mark("#top")
    expect(reader.button).to_be_visible()
    reader.page.mouse.wheel(0, 100)
    expect(reader.button).to_be_hidden()
    reader.mark("#middle")
    expect(reader.button).to_be_visible()
    reader.page.evaluate("getSelection().removeAllRanges()")
    expect(reader.button).to_be_hidden()


def test_never_for_a_few_letters_nor_for_what_the_reader_writes(page: Page, site: str):
    page.clock.install()
    page.goto(site)
    reader = Reader(page)
    expect(page.locator("glossator-chat")).to_be_attached()
    reader.mark("#short")
    page.clock.run_for(2000)
    expect(reader.button).to_be_hidden()
    page.locator("#field").select_text()
    page.clock.run_for(2000)
    expect(reader.button).to_be_hidden()
    page.locator("#editable").select_text()
    page.clock.run_for(2000)
    expect(reader.button).to_be_hidden()
    reader.drag("#middle")
    page.clock.run_for(2000)
    expect(reader.button).to_be_visible()


def test_never_for_words_of_the_widget_itself(page: Page, site: str):
    page.clock.install()
    page.goto(site)
    reader = Reader(page)
    page.evaluate(
        "document.querySelector('glossator-chat').ask('What does a lifecycle node decide by itself?')"
    )
    title = page.get_by_role("dialog").get_by_role("heading", name="What does a lifecycle node")
    page.clock.run_for(2000)
    expect(title).to_be_visible()
    title.click(click_count=3)
    assert "lifecycle node" in reader.selected
    page.clock.run_for(2000)
    expect(reader.button).to_be_hidden()


def test_not_before_the_mouse_is_released(page: Page, site: str):
    page.clock.install()
    page.goto(site)
    reader = Reader(page)
    expect(page.locator("glossator-chat")).to_be_attached()
    page.locator("#middle").hover(position={"x": 2, "y": 12})
    page.mouse.down()
    page.locator("#middle").hover(position={"x": 200, "y": 12})
    page.clock.run_for(2000)
    expect(reader.button).to_be_hidden()
    page.mouse.up()
    page.clock.run_for(2000)
    expect(reader.button).to_be_visible()


def test_at_most_ten_thousand_characters_are_asked_about(reader: Reader, site: str):
    reader.mark("#long")
    reader.page.keyboard.press("Alt+a")
    expect(reader.button).to_be_visible()
    reader.page.keyboard.press("Alt+a")
    expect(reader.passage).to_be_visible()
    with reader.page.expect_request("**/v1/ask") as asked:
        reader.page.evaluate(
            "document.querySelector('glossator-chat').shadowRoot.querySelector('textarea').focus()"
        )
        reader.page.keyboard.type("Why?")
        reader.page.keyboard.press("Enter")
    assert asked.value.post_data_json
    sent = asked.value.post_data_json["selection"]
    assert len(sent["text"]) == 10_000
    assert sent["page_url"] == f"{site}/"
