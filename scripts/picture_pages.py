"""What readers and the author see, in a real Chromium: the demo, the widget, the desk."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from get_chromium import FLAGS, get_chromium
from get_fonts import get_fonts
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

ANSWERED = "What is domain randomization good for?"
REFUSED = "Which company makes the best robot arm?"
WIDE, PHONE = (1280, 800), (390, 844)
PATIENCE = 60_000


@dataclass(frozen=True)
class Shot:
    name: str
    take: Callable[[Page, str], None]
    size: tuple[int, int] = WIDE
    is_dark: bool = False


def picture_pages(url: str, folder: Path) -> None:
    """PNG files of what the server at `url` shows."""
    with sync_playwright() as playwright:
        environment: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(get_fonts())}
        browser = playwright.chromium.launch(executable_path=get_chromium(), args=[*FLAGS], env=environment)
        for shot in SHOTS:
            _take(browser, shot, url, folder / f"{shot.name}.png")
        browser.close()


def _take(browser: Browser, shot: Shot, url: str, picture: Path) -> None:
    width, height = shot.size
    with browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.is_dark else "light",
        device_scale_factor=1.5 if shot.size == WIDE else 2,
        reduced_motion="reduce",
    ) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        shot.take(page, url)
        page.screenshot(path=picture)


def demo(page: Page, url: str) -> None:
    """A reader asked, and followed the first citation."""
    answer(page, url)
    chat(page).locator(".mark").first.click()
    page.wait_for_url(lambda address: not address.endswith("/docs/ros2/nodes"))
    expect(chat(page).locator(".book")).not_to_be_empty()
    expect(chat(page).locator(".verdict").last).to_be_visible(timeout=PATIENCE)


def suggestions(page: Page, url: str) -> None:
    page.goto(f"{url}/docs/ros2/nodes")
    page.keyboard.press("Control+k")
    expect(chat(page).get_by_role("button", name=ANSWERED)).to_be_visible(timeout=PATIENCE)


def answer(page: Page, url: str) -> None:
    suggestions(page, url)
    ask(page, ANSWERED)
    expect(chat(page).locator(".verdict").last).to_be_visible(timeout=PATIENCE)


def refusal(page: Page, url: str) -> None:
    suggestions(page, url)
    ask(page, REFUSED)
    expect(chat(page).get_by_text("The book does not say").last).to_be_visible(timeout=PATIENCE)


def urdu(page: Page, url: str) -> None:
    page.goto(f"{url}/docs/ros2/nodes")
    page.locator("glossator-chat").evaluate("one => one.setAttribute('language', 'ur')")
    page.locator("glossator-chat").evaluate("one => one.removeAttribute('title')")
    page.keyboard.press("Control+k")
    ask(page, ANSWERED)
    expect(chat(page).locator(".row")).to_be_visible(timeout=PATIENCE)


def selected(page: Page, url: str) -> None:
    page.goto(f"{url}/docs/ros2/nodes")
    page.locator("main p").first.click(click_count=3)
    chat(page).get_by_role("button", name="Ask about this").click()


def insight_store(view: str) -> Callable[[Page, str], None]:
    def take(page: Page, url: str) -> None:
        page.goto(f"{url}/desk/#{view}")
        expect(page.locator("main h1")).to_be_visible(timeout=PATIENCE)
        expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=PATIENCE)

    return take


def chat(page: Page) -> Locator:
    return page.locator("glossator-chat")


def ask(page: Page, question: str) -> None:
    chat(page).get_by_role("textbox").fill(question)
    page.keyboard.press("Enter")


SHOTS = (
    Shot("demo", demo),
    Shot("demo-dark", demo, is_dark=True),
    Shot("widget-empty", suggestions),
    Shot("widget-light", answer),
    Shot("widget-dark", answer, is_dark=True),
    Shot("widget-phone", answer, PHONE),
    Shot("widget-narrow", answer, (320, 640)),
    Shot("widget-urdu", urdu),
    Shot("widget-refusal", refusal),
    Shot("widget-selection", selected),
    Shot("desk-overview", insight_store("overview")),
    Shot("desk-gaps", insight_store("gaps")),
    Shot("desk-book", insight_store("book")),
    Shot("desk-dark", insight_store("sections"), is_dark=True),
    Shot("desk-phone", insight_store("gaps"), (375, 812)),
)
