"""The sample book as a site: read with a mouse, a keyboard, a phone, in the dark, without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from support.browser_server import Command

NODES = "/docs/ros2/nodes"
CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 0.5)
  .filter((one) => !one.closest("pre, .table, .formula, p:has(> math), :is(ul, ol):has(> li > math), glossator-chat"))
  .map((one) => one.outerHTML)"""
"""What reaches over the edge of the window and cannot be scrolled to."""
WIDTHS = (320, 375, 768, 1024, 1280, 1920)


def test_the_first_page_is_the_book_and_nothing_comes_from_elsewhere(demo: Command, page: Page):
    asked = list[str]()
    refused = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: refused.append(message.text) if _is_refusal(message) else None)
    page.goto(demo.url)
    expect(page).to_have_url(f"{demo.url}/docs/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Physical AI: A Working Introduction")
    assert not [url for url in asked if not url.startswith(demo.url)]
    assert refused == []


def test_a_reader_goes_through_the_book(demo: Command, page: Page):
    page.goto(f"{demo.url}{NODES}")
    contents = page.get_by_role("navigation", name="Contents of the book")
    expect(contents.locator("[aria-current=page]")).to_have_text("Nodes: The Building Blocks")
    page.get_by_role("navigation", name="Pages before and after").get_by_role("link", name="Next").click()
    expect(page).to_have_url(f"{demo.url}/docs/ros2/topics")
    contents.get_by_role("link", name="Glossary").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Glossary")
    expect(contents.locator("[aria-current=page]")).to_be_in_viewport()


def test_the_margin_shows_which_section_is_read(demo: Command, page: Page):
    page.goto(f"{demo.url}{NODES}")
    margin = page.get_by_role("navigation", name="On this page")
    margin.get_by_role("link", name="Parameters").click()
    expect(page.locator("#parameters")).to_be_in_viewport()
    expect(margin.locator("[aria-current]")).to_have_text("Parameters: settings that belong to a node")
    page.mouse.wheel(0, -100_000)
    expect(margin.locator("[aria-current]")).to_have_count(0)


@pytest.mark.parametrize(("system", "other"), [("light", "dark"), ("dark", "light")])
def test_the_colours_follow_the_system_until_a_reader_chooses(
    demo: Command, chromium: Browser, system: Literal["light", "dark"], other: str
):
    with chromium.new_context(color_scheme=system) as context:
        page = context.new_page()
        page.goto(f"{demo.url}{NODES}")
        root = page.locator("html")
        expect(root).to_have_attribute("data-theme", system)
        page.get_by_role("button", name="Dark colours").click()
        expect(root).to_have_attribute("data-theme", other)
        page.goto(f"{demo.url}/docs/glossary")
        expect(root).to_have_attribute("data-theme", other)
        expect(page.get_by_role("button", name="Dark colours")).to_have_attribute(
            "aria-pressed", str(other == "dark").lower()
        )


def test_on_a_phone_the_contents_are_behind_a_button(demo: Command, page: Page):
    page.set_viewport_size({"width": 375, "height": 800})
    page.goto(f"{demo.url}{NODES}")
    contents = page.locator("#_contents")
    expect(contents).to_be_hidden()
    page.get_by_role("button", name="Contents of the book").click()
    expect(contents.get_by_role("link", name="Kinematics")).to_be_visible()
    page.keyboard.press("Escape")
    expect(contents).to_be_hidden()
    page.get_by_role("button", name="Contents of the book").click()
    contents.get_by_role("link", name="Kinematics").click()
    expect(page).to_have_url(f"{demo.url}/docs/motion/kinematics")


def test_no_page_is_wider_than_the_window(demo: Command, page: Page):
    page.goto(f"{demo.url}{NODES}")
    links = page.locator("#_contents a").evaluate_all("links => links.map((link) => link.href)")
    assert len(links) == 24
    for url in links:
        page.goto(url)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(CUT_OFF) == [], f"{url} at {width}"


def test_by_keyboard_the_text_is_the_first_stop(demo: Command, page: Page):
    page.goto(f"{demo.url}{NODES}")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_without_scripts_the_book_can_be_read(demo: Command, chromium: Browser):
    with chromium.new_context(
        java_script_enabled=False, color_scheme="dark", viewport={"width": 375, "height": 800}
    ) as context:
        page = context.new_page()
        page.goto(f"{demo.url}{NODES}")
        expect(page.get_by_role("heading", name="What a node is")).to_be_visible()
        expect(page.locator("body")).to_have_css("background-color", "rgb(26, 24, 22)")
        page.get_by_role("button", name="Contents of the book").click()
        expect(page.get_by_role("link", name="Kinematics")).to_be_visible()


def test_on_paper_there_is_only_the_text_in_ink(demo: Command, chromium: Browser):
    with chromium.new_context(color_scheme="dark") as context:
        page = context.new_page()
        page.goto(f"{demo.url}{NODES}")
        page.emulate_media(media="print")
        expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
        expect(page.locator("article p").first).to_have_css("color", "rgb(34, 29, 22)")
        for part in (
            "body > .masthead",
            "#_contents",
            ".sheet > .sections",
            "main > .turn",
            "glossator-chat",
        ):
            expect(page.locator(part)).to_have_count(1)
            expect(page.locator(part)).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", [NODES, "/docs/foundations/the-math-you-need", "/docs/modelling/simulation", "/docs/missing"]
)
def test_nothing_serious_is_wrong_for_those_who_do_not_see_well(
    demo: Command,
    chromium: Browser,
    axe: Callable[[Page], list[str]],
    path: str,
    theme: Literal["light", "dark"],
):
    with chromium.new_context(color_scheme=theme, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(f"{demo.url}{path}")
        assert axe(page) == []


def _is_refusal(message: ConsoleMessage) -> bool:
    return bool(re.search("Content Security Policy|Refused", message.text))
