"""A real Chromium for the sites that others' generators build."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from get_chromium import FLAGS, get_chromium
from playwright.sync_api import Page, sync_playwright


@pytest.fixture
def page() -> Generator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=get_chromium(), args=[*FLAGS])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(15_000)
        yield page
        browser.close()
