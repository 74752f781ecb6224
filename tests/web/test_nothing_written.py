"""Where nothing is to be remembered, nothing of what a reader sent is found anywhere afterwards."""

from __future__ import annotations

import io
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from glossator.model import Embedding
from glossator.ports import Embedder
from glossator.settings import Settings
from support.observe_app import logging_to
from support.proof_search import files_with
from support.web_app import events_of, serving

RARE = "qzxv"
"""Stands in every word that a reader sends here, and in no other in the world."""
SELECTION = f"A {RARE}wheel is a robot's foot that turns. Nobody has seen a {RARE}tail."
PUBLIC = {"question": f"What is a topic, and who is {RARE}one?", "remember": False, "user": f"{RARE}user"}
EVENTS = {"accept": "text/event-stream", "idempotency-key": f"{RARE}key"}


@dataclass
class WatchedServer:
    """A server, and everything it could write to."""

    client: TestClient
    folders: list[Path]
    log: io.StringIO
    begun: float = field(default_factory=time.time)

    def found(self) -> list[Path]:
        return files_with([RARE], self.folders, since=self.begun - 1)

    def told(self) -> str:
        return self.log.getvalue().lower() + self.client.get("/metrics").text.lower()


@contextmanager
def opened(home: Path, embedder: Embedder, folder: Path, **settings: Any) -> Iterator[WatchedServer]:
    log, caches = io.StringIO(), [Settings().cache, Path(tempfile.gettempdir()) / "glossator"]
    with logging_to(log), serving(home, embedder, folder / "records.sqlite", **settings) as client:
        yield WatchedServer(client, [home, folder, Path.cwd() / ".glossator", *caches], log)


@pytest.fixture
def place(home: Path, embedder: Embedder, tmp_path: Path) -> Iterator[WatchedServer]:
    with opened(home, embedder, tmp_path) as opened_place:
        yield opened_place


def check(place: WatchedServer, capfd: pytest.CaptureFixture[str]) -> None:
    assert place.found() == []
    assert RARE not in place.told()
    assert RARE not in "".join(capfd.readouterr()).lower()
    assert '"event": "request"' in place.log.getvalue()


