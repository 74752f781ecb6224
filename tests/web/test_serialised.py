"""Questions of one session come one after the other, however many come at once and wherever they come in."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from glossator.errors import EmbedderUnavailable
from glossator.ports import Embedder
from support.proof_asking import KEPT, Way, numbered, numbers_in
from support.proof_model import SENTENCES, dictates
from support.proof_server import Server, begun, is_soon
from support.proof_stream import stream
from support.web_app import serving
from support.writers_server import Call, Line, keeps_talking, model_server
from support.writers_server import Server as ModelServer

MANY = 8


@dataclass
class Writer:
    """A language model that notices when it is asked for two answers of one session at once."""

    calls: list[Call] = field(default_factory=list[Call])
    at_once: int = 0
    most_at_once: int = 0
    may_end: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, line: Line, call: Call) -> None:
        with self._lock:
            self.calls.append(call)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            self.may_end.wait(60)
            dictates(*SENTENCES, pause=0.005)(line, call)
        finally:
            with self._lock:
                self.at_once -= 1


@dataclass
class Pair:
    """Two servers, in processes of their own, on one database."""

    servers: list[Server]
    writing: Writer

    def client(self, number: int) -> httpx2.Client:
        return self.servers[number % 2].client()


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture(scope="module")
def servers(
    home: Path, model: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Server]]:
    folder = tmp_path_factory.mktemp("pair")
    with ExitStack() as stack:
        settings = {
            "database_url": f"sqlite:///{folder / 'records.sqlite'}",
            "model": "scripted",
            "model_base_url": model.url,
            "model_api_key": "sk-none",
        }
        starting = [stack.enter_context(begun(home, folder / name, **settings)) for name in ("one", "two")]
        yield [server() for server in starting]


@pytest.fixture
def pair(servers: list[Server], model: ModelServer) -> Iterator[Pair]:
    writing = Writer()
    writing.may_end.set()
    model.script.next_answers.clear()
    model.will(writing)
    yield Pair(servers, writing)
    writing.may_end.set()


def test_eight_questions_to_two_servers_come_one_after_the_other(pair: Pair) -> None:
    with pair.client(0) as client:
        session = client.post("/v1/sessions", json={}).json()["id"]

        answers = _at_once(lambda number: _ask(pair, session, number))

        kept = client.get(f"/v1/sessions/{session}/export").json()["exchanges"]
    assert sorted(exchange["id"] for exchange in kept) == sorted(answer["id"] for answer in answers)
    assert [exchange["answered_at"] for exchange in kept] == sorted(
        exchange["answered_at"] for exchange in kept
    )
    assert pair.writing.most_at_once == 1
    in_order = [number for exchange in kept for number in numbers_in(exchange["question"])]
    assert [_seen(call)[-1] for call in pair.writing.calls] == in_order
    # The conversation so far, of which the last five are shown, and nothing of those who wait.
    assert [_seen(call) for call in pair.writing.calls] == [
        in_order[max(0, place - 5) : place + 1] for place in range(MANY)
    ]


def test_of_two_sessions_neither_waits_for_the_other(pair: Pair) -> None:
    pair.writing.may_end.clear()
    with pair.client(0) as client:
        sessions = [client.post("/v1/sessions", json={}).json()["id"] for _ in "12"]
        with ThreadPoolExecutor(2) as threads:
            asked = [threads.submit(_ask, pair, session, 0) for session in sessions]
            assert is_soon(lambda: pair.writing.at_once == 2)
            pair.writing.may_end.set()
            assert len({answer.result(60)["session"]["id"] for answer in asked}) == 2


@pytest.mark.parametrize("way", KEPT, ids=lambda way: way.name)
def test_eight_times_the_same_request_to_two_servers_is_asked_once(pair: Pair, way: Way) -> None:
    body, headers = way.asks(), {**way.headers, "idempotency-key": str(uuid.uuid4())}

    def send(number: int) -> Any:
        with pair.client(number) as client:
            reply = client.post(way.path, json=body, headers=headers)
        assert reply.status_code == 200, reply.text
        return way.told(reply)

    told = _at_once(send)
    assert all(answer == told[0] for answer in told)
    assert len(pair.writing.calls) <= 1


def test_more_than_a_session_takes_are_told_to_come_back_and_the_others_are_all_kept(pair: Pair) -> None:
    with pair.client(0) as client:
        session = client.post("/v1/sessions", json={}).json()["id"]
        body = {"question": "What is a topic?", "session": {"id": session}}
        pair.writing.may_end.clear()
        with ThreadPoolExecutor(2 * MANY) as threads:
            asking = [threads.submit(client.post, "/v1/ask", json=body) for _ in range(2 * MANY)]
            assert is_soon(lambda: any(future.done() for future in asking))
            pair.writing.may_end.set()
            replies = [future.result(60) for future in asking]
        kept = client.get(f"/v1/sessions/{session}/export").json()["exchanges"]

    taken = [reply.json()["id"] for reply in replies if reply.status_code == 200]
    refused = [reply for reply in replies if reply.status_code != 200]
    assert sorted(taken) == sorted(exchange["id"] for exchange in kept)
    assert refused
    assert {(reply.status_code, reply.json()["code"]) for reply in refused} == {(503, "session_busy")}
    assert all(reply.json()["retryable"] and int(reply.headers["retry-after"]) > 0 for reply in refused)


@pytest.mark.parametrize("method", ["reset", "delete"])
def test_what_is_being_answered_when_its_session_is_emptied_is_not_kept(pair: Pair, method: str) -> None:
    pair.writing.may_end.clear()
    with pair.client(0) as client, pair.client(1) as other, ThreadPoolExecutor(1) as threads:
        session = client.post("/v1/sessions", json={}).json()["id"]
        asked = threads.submit(_heard, client, {"question": "What is a topic?", "session": {"id": session}})
        assert is_soon(lambda: pair.writing.calls)
        path = f"/v1/sessions/{session}"
        done = other.post(f"{path}/reset") if method == "reset" else other.delete(path)
        pair.writing.may_end.set()
        last = asked.result(60)[-1]
        after = client.get(path)

    assert done.is_success
    assert (last.name, last.data["code"], last.data["retryable"]) == ("error", "session_busy", True)
    assert after.status_code == 404 if method == "delete" else after.json()["exchanges"] == []


def test_whoever_hangs_up_on_a_real_line_ends_the_models_work_and_frees_the_session(
    pair: Pair, model: ModelServer
) -> None:
    model.script.was_hung_up.clear()
    model.script.next_answers.clear()
    model.will(keeps_talking(*SENTENCES[:3]))
    with pair.client(0) as client, pair.client(1) as other:
        session = client.post("/v1/sessions", json={}).json()["id"]
        body = {"question": "What is a topic?", "session": {"id": session}}
        with closing(stream(client, body)) as events:
            assert next(told for told in events if told.name == "claim")
        assert model.script.was_hung_up.wait(60)
        model.script.next_answers.clear()
        model.will(pair.writing)
        again = _heard(other, body)
        kept = other.get(f"/v1/sessions/{session}").json()["exchanges"]

    assert [exchange["id"] for exchange in kept] == [again[-1].data["id"]]


class Forgetful:
    """An embedder that cannot count the words of a conversation while it is told not to."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.is_down = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def count_tokens(self, texts: Sequence[str]) -> Sequence[int]:
        if self.is_down:
            raise EmbedderUnavailable
        return self._embedder.count_tokens(texts)


