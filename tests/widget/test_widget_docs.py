"""Every example of docs/client.md does what the page says."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from get_widget_tools import WIDGET, get_widget_tools
from npm import node, npm
from playwright.sync_api import ConsoleMessage, Page, expect

from support.browser_server import pages

HOST = "https://ask.book.example"
PAGE = (WIDGET.parent / "docs" / "client.md").read_text("utf-8")
EXAMPLES = re.findall(r"```(html|js)\n(.*?)```", PAGE, re.DOTALL)
WHOLE, FOLLOWING, STOPPING, FAILING, CHATTING, IN_NODE = (text for _, text in EXAMPLES)
BEGIN = """
import { Glossator } from "https://ask.book.example/widget.js";
const book = new Glossator({ server: "https://ask.book.example" });
"""

Begin = Callable[[str], dict[str, str]]


@pytest.fixture
def server(begin: Begin) -> str:
    return begin("open")["OPEN"]


def test_a_page_of_ones_own_answers(page: Page, server: str, tmp_path: Path):
    with pages(tmp_path, {"index.html": WHOLE.replace(HOST, server).replace("pk_…", "pk_1")}) as site:
        page.goto(site)
        page.get_by_role("button", name="Ask").click()
        expect(page.locator("#answer")).to_contain_text("A topic is a named stream of messages.")


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (FOLLOWING, r"answered(_with_caution)? .*every subscriber receives a copy"),
        (FAILING, r"400 invalid false null [0-9a-f]{32}"),
        (
            CHATTING,
            r"What is a topic\?: searching, 0 sentences(.|\n)*What is a topic\?: done, [1-9]\d* sentences?",
        ),
    ],
    ids=["following", "failing", "chatting"],
)
def test_an_example_says_what_it_should(page: Page, server: str, tmp_path: Path, example: str, said: str):
    console = list[str]()

    def is_said(message: ConsoleMessage) -> bool:
        console.append(message.text)
        return bool(re.search(said, "\n".join(console)))

    with page.expect_console_message(is_said):
        _run_in_page(page, server, tmp_path, example)


def test_an_answer_is_stopped_from_its_loop(page: Page, server: str, tmp_path: Path):
    with page.expect_event("pageerror", lambda error: "one sentence is enough" in str(error)):
        _run_in_page(page, server, tmp_path, STOPPING)


@pytest.mark.slow
def test_the_package_works_in_node(server: str, tmp_path: Path):
    copy = tmp_path / "widget"
    shutil.copytree(WIDGET, copy, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (copy / "node_modules").symlink_to(get_widget_tools())
    npm(["pack", "--silent", "--pack-destination", str(tmp_path)], copy)
    npm(["install", "--no-audit", "--no-fund", "./glossator-widget-0.1.0.tgz"], tmp_path)
    (tmp_path / "search.mjs").write_text(IN_NODE, "utf-8")

    told = subprocess.run(
        [*node(), "search.mjs"],
        cwd=tmp_path,
        env={"BOOK_SERVER": server, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.fullmatch(r"[\d.]+ 01-start/02-topics\.md#\S+\n[\d.]+ 01-start/\S+\n", told)


def test_a_page_that_may_not_ask_is_told_so_and_not_that_it_is_offline(
    page: Page, begin: Begin, tmp_path: Path
):
    """The key is for another origin, so that the browser keeps every reply from the page."""
    keyed = begin("keyed")
    asks = BEGIN.replace('example" }', f'example", key: "{keyed["KEY"]}" }}') + (
        'await book.answer({ question: "What is a topic?" }).catch((error) => console.log(String(error), error.status));'
    )
    told = "ApiError: The server is there, but this page may not ask it. 403"
    with page.expect_console_message(lambda message: message.text == told):
        _run_in_page(page, keyed["KEYED"], tmp_path, asks, begin="")


def _run_in_page(page: Page, server: str, folder: Path, example: str, *, begin: str = BEGIN) -> None:
    script = (begin + example).replace(HOST, server)
    with pages(
        folder, {"index.html": f"<!doctype html><title>A page</title><script type=module>{script}</script>"}
    ) as site:
        page.goto(site)