def ask(place: WatchedServer, **more: Any) -> dict[str, Any]:
    reply = place.client.post("/v1/ask", json={**PUBLIC, **more})
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_an_answer_that_is_not_remembered_leaves_no_word(
    place: WatchedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    selection = {"text": SELECTION, "only": True, "page_url": f"https://book.example/{RARE}"}
    told = ask(place, question=f"What is a {RARE}wheel?", selection=selection)

    assert told["outcome"].startswith("answered")
    assert RARE in told["text"]
    check(place, capfd)


def test_neither_do_its_events(place: WatchedServer, capfd: pytest.CaptureFixture[str]) -> None:
    body = {**PUBLIC, "question": f"What is a {RARE}wheel?", "selection": {"text": SELECTION, "only": True}}
    for _ in range(2):
        last = events_of(place.client.post("/v1/ask", json=body, headers=EVENTS))[-1]
        assert last[0] == "answer"
        assert RARE in last[1]["text"]
    check(place, capfd)


def test_neither_does_a_refusal(place: WatchedServer, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(place, question=f"Who was the first {RARE}king of France?")["outcome"] == "not_in_book"
    assert ask(place, question=f"{RARE}word")["outcome"] == "needs_more_words"
    selected = {"text": SELECTION, "only": True}
    assert ask(place, question="Which battery lasts?", selection=selected)["outcome"] == "not_in_selection"
    check(place, capfd)


def test_neither_does_a_question_in_a_session_that_is_remembered(
    place: WatchedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    session = place.client.post("/v1/ask", json={"question": "What is a topic?"}).json()["session"]
    ask(place, session=session, user=None)
    follow_up = {"question": f"Can you give an example of it, {RARE}?", "remember": False, "session": session}
    assert place.client.post("/v1/ask", json=follow_up).status_code == 200

    kept = place.client.get(f"/v1/sessions/{session['id']}").json()["exchanges"]
    assert [exchange["question"] for exchange in kept] == ["What is a topic?"]
    check(place, capfd)


def test_neither_does_what_cannot_be_taken(place: WatchedServer, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = [
        {**PUBLIC, "question": RARE * 1000},
        {**PUBLIC, "question": f"{RARE}\x00"},
        {**PUBLIC, "question": f"{RARE}\ud800"},
        {**PUBLIC, "question": [RARE]},
        {**PUBLIC, "selection": {"text": RARE * 5000}},
        {**PUBLIC, "filters": {f"{RARE}filter": RARE}},
        {**PUBLIC, "user": RARE * 100},
        {**PUBLIC, "top_k": RARE},
    ]
    headers = {"content-type": "application/json", "idempotency-key": f"{RARE}key"}
    for content in [*map(json.dumps, wrong), f'{{"question": "{RARE}', RARE]:
        reply = place.client.post("/v1/ask", content=content, headers=headers)
        assert reply.status_code == 400, content
        assert RARE not in reply.text.lower()
    check(place, capfd)


def test_neither_does_looking_around(place: WatchedServer, capfd: pytest.CaptureFixture[str]) -> None:
    for path in (
        f"/v1/search?q={RARE}one&chapter={RARE}two",
        f"/v1/search?q={RARE * 1000}",
        f"/v1/sections/{RARE}.md%230",
        f"/v1/sessions/{RARE}session?user={RARE}user",
        f"/contracts/course/history?session_id={RARE}&user_id={RARE}",
        f"/{RARE}?{RARE}={RARE}",
    ):
        headers = {"user-agent": RARE, "referer": f"https://book.example/{RARE}", "cookie": f"{RARE}={RARE}"}
        assert place.client.get(path, headers=headers).status_code in (200, 400, 404)
    check(place, capfd)


FORGETFUL = [
    ("/contracts/pipeline/query", {"question": f"Who is {RARE}one?", "session_id": "reader-7"}),
    ("/contracts/pipeline/query", {"question": f"What is a topic, {RARE}?"}),
    ("/contracts/pipeline/query", {"question": f"{RARE}\x00"}),
    ("/contracts/pipeline/query", {"question": RARE * 9000}),
    ("/contracts/pipeline/query", {"question": {RARE: RARE}}),
    ("/contracts/citations/chat", {"query": f"Who is {RARE}one?"}),
    ("/contracts/citations/chat/stream", {"query": f"Who is {RARE}one?"}),
    (
        "/contracts/citations/chat",
        {"query": f"What is a {RARE}wheel?", "mode": "selected_text", "selected_text": SELECTION},
    ),
]


def test_neither_do_the_contracts_that_never_remember(
    place: WatchedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for number, (path, body) in enumerate(FORGETFUL):
        for headers in ({}, {"idempotency-key": f"{RARE}key{number}", "x-glossator-trace": "1"}):
            assert place.client.post(path, json=body, headers=headers).status_code in (200, 400)
    check(place, capfd)


class Broken:
    """An embedder with a mistake in it, of the kind that nobody has thought of."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        if RARE in text:
            raise LookupError(f"no idea what {text!r} could mean") from ValueError(text)
        return self._embedder.embed_query(text, states=states)


def test_neither_does_an_error_that_nobody_expected(
    home: Path, embedder: Embedder, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with opened(home, cast("Embedder", Broken(embedder)), tmp_path) as place:
        whole = place.client.post("/v1/ask", json=PUBLIC)
        streamed = place.client.post("/v1/ask", json=PUBLIC, headers=EVENTS)
        search = place.client.get(f"/v1/search?q={RARE}one")
        others = [place.client.post(path, json=body) for path, body in FORGETFUL]

        assert (whole.status_code, whole.json()["code"]) == (500, "internal")
        assert (events_of(streamed)[-1][0], events_of(streamed)[-1][1]["code"]) == ("error", "internal")
        assert search.status_code == 500
        assert {500, 400} <= {reply.status_code for reply in others}
        assert all(RARE not in reply.text.lower() for reply in (whole, streamed, search, *others))
        assert "LookupError" in place.log.getvalue()
        check(place, capfd)


@pytest.mark.parametrize("way", ["reset", "delete", "erase"])
def test_what_is_deleted_is_gone_from_the_disk_as_well(place: WatchedServer, way: str) -> None:
    told = ask(place, remember=True, user="ada", selection={"text": SELECTION})
    path, query = f"/v1/sessions/{told['session']['id']}", {"user": "ada"}
    assert place.found()

    match way:
        case "reset":
            done = place.client.post(f"{path}/reset", params=query)
        case "delete":
            done = place.client.delete(path, params=query)
        case _:
            done = place.client.delete("/v1/users/ada")

    assert done.is_success
    assert place.found() == []


def test_what_is_remembered_would_have_been_found(place: WatchedServer) -> None:
    ask(place, remember=True)

    assert place.found()


def test_what_an_operator_wants_to_have_in_the_log_would_have_been_found(
    home: Path, embedder: Embedder, tmp_path: Path
) -> None:
    log, records = io.StringIO(), tmp_path / "records.sqlite"
    with (
        logging_to(log, log_questions=True),
        serving(home, cast("Embedder", Broken(embedder)), records, log_questions=True) as client,
    ):
        client.post("/v1/ask", json=PUBLIC)

    assert RARE in log.getvalue()
