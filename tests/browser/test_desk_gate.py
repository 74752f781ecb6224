"""The desk in a browser: who gets in, what is said to who does not, and where the key is kept."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from support.browser_server import serve
from support.desk_server import DeskServer, desk_server


@pytest.fixture(scope="module")
def server(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[DeskServer]:
    with desk_server(tmp_path_factory.mktemp("desk"), sample_home, requests_per_minute="100000") as server:
        yield server


def enter(page: Page, key: str) -> None:
    page.get_by_label("Operator key").fill(key)
    page.get_by_role("button", name="Open the desk").click()


def test_the_key_is_asked_for_once_and_kept_for_this_tab_only(
    server: DeskServer, page: Page, context: BrowserContext
):
    page.goto(server.desk)
    enter(page, server.operator)
    expect(page.get_by_role("heading", name="What readers ask")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="What readers ask")).to_be_visible()
    assert page.evaluate("localStorage.length") == 0
    assert context.cookies() == []
    other = context.new_page()
    other.goto(server.desk)
    expect(other.get_by_label("Operator key")).to_be_focused()


def test_the_key_is_never_in_an_address(server: DeskServer, page: Page):
    addresses = list[str]()
    page.on("request", lambda request: addresses.append(request.url))
    page.goto(server.desk)
    enter(page, server.operator)
    expect(page.get_by_role("heading", name="What readers ask")).to_be_visible()
    assert addresses
    assert not any(server.operator in address for address in [*addresses, page.url])


def test_a_forgotten_key_is_gone_with_all_that_was_shown(server: DeskServer, page: Page):
    page.goto(server.desk)
    enter(page, server.operator)
    page.get_by_role("button", name="Forget the key").click()
    expect(page.get_by_label("Operator key")).to_be_focused()
    expect(page.get_by_label("Operator key")).to_have_value("")
    expect(page.locator("main")).to_be_empty()
    assert page.evaluate("sessionStorage.length") == 0
    page.reload()
    expect(page.get_by_label("Operator key")).to_be_visible()


@pytest.mark.parametrize("key", ["sk_nobody", "schlüssel mit leerzeichen"])
def test_a_wrong_key_is_told_and_not_kept(server: DeskServer, page: Page, key: str):
    page.goto(server.desk)
    enter(page, key)
    expect(page.get_by_role("alert")).to_have_text(
        "This key is not known here. It may be mistyped, or revoked."
    )
    expect(page.get_by_label("Operator key")).to_be_focused()
    assert page.evaluate("sessionStorage.length") == 0
    enter(page, server.operator)
    expect(page.get_by_role("heading", name="What readers ask")).to_be_visible()


def test_a_key_that_may_not_operate_is_told_what_it_lacks(server: DeskServer, page: Page):
    page.goto(server.desk)
    enter(page, server.reader)
    expect(page.get_by_role("alert")).to_contain_text("it has not the scope operate")
    assert page.evaluate("sessionStorage.length") == 0


def test_an_open_server_asks_for_no_key(sample_home: Path, tmp_path: Path, page: Page):
    with serve(tmp_path, sample_home) as command:
        page.goto(f"{command.url}/desk#sessions")
        expect(page.get_by_role("heading", name="What each reader asked")).to_be_visible()
        expect(page.get_by_role("button", name="Forget the key")).to_be_hidden()


def test_too_many_requests_are_told_with_the_time_to_wait(sample_home: Path, tmp_path: Path, page: Page):
    with desk_server(tmp_path, sample_home, requests_per_minute="2") as server:
        page.goto(server.desk)
        enter(page, server.operator)
        for name in ("Sessions", "Flagged"):
            page.get_by_role("link", name=name).click()
        expect(page.get_by_role("alert")).to_contain_text("Too many requests. Try again in")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_server_that_cannot_be_reached_or_is_ill_is_told_and_tried_again(server: DeskServer, page: Page):
    page.goto(server.desk)
    enter(page, server.operator)
    page.context.set_offline(True)
    page.get_by_role("link", name="Flagged").click()
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    page.context.set_offline(False)
    page.route("**/views/flagged", _ill)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text(
        "The conversation cannot be kept. The database does not answer."
    )
    page.unroute("**/views/flagged")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Where a claim failed its check")).to_be_visible()


def _ill(route: Route) -> None:
    problem = {"title": "The conversation cannot be kept", "detail": "The database does not answer."}
    route.fulfill(status=503, json=problem, content_type="application/problem+json")
