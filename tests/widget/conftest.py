"""The servers that the widget's client is tried on: each with its own manners, started when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from get_chromium import FLAGS, get_chromium
from playwright.sync_api import Browser, Page, sync_playwright

from glossator.model import KeyKind
from support.proof_keys import add_keys
from support.proof_model import SENTENCES, dictates
from support.serve_command import serve
from support.writers_server import Answer, Call, Line, model_server, say_nothing

_PAUSE = 0.15
"""Seconds before each piece of what the model writes."""
_MANNERS = {
    "open": {},
    "limited": {"requests_per_minute": "1"},
    "slow": {"model": "scripted", "linger_seconds": "30"},
    "hasty": {"model": "scripted", "linger_seconds": "0.05", "heartbeat_seconds": "0.2"},
    "keyed": {"model": "scripted", "linger_seconds": "30"},
}

Begin = Callable[[str], dict[str, str]]


@pytest.fixture(scope="session")
def begin(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Begin]:
    """Starts the server of that name, once; the address, and the key where it has one."""
    with ExitStack() as stack:
        model = stack.enter_context(model_server())
        model.will(_dictates_or_is_silent)

        @cache
        def begin(name: str) -> dict[str, str]:
            folder = tmp_path_factory.mktemp(name)
            settings = {
                "requests_per_minute": "100000",
                "model_base_url": model.url,
                "model_api_key": "sk-none",
            }
            keys = _keys(folder) if name == "keyed" else {}
            command = stack.enter_context(serve(folder, home, **settings | _MANNERS[name]))
            return {name.upper(): command.url, **keys}

        yield begin


def _keys(folder: Path) -> dict[str, str]:
    """In a thread of its own, because this one may have a browser's event loop."""
    database = f"sqlite:///{folder / 'records.sqlite'}"
    with ThreadPoolExecutor(1) as thread:
        (key,) = thread.submit(add_keys, database, KeyKind.PUBLISHABLE).result()
    return {"KEY": key}


def _dictates_or_is_silent(line: Line, call: Call) -> None:
    answer: Answer = say_nothing if "What is a node?" in call.asked else dictates(*SENTENCES, pause=_PAUSE)
    answer(line, call)


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    """Gone before another module's tests run: while it is there, nothing else may run an event loop."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=get_chromium(), args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Generator[Page]:
    with chromium.new_context() as context:
        yield context.new_page()
