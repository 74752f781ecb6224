"""The author's desk over HTTP: an open shell, views behind the guard, nothing that a browser could misuse."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from glossator.model import KeyKind, Scope
from support.recorded_examples import add_key
from support.writers_server import model_server, says

VIEWS = ("overview", "questions", "gaps", "flagged", "sections", "book", "fit", "sessions")
HOSTILE = (
    "<img src=x onerror=alert(1)> </script><script>alert(2)</script> \"quoted\" 'single' {{ 7 * 7 }} تجربة"
)
FOREIGN = "Who won the football world cup in 1998?"
SHELL = ("/desk/", "/desk/desk.css", "/desk/desk.js")

MakeClient = Callable[..., TestClient]


class Words(HTMLParser):
    """The text of a page, and the tags and attributes it is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said = list[str]()
        self.tags = set[str]()
        self.attributes = set[str]()
        self.feed(page)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.said).split())

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def ask(client: TestClient, question: str, **more: Any) -> dict[str, Any]:
    reply = client.post("/v1/ask", json={"question": question, **more})
    assert reply.status_code == 200, reply.text
    return reply.json()


def seen(client: TestClient, view: str, **query: object) -> Words:
    reply = client.get(f"/desk/views/{view}?{urlencode(query)}")
    assert reply.status_code == 200, reply.text
    return Words(reply.text)


def named(told: dict[str, Any]) -> str:
    return urlencode({"id": told["session"]["id"], "key": "open"})


def test_the_address_without_a_slash_leads_to_the_desk_also_behind_a_proxys_prefix(client: TestClient):
    reply = client.get("/desk", follow_redirects=False)
    assert reply.status_code == 307
    assert reply.headers["location"] == "desk/"


@pytest.mark.parametrize("path", SHELL)
def test_everybody_may_have_the_shell_and_it_is_the_same_whatever_the_book(
    make_client: MakeClient, client: TestClient, tmp_path: Path, path: str
):
    add_key(tmp_path / "records.sqlite")
    without_book = make_client(home=tmp_path / "empty").get(path)
    assert without_book.status_code == 200
    assert without_book.text == client.get(path).text
    assert "ratelimit-limit" not in without_book.headers


def test_the_files_of_the_shell_are_named_by_what_is_in_them_and_may_be_kept(client: TestClient):
    page = client.get("/desk/").text
    for file in re.findall(r'(?:href|src)="(desk\.\w+\?v=[0-9a-f]{12})"', page):
        assert "immutable" in client.get(f"/desk/{file}").headers["cache-control"]
    assert len(re.findall(r"desk\.\w+\?v=", page)) == 2


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_for_a_key_that_may_operate(make_client: MakeClient, tmp_path: Path, view: str):
    records = tmp_path / "records.sqlite"
    asking = add_key(records, scopes=[Scope.ASK, Scope.READ])
    operating = add_key(records, scopes=[Scope.OPERATE])
    public = add_key(records, KeyKind.PUBLISHABLE, origins=["https://book.example"])
    client = make_client()
    statuses = [
        client.get(
            f"/desk/views/{view}", headers={"Authorization": f"Bearer {key}", "Origin": origin}
        ).status_code
        for key, origin in (
            (asking, "http://127.0.0.1:8000"),
            (public, "https://book.example"),
            ("sk_nobody", "http://127.0.0.1:8000"),
            (operating, "http://127.0.0.1:8000"),
        )
    ]
    assert statuses == [403, 403, 401, 200]
    assert client.get(f"/desk/views/{view}").status_code == 401


@pytest.mark.parametrize(
    "path", ["/desk/files/gaps.csv", "/desk/files/gaps.md", "/desk/files/session.json?id=1&key=2"]
)
def test_files_and_deleting_are_for_a_key_that_may_operate(
    make_client: MakeClient, tmp_path: Path, path: str
):
    key = add_key(tmp_path / "records.sqlite", scopes=[Scope.ASK, Scope.READ])
    client = make_client()
    assert client.get(path, headers={"Authorization": f"Bearer {key}"}).status_code == 403
    gone = client.delete("/desk/sessions?id=1&key=2", headers={"Authorization": f"Bearer {key}"})
    assert gone.status_code == 403


