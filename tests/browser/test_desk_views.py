"""The desk in a browser: every view with what readers really did, by mouse, keyboard and on a phone."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.desk_server import FOREIGN, GOOD, HOSTILE_QUESTION, DeskServer, asked_server

TITLES = {
    "overview": "What readers ask",
    "questions": "What was asked, and what became of it",
    "gaps": "What the book does not answer",
    "flagged": "Where a claim failed its check",
    "sections": "What answers rest on",
    "book": "Physical AI: A Working Introduction",
    "sessions": "What each reader asked",
}


@pytest.fixture(scope="module")
def server(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[DeskServer]:
    with asked_server(tmp_path_factory.mktemp("desk"), sample_home) as server:
        yield server


@pytest.fixture
def desk(server: DeskServer, page: Page) -> Page:
    """In which the key is known, as after it was asked for."""
    page.add_init_script(f"sessionStorage.setItem('glossator:desk', {json.dumps(server.operator)})")
    return page


def show(desk: Page, server: DeskServer, view: str) -> None:
    desk.goto(f"{server.desk}/#{view}")
    expect(desk.get_by_role("heading", level=1, name=TITLES[view.partition("?")[0]])).to_be_visible()
    expect(desk.locator("[aria-busy]")).to_have_count(0, timeout=60_000)


def open_all(desk: Page) -> None:
    closed = desk.locator("details:not([open]) > summary")
    while closed.count():
        closed.first.click()
        expect(desk.locator("[aria-busy]")).to_have_count(0)


def test_the_views_show_what_readers_did(server: DeskServer, desk: Page):
    show(desk, server, "overview")
    expect(desk.locator(".lede")).to_contain_text("questions")
    show(desk, server, "gaps")
    expect(desk.get_by_role("heading", name=FOREIGN)).to_be_visible()
    show(desk, server, "flagged")
    expect(desk.get_by_text("The claim that failed").first).to_be_visible()
    show(desk, server, "sections")
    expect(desk.get_by_role("table").get_by_role("row").nth(1)).to_be_visible()
    show(desk, server, "book")
    expect(desk.get_by_role("img", name="Similarity from 0 to 1")).to_be_visible()


def test_what_a_hostile_reader_wrote_is_shown_as_text_and_runs_nothing(server: DeskServer, desk: Page):
    asked = list[str]()
    dialogs = list[str]()
    desk.on("request", lambda request: asked.append(request.url))
    desk.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for view, words in (
        ("gaps?least=1", HOSTILE_QUESTION),
        ("questions", HOSTILE_QUESTION),
        ("flagged", "Ada Lovelace"),
        ("sessions", HOSTILE_QUESTION),
    ):
        show(desk, server, view)
        open_all(desk)
        expect(desk.get_by_text(words).first).to_be_visible()
        assert desk.title().startswith(TITLES[view.partition("?")[0]])
        assert desk.locator("main img, main script, main [onerror], main [style]").count() == 0
    assert dialogs == []
    assert asked
    assert all(address.startswith((f"{server.url}/desk", "data:image/svg+xml")) for address in asked)


def test_even_markup_that_came_through_would_run_nothing(server: DeskServer, desk: Page):
    markup = "<h1>Markup</h1><img src='data:,' onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
    desk.route("**/views/overview", lambda route: route.fulfill(body=markup, content_type="text/html"))
    with desk.expect_console_message(lambda message: "Content Security Policy" in message.text):
        desk.goto(server.desk)
    expect(desk.get_by_role("heading", name="Markup")).to_be_visible()
    assert desk.title() == "Markup · Glossator"


def test_a_session_that_is_gone_already_is_told_where_it_was_to_be_deleted(server: DeskServer, desk: Page):
    session = server.ask(GOOD)
    show(desk, server, f"sessions?id={session}")
    desk.get_by_text("Delete", exact=True).click()
    desk.route("**/desk/sessions?*", lambda route: (route.fetch(), route.continue_()))
    desk.get_by_role("button", name="Delete for good").click()
    expect(desk.get_by_role("alert")).to_contain_text("There is no such session.")


def test_questions_are_searched_by_words_and_outcome(server: DeskServer, desk: Page):
    show(desk, server, "questions")
    desk.get_by_label("Words of a question or an answer").fill("football")
    desk.get_by_label("Outcome").select_option("not in the book")
    desk.get_by_role("button", name="Search").click()
    expect(desk.get_by_role("heading", level=2, name=FOREIGN).first).to_be_visible()
    expect(desk.get_by_role("heading", level=2, name=GOOD)).to_have_count(0)
    desk.get_by_role("link", name="All", exact=True).click()
    expect(desk.get_by_role("heading", level=2, name=GOOD).first).to_be_visible()


def test_a_session_is_found_exported_and_deleted(server: DeskServer, desk: Page):
    session = server.ask(GOOD)
    show(desk, server, "sessions")
    desk.get_by_label("Session id").fill(session)
    desk.get_by_role("button", name="Find").click()
    expect(desk.get_by_role("heading", level=3, name=GOOD)).to_be_visible()
    with desk.expect_download() as started:
        desk.get_by_role("button", name="Export as JSON").click()
    assert started.value.suggested_filename == "session.json"
    kept = json.loads(Path(started.value.path()).read_text("utf-8"))
    assert (kept["session"]["id"], kept["exchanges"][0]["question"]) == (session, GOOD)
    expect(desk.get_by_role("button", name="Delete for good")).to_be_hidden()
    desk.get_by_text("Delete", exact=True).click()
    desk.get_by_role("button", name="Delete for good").click()
    expect(desk.get_by_text("This session was deleted")).to_be_focused()
    desk.get_by_role("button", name="Find").click()
    expect(desk.get_by_text("There is no session of that id.")).to_be_visible()


@pytest.mark.parametrize(("button", "file"), [("CSV", "gaps.csv"), ("Markdown", "gaps.md")])
def test_the_gaps_are_downloaded(server: DeskServer, desk: Page, button: str, file: str):
    show(desk, server, "gaps")
    with desk.expect_download() as started:
        desk.get_by_role("button", name=button).click()
    assert started.value.suggested_filename == file
    assert "football" in Path(started.value.path()).read_text("utf-8")


def test_back_and_forward_go_through_the_views_and_the_period_stays(server: DeskServer, desk: Page):
    show(desk, server, "overview")
    desk.get_by_role("link", name="90 days").click()
    expect(desk.locator(".lede")).to_contain_text("In the last 90 days")
    desk.get_by_role("link", name="Gaps").click()
    expect(desk.get_by_role("link", name="90 days")).to_have_attribute("aria-current", "true")
    desk.go_back()
    expect(desk.locator(".lede")).to_contain_text("In the last 90 days")
    desk.go_back()
    expect(desk.locator(".lede")).to_contain_text("In the last 30 days")
    desk.go_forward()
    desk.go_forward()
    expect(desk.get_by_role("heading", level=1)).to_have_text(TITLES["gaps"])


def test_a_low_number_of_sessions_shows_single_readers_with_a_warning(server: DeskServer, desk: Page):
    show(desk, server, "gaps")
    expect(desk.get_by_text("single readers’ questions")).to_be_hidden()
    desk.get_by_role("navigation", name="Least sessions of a gap").get_by_role(
        "link", name="1 session", exact=True
    ).click()
    expect(desk.get_by_text("single readers’ questions")).to_be_visible()


def test_the_keyboard_is_enough_and_is_led_to_what_was_chosen(server: DeskServer, desk: Page):
    show(desk, server, "overview")
    desk.get_by_role("link", name="Flagged").focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", level=1, name=TITLES["flagged"])).to_be_focused()
    desk.get_by_role("link", name="Overview").focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", level=1, name=TITLES["overview"])).to_be_focused()
    desk.get_by_role("link", name="7 days").focus()
    desk.keyboard.press("Enter")
    expect(desk.locator(".lede")).to_contain_text("In the last 7 days")
    expect(desk.get_by_role("link", name="7 days")).to_be_focused()
    desk.get_by_role("link", name="To the page").focus()
    desk.keyboard.press("Enter")
    expect(desk.locator("main")).to_be_focused()
    expect(desk.get_by_role("heading", level=1)).to_have_text(TITLES["overview"])


@pytest.mark.parametrize("view", TITLES)
def test_on_a_phone_nothing_goes_out_at_the_side(server: DeskServer, desk: Page, view: str):
    widest, narrowest = 375, 320
    desk.set_viewport_size({"width": widest, "height": 700})
    show(desk, server, f"{view}?least=1" if view == "gaps" else view)
    open_all(desk)
    for width in (widest, narrowest):
        desk.set_viewport_size({"width": width, "height": 700})
        assert desk.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("view", TITLES)
def test_nobody_is_shut_out_by_day_or_night(
    server: DeskServer, desk: Page, axe: Callable[[Page], list[str]], view: str
):
    desk.emulate_media(color_scheme="light")
    show(desk, server, f"{view}?least=1" if view == "gaps" else view)
    open_all(desk)
    assert axe(desk) == []
    desk.emulate_media(color_scheme="dark")
    assert axe(desk) == []


def test_nobody_is_shut_out_at_the_gate(server: DeskServer, page: Page, axe: Callable[[Page], list[str]]):
    page.goto(server.desk)
    expect(page.get_by_label("Operator key")).to_be_visible()
    assert axe(page) == []
