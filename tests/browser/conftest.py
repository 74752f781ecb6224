"""A real Chromium, and the sample book served with its pages."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from get_axe import get_axe
from get_chromium import FLAGS, get_chromium
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from support.browser_server import SAMPLE, Command, serve


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    """Gone before another module's tests run: while it is there, nothing else may run an event loop."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=get_chromium(), args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Generator[BrowserContext]:
    """A reader who was never here; nothing leaves this machine."""
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(15_000)
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="session")
def demo(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Command]:
    """What `make demo` serves: the sample book's pages with the widget on them; everybody may ask."""
    folder = tmp_path_factory.mktemp("demo")
    with serve(folder, sample_home, preview=str(SAMPLE), requests_per_minute="100000") as command:
        yield command


@pytest.fixture(scope="session")
def axe() -> Callable[[Page], list[str]]:
    """What axe finds on the page that is serious or critical: its rule and where; shadow roots are looked into."""
    script = get_axe().read_text("utf-8")

    def look(page: Page) -> list[str]:
        page.evaluate(script)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{violation['id']}: {node['target']} {node['failureSummary']}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    return look
