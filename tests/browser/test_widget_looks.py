"""How it looks: on every width, by day and night, in both directions, and whatever the page's own style is."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.browser_server import Command
from support.widget_reader import (
    LIFECYCLE,
    LIFECYCLE_PLACE,
    LIFECYCLE_WORDS,
    SERVICE,
    SERVICE_PAGE,
    SERVICE_WORDS,
    Reader,
    page_with,
    script,
)

DARK, LIGHT = "rgb(26, 24, 22)", "rgb(255, 253, 249)"
TABLE = "Compare topics, services and actions"
STICKING_OUT = """panel => [...panel.querySelectorAll("*:not(pre *, .wide *)")].filter(part => {
    const {left, right, width} = part.getBoundingClientRect(), around = panel.getBoundingClientRect();
    return width && (left < around.left || right > around.right) }).map(part => part.outerHTML)"""


@pytest.fixture
def address(demo: Command, tmp_path: Path) -> Generator[str]:
    with page_with(tmp_path, script(demo.url, topics=LIFECYCLE)) as address:
        yield address


@pytest.fixture
def phone(chromium: Browser, demo: Command) -> Generator[Reader]:
    """In the book itself."""
    with chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ) as context:
        page = context.new_page()
        page.goto(f"{demo.url}/docs/ros2/nodes")
        reader = Reader(page, "Ask this book")
        reader.button.tap()
        yield reader


@pytest.mark.parametrize("width", [320, 390, 561, 768, 1280])
@pytest.mark.parametrize("question", [LIFECYCLE, TABLE])
def test_nothing_is_wider_than_its_place(page: Page, address: str, width: int, question: str):
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(address)
    reader = Reader(page)
    reader.open()
    reader.ask(question)
    expect(reader.panel.locator(".verdict")).to_be_visible()
    box = reader.panel.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] >= 0
    assert reader.panel.evaluate(STICKING_OUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("document.documentElement.dataset.theme = 'dark'", DARK),
        ("document.body.dataset.mdColorScheme = 'slate'", DARK),
        ("document.body.dataset.mdColorScheme = 'default'", LIGHT),
        ("document.documentElement.className = 'js navy sidebar-visible'", DARK),
        ("document.documentElement.className = 'dark'", DARK),
        ("document.documentElement.style.colorScheme = 'dark'", DARK),
        ("document.documentElement.style.colorScheme = 'light'", LIGHT),
    ],
)
def test_it_follows_the_site_by_day_and_night(page: Page, address: str, changed: str, expected: str):
    page.emulate_media(color_scheme="light" if expected == DARK else "dark")
    page.goto(address)
    reader = Reader(page)
    reader.open()
    expect(reader.panel).to_have_css("background-color", LIGHT if expected == DARK else DARK)
    page.evaluate(changed)
    expect(reader.panel).to_have_css("background-color", expected)


def test_it_follows_the_reader_where_the_site_says_nothing(page: Page, address: str):
    page.goto(address)
    reader = Reader(page)
    reader.open()
    page.emulate_media(color_scheme="dark")
    expect(reader.panel).to_have_css("background-color", DARK)
    page.emulate_media(color_scheme="light")
    expect(reader.panel).to_have_css("background-color", LIGHT)


def test_it_looks_the_same_on_a_page_that_styles_everything(page: Page, demo: Command, tmp_path: Path):
    wild = """<style>* { color: lime !important; font: 40px fantasy !important; letter-spacing: 9px !important }
        button { transform: rotate(9deg); background: red !important } glossator-chat { text-align: right }</style>"""
    with page_with(tmp_path, script(demo.url), head=wild) as address:
        page.goto(address)
        reader = Reader(page)
        reader.open()
        expect(reader.panel).to_have_css("color", "rgb(34, 29, 22)")
        expect(reader.panel).to_have_css("font-size", "15px")
        expect(reader.panel).to_have_css("letter-spacing", "normal")
        expect(reader.control("Close")).to_have_css("transform", "none")


def test_a_page_chooses_colours_and_sizes_by_custom_properties_and_parts(
    page: Page, demo: Command, tmp_path: Path
):
    style = """<style>glossator-chat { --glossator-surface: rgb(1, 2, 3); --glossator-width: 500px }
        glossator-chat::part(button) { border-radius: 3px }</style>"""
    with page_with(tmp_path, script(demo.url), head=style) as address:
        page.goto(address)
        reader = Reader(page)
        expect(reader.button).to_have_css("border-radius", "3px")
        reader.open()
        expect(reader.panel).to_have_css("background-color", "rgb(1, 2, 3)")
        expect(reader.panel).to_have_css("width", "500px")


def test_it_is_drawn_and_answers_under_a_strict_policy(page: Page, demo: Command, tmp_path: Path):
    policy = f"default-src 'none'; script-src {demo.url}; connect-src {demo.url}; require-trusted-types-for 'script'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    with page_with(tmp_path, script(demo.url), head=head) as address:
        page.goto(address)
        reader = Reader(page)
        reader.open()
        reader.ask(LIFECYCLE)
        reader.turns.locator("button.mark").first.hover()
        expect(reader.panel.locator(".preview")).to_be_visible()
        expect(reader.panel).to_have_css("background-color", LIGHT)
    assert [text for text in said if "Content Security Policy" in text or "TrustedHTML" in text] == []


@pytest.mark.parametrize(
    ("language", "title", "said"),
    [
        ("ur", "کتاب سے پوچھیں", "(شاید )?کتاب یہ کہتی ہے"),
        ("ar", "اسأل الكتاب", "(ربما )?يقول الكتاب هذا"),
    ],
)
def test_urdu_and_arabic_read_from_the_right_and_the_book_keeps_its_own_direction(
    page: Page, demo: Command, tmp_path: Path, language: str, title: str, said: str
):
    with page_with(tmp_path, script(demo.url, language=language)) as address:
        page.goto(address)
        reader = Reader(page, title)
        reader.open()
        expect(reader.field).to_have_css("direction", "rtl")
        reader.ask(LIFECYCLE)
        verdict = reader.turns.locator(".verdict")
        expect(verdict).to_have_text(re.compile(said))
        expect(reader.panel).to_have_css("direction", "rtl")
        expect(reader.turns.locator(".answer")).to_have_css("direction", "ltr")
        panel, line = reader.panel.bounding_box(), verdict.bounding_box()
        assert panel is not None
        assert line is not None
        assert line["x"] + line["width"] > panel["x"] + 0.75 * panel["width"]
        reader.field.fill("a question in English")
        expect(reader.field).to_have_css("direction", "ltr")


@pytest.mark.parametrize(
    ("page_language", "attributes", "title"),
    [
        ("es-MX", {}, "Pregunta al libro"),
        ("zh-CN", {}, "向本书提问"),
        ("fr", {"language": "de"}, "Das Buch fragen"),
        ("nl", {}, "Ask the book"),
    ],
)
def test_it_speaks_the_language_of_the_page_unless_it_is_told_another(
    page: Page, demo: Command, tmp_path: Path, page_language: str, attributes: dict[str, str], title: str
):
    says = f"<script>document.documentElement.lang = '{page_language}'</script>"
    with page_with(tmp_path, says + script(demo.url, **attributes)) as address:
        page.goto(address)
        Reader(page, title).open()


@pytest.mark.parametrize("language", ["ar", "de", "es", "fr", "hi", "ur", "zh"])
def test_no_language_is_wider_than_a_small_phone(page: Page, demo: Command, tmp_path: Path, language: str):
    page.set_viewport_size({"width": 320, "height": 700})
    with page_with(tmp_path, script(demo.url, language=language)) as address:
        page.goto(address)
        page.evaluate("question => document.querySelector('glossator-chat').ask(question)", LIFECYCLE)
        panel = page.get_by_role("dialog")
        panel.locator(".verdict").click()
        panel.locator(".down").click()
        page.locator("#passage").select_text()
        expect(page.locator("glossator-chat .ask-about")).to_be_visible()
        page.keyboard.press("Alt+a")
        expect(panel.locator(".badge label")).to_have_count(2)
        assert panel.evaluate(STICKING_OUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_phone_gives_it_the_whole_screen_and_keeps_the_reader_in_it(phone: Reader):
    box = phone.panel.bounding_box()
    assert box == {"x": 0, "y": 0, "width": 390, "height": 844}
    expect(phone.panel).to_have_attribute("aria-modal", "true")
    expect(phone.panel).to_be_focused()


def test_on_a_phone_a_tap_shows_the_words_and_half_the_screen_is_left_to_the_place(phone: Reader):
    phone.field.tap()
    phone.ask(LIFECYCLE)
    phone.mark(LIFECYCLE_PLACE).tap()
    preview = phone.panel.locator(".preview")
    expect(preview).to_contain_text(LIFECYCLE_WORDS)
    preview.get_by_role("button", name="Show it in the book").tap()
    expect(phone.panel).to_have_attribute("aria-modal", "false")
    phone.page.wait_for_function(
        "document.querySelector('glossator-chat').shadowRoot.querySelector('.panel').offsetTop > innerHeight * 0.4"
    )
    phone.control("Conversation").tap()
    expect(phone.panel).to_have_attribute("aria-modal", "true")


def test_on_a_phone_the_page_that_a_citation_leads_to_is_not_covered(phone: Reader):
    phone.field.tap()
    phone.ask(SERVICE)
    phone.place(SERVICE_PAGE).tap()
    phone.page.wait_for_url(re.compile("/docs/ros2/services"))
    expect(phone.turns).to_have_count(1)
    cited = phone.page.locator("main").get_by_text(SERVICE_WORDS).first
    box, words = phone.panel.bounding_box(), cited.bounding_box()
    assert box is not None
    assert words is not None
    assert 0 <= words["y"] < box["y"]


def test_fingers_find_everything(phone: Reader):
    phone.field.tap()
    phone.ask(LIFECYCLE)
    expect(phone.panel.locator(".verdict")).to_be_visible()
    small = phone.panel.evaluate(
        """panel => [...panel.querySelectorAll("button:not(.mark), a, .field textarea")]
        .filter(part => part.offsetParent).filter(part => part.getBoundingClientRect().height < 44)
        .map(part => part.ariaLabel ?? part.textContent)"""
    )
    assert small == []


def test_it_is_not_printed(page: Page, address: str):
    page.goto(address)
    reader = Reader(page)
    reader.open()
    page.emulate_media(media="print")
    expect(reader.panel).to_be_hidden()


def test_nothing_moves_for_who_wants_it_still(page: Page, address: str):
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    reader = Reader(page)
    reader.open()
    reader.ask(LIFECYCLE)
    expect(reader.panel.locator(".verdict")).to_be_visible()
    assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_is_enough(
    page: Page, demo: Command, tmp_path: Path, axe: Callable[[Page], list[str]], theme: str
):
    with page_with(tmp_path, script(demo.url, theme=theme)) as address:
        page.goto(address)
        reader = Reader(page)
        reader.open()
        for question in (LIFECYCLE, "How do I weld a humanoid robot's arm?", "it"):
            reader.ask(question)
        expect(reader.panel.locator(".verdict")).to_have_count(3)
        assert axe(page) == []