def test_a_turn_that_fails_at_once_gives_its_session_back_at_once(
    home: Path, embedder: Embedder, tmp_path: Path
) -> None:
    forgetful, records = Forgetful(embedder), tmp_path / "records.sqlite"
    # Whoever had to wait for a lease to run out would not be answered in this time.
    with serving(home, cast("Embedder", forgetful), records, answer_seconds=5) as client:
        session = client.post("/v1/ask", json={"question": numbered(1)}).json()["session"]
        forgetful.is_down = True
        failed = client.post("/v1/ask", json={"question": numbered(2), "session": session})
        forgetful.is_down = False
        again = client.post("/v1/ask", json={"question": numbered(3), "session": session})
        kept = client.get(f"/v1/sessions/{session['id']}").json()["exchanges"]

    assert (failed.status_code, failed.json()["code"]) == (503, "embedder_unavailable")
    assert again.status_code == 200, again.text
    assert [exchange["question"] for exchange in kept] == [numbered(1), numbered(3)]


def _heard(client: httpx2.Client, body: dict[str, Any]) -> list[Any]:
    return list(stream(client, body))


def _at_once(send: Any) -> list[Any]:
    with ThreadPoolExecutor(MANY) as threads:
        return [future.result(60) for future in [threads.submit(send, number) for number in range(MANY)]]


def _ask(pair: Pair, session: str, number: int) -> dict[str, Any]:
    body = {"question": numbered(number + 1), "session": {"id": session}}
    with pair.client(number) as client:
        return _heard(client, body)[-1].data


def _seen(call: Call) -> list[int]:
    """The questions that a call shows to the model, the one it is about last."""
    return [number for message in call.messages for number in numbers_in(str(message["content"]))]