@pytest.mark.parametrize(
    "path",
    [*SHELL, "/desk/views/overview", "/desk/views/overview?days=no", "/desk/views/nothing", "/desk/docs"],
)
def test_whatever_it_answers_nothing_is_loaded_from_elsewhere_framed_or_guessed(
    make_client: MakeClient, tmp_path: Path, path: str
):
    operating = add_key(tmp_path / "records.sqlite", scopes=[Scope.OPERATE])
    client = make_client()
    for headers in ({}, {"Authorization": f"Bearer {operating}"}):
        told = client.get(path, headers=headers).headers
        policy = told["content-security-policy"]
        assert policy.startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        )
        assert policy.endswith("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
        assert "unsafe" not in policy
        assert told["x-content-type-options"] == "nosniff"
        assert told["referrer-policy"] == "no-referrer"
        assert "no-store" in told["cache-control"] or path.endswith((".css", ".js"))


def test_refusals_are_problems_and_do_not_repeat_what_was_sent(client: TestClient):
    reply = client.get("/desk/views/overview?days=zyxomorphic")
    assert reply.status_code == 400
    assert reply.json()["code"] == "invalid"
    assert "zyxomorphic" not in reply.text
    assert client.get("/desk/views/nothing").json()["code"] == "not_found"


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_says_what_will_be_there_before_anybody_asked(make_client: MakeClient, view: str):
    page = seen(make_client(), view)
    assert len(page.text) > 100


def test_every_view_shows_what_readers_really_did(make_client: MakeClient):
    client = make_client()
    told = ask(client, "What is a topic?")
    for _ in range(3):
        ask(client, FOREIGN)
    client.post("/v1/feedback", json={"exchange_id": told["id"], "helpful": False, "reason": "too short"})
    overview = seen(client, "overview").text
    assert "readers asked 4 questions in 4 sessions" in overview
    assert "Of 4 about the book, 25 % were answered, 0 % only with caution, and 75 % not at all." in overview
    assert "Readers judged 1 of 4 answers" in overview
    assert "So few judgements make no percentage." in overview
    gaps = seen(client, "gaps").text
    assert FOREIGN in gaps
    assert "3 questions 3 sessions" in gaps
    assert "Topics" in seen(client, "sections").text
    book = seen(client, "book").text
    assert "Generation 1: 3 pages" in book
    assert "all-MiniLM-L6-v2" in book
    assert "calibration error" in seen(client, "fit").text
    assert "What is a topic?" in seen(client, "sessions").text
    session = seen(client, "session", id=told["session"]["id"], key="open").text
    assert "What is a topic?" in session
    assert "A topic is a named stream of messages." in session
    assert "not helpful: too short" in session


def test_a_flagged_answer_shows_its_claim_beside_what_the_book_says(make_client: MakeClient):
    with model_server() as model:
        model.will(
            says(
                "A topic is a named stream of messages [1]. ",
                "Every topic was invented by Ada Lovelace in 1843 [1].",
            )
        )
        client = make_client(model="m", model_base_url=model.url, model_api_key="k", model_tools=False)
        ask(client, "What is a topic?")
    page = seen(client, "flagged").text
    assert "Every topic was invented by Ada Lovelace in 1843" in page
    assert "Nearest in the book" in page
    assert re.search(r"similarity \d\.\d\d", page)


def test_what_readers_write_is_text_and_never_markup(make_client: MakeClient):
    client = make_client()
    told = ask(client, HOSTILE)
    for view, query in (("gaps", {"least": 1}), ("session", {"id": told["session"]["id"], "key": "open"})):
        page = seen(client, view, **query)
        assert HOSTILE in page.text
        assert not page.tags & {"script", "img", "style", "iframe", "object"}
        assert not any(name.startswith("on") or name == "style" for name in page.attributes)


def test_a_search_for_anything_shows_it_as_text(client: TestClient):
    reply = client.get(f"/desk/views/sessions?{urlencode({'id': HOSTILE})}")
    assert "There is no session of that id" in reply.text
    assert "<img" not in reply.text
    assert "<script" not in reply.text


def test_the_stream_of_questions_is_searched_and_leads_to_sessions(make_client: MakeClient):
    client = make_client()
    answered = ask(client, "What is a topic?")
    ask(client, FOREIGN)
    client.post("/v1/feedback", json={"exchange_id": answered["id"], "helpful": False, "reason": "Too short"})

    both = seen(client, "questions").text
    assert both.index(FOREIGN) < both.index("What is a topic?")
    assert "not helpful: Too short" in both
    assert "carried by the book" in both
    assert FOREIGN not in seen(client, "questions", words="a TOPIC").text
    assert "What is a topic?" not in seen(client, "questions", outcome="not_in_book").text
    assert "No stored question" in seen(client, "questions", words="zeppelin").text
    assert client.get("/desk/views/questions?outcome=nothing").status_code == 400
    assert "What is a topic?" in seen(client, "sessions").text


def test_the_report_of_a_month_has_figures_gaps_and_sections(make_client: MakeClient):
    client = make_client()
    ask(client, "What is a topic?")
    for _ in range(3):
        ask(client, FOREIGN)

    reply = client.get("/desk/files/report.md?days=30")
    assert reply.headers["content-type"].startswith("text/markdown")
    assert "| Questions | 4 |" in reply.text
    assert "| Not in the book | 3 | 75% |" in reply.text
    assert "whether they helped is not known" in reply.text
    assert FOREIGN in reply.text
    assert "1 asked since" in reply.text


def test_a_question_that_is_not_remembered_is_never_seen(make_client: MakeClient):
    client = make_client()
    ask(client, FOREIGN, remember=False)
    ask(client, "What is a topic?")
    for view in VIEWS:
        assert "football" not in seen(client, view, **({"least": 1} if view == "gaps" else {})).text
    assert "asked 1 question in 1 session" in seen(client, "overview").text


def test_gaps_of_few_readers_are_held_back_unless_the_operator_says_otherwise(make_client: MakeClient):
    client = make_client()
    ask(client, FOREIGN)
    held_back = seen(client, "gaps").text
    assert FOREIGN not in held_back
    assert "1 is held back" in held_back
    shown = seen(client, "gaps", least=1).text
    assert FOREIGN in shown
    assert "single readers’ questions show in their own words" in shown


def test_the_gaps_are_taken_away_as_a_sheet_and_as_a_page(make_client: MakeClient):
    client = make_client()
    ask(client, '=HYPERLINK("https://evil.example","football world cup in 1998")')
    sheet = client.get("/desk/files/gaps.csv?least=1")
    assert sheet.headers["content-disposition"] == 'attachment; filename="gaps.csv"'
    rows = list(csv.reader(io.StringIO(sheet.text)))
    assert len(rows) == 2
    assert rows[1][0].startswith("'=HYPERLINK")
    page = client.get("/desk/files/gaps.md?least=1")
    assert page.headers["content-disposition"] == 'attachment; filename="gaps.md"'
    assert "HYPERLINK" in page.text


def test_a_session_is_exported_whole_and_deleted_for_good(make_client: MakeClient):
    client = make_client()
    told = ask(client, "What is a topic?")
    file = client.get(f"/desk/files/session.json?{named(told)}")
    assert file.headers["content-disposition"] == 'attachment; filename="session.json"'
    assert file.json()["exchanges"][0]["answer"]["text"] == told["text"]
    assert client.delete(f"/desk/sessions?{named(told)}").status_code == 204
    assert client.delete(f"/desk/sessions?{named(told)}").status_code == 404
    assert client.get(f"/desk/views/session?{named(told)}").status_code == 404
    assert "Nobody has asked yet" in seen(client, "sessions").text


def test_of_two_sessions_with_one_id_the_one_that_is_meant_is_deleted(make_client: MakeClient):
    client = make_client()
    for user, message in (("amina", "What is a topic?"), ("bilal", "What is a node?")):
        sent = {"user_id": user, "message": message, "session_id": "mine"}
        assert client.post("/contracts/course/chat", json=sent).status_code == 200
    assert "Several owners chose this id" in seen(client, "sessions", id="mine").text
    assert client.delete("/desk/sessions?id=mine&key=open&user=amina").status_code == 204
    assert "What is a node?" in seen(client, "session", id="mine", key="open", user="bilal").text


def test_without_a_book_the_desk_says_so_and_shows_what_is_well(make_client: MakeClient, tmp_path: Path):
    client = make_client(home=tmp_path / "empty")
    page = seen(client, "book").text
    assert "run `glossator ingest PATH`" in page
    assert "The records up" in page
    assert client.get("/desk/views/sections").json()["code"] == "no_book"
