"""What begins on one server goes on on another: sessions, requests that are sent again, streams, and limits."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

import httpx2
import pytest

from support.proof_server import PATIENCE, is_soon
from support.proof_stream import StreamEvent, stream
from support.records_database import execute
from support.replicas_book import QUESTIONS, quotes
from support.replicas_limits import asked_together, left_after
from support.replicas_readers import Reader
from support.replicas_stage import REQUESTS_PER_MINUTE, SERVERS, Dependencies, Replicas, from_elsewhere
from support.writers_server import Call, Line, Server

pytestmark = [pytest.mark.slow, pytest.mark.qdrant]

SAID_BEFORE = 6
"""Events until the model has to go on: what is done, what was found, and the first sentences."""


@pytest.fixture
def model(replicas: Replicas) -> Iterator[Server]:
    """May be told to answer otherwise; whatever it was told, it quotes again afterwards."""
    model = replicas.model
    model.calls.clear()
    yield model
    model.script.next_answers.clear()
    model.will(quotes())


def test_a_session_goes_on_on_any_server(clients: list[httpx2.Client]) -> None:
    reader = Reader()
    for client, question in zip(cycle(clients), QUESTIONS, strict=False):
        reader.ask(client, question)

    assert len({answer["session"]["id"] for answer in reader.heard}) == 1
    for client in clients:
        reader.check_kept(client)


def test_questions_of_one_session_are_answered_one_after_the_other_on_all_servers(
    clients: list[httpx2.Client], model: Server
) -> None:
    reader, writing = Reader(), Writing()
    reader.ask(clients[0], QUESTIONS[0])
    model.script.next_answers.clear()
    model.will(writing.answer)
    body = {"session": reader.session}
    with ThreadPoolExecutor(2 * len(clients)) as threads:
        asked = [
            threads.submit(post, client, {**body, "question": question})
            for client, question in zip(cycle(clients), [*QUESTIONS, QUESTIONS[0]], strict=False)
        ]
        replies = [future.result(PATIENCE) for future in asked]

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.json()["id"] for reply in replies}) == len(replies) == writing.calls
    assert writing.most_at_once == 1


def test_the_same_request_on_three_servers_at_once_is_answered_once(
    clients: list[httpx2.Client], model: Server
) -> None:
    # Readers share a publishable key: the name of a request is theirs by their address.
    name = {"idempotency-key": "the-same-on-every-server", **from_elsewhere()}
    with ThreadPoolExecutor(len(clients)) as threads:
        asked = [threads.submit(post, client, {"question": QUESTIONS[1]}, name) for client in clients]
        replies = [future.result(PATIENCE) for future in asked]

    assert {reply.status_code for reply in replies} == {200}, [reply.text for reply in replies]
    assert len({reply.json()["id"] for reply in replies}) == 1
    assert len({reply.json()["text"] for reply in replies}) == 1
    assert len(model.calls) == 1

    other = post(clients[2], {"question": QUESTIONS[2]}, name)
    assert other.status_code == 422, other.text


def test_a_stream_that_broke_off_on_one_server_goes_on_on_another(
    clients: list[httpx2.Client], model: Server, dependencies: Dependencies
) -> None:
    has_come_back = threading.Event()
    model.script.next_answers.clear()
    model.will(quotes(until=has_come_back))
    body: dict[str, Any] = {"question": QUESTIONS[3]}
    heard = list[StreamEvent]()
    for told in stream(clients[0], body, from_elsewhere()):
        heard.append(told)
        if len(heard) == SAID_BEFORE:
            break
    body["session"] = heard[0].data["session"]
    since = datetime.now(UTC)

    with ThreadPoolExecutor(1) as threads:
        again = threads.submit(lambda: [*stream(clients[1], body, after(heard))])
        assert is_soon(lambda: another_server_waits(dependencies, since))
        has_come_back.set()
        rest = again.result(PATIENCE)
    from_records = [*stream(clients[2], body, after(heard))]

    assert [told.name for told in rest] == ["claim", "claim", "claim", "answer"]
    assert [told.data for told in from_records[:-1]] == [told.data for told in rest[:-1]]
    answer = rest[-1].data
    assert "".join(told.data["text"] for told in [*heard, *rest] if told.name == "claim") == answer["text"]
    assert answer["id"] == from_records[-1].data["id"] == turn_of(heard)
    assert len(model.calls) == 1


def test_a_limit_is_counted_once_for_all_servers(replicas: Replicas, clients: list[httpx2.Client]) -> None:
    replies = asked_together(replicas, clients, REQUESTS_PER_MINUTE + SERVERS)
    served, refused = replies[:REQUESTS_PER_MINUTE], replies[REQUESTS_PER_MINUTE:]
    assert {reply.status_code for reply in served} == {200}
    assert [left_after(reply) for reply in served] == [*reversed(range(REQUESTS_PER_MINUTE))]
    assert {reply.status_code for reply in refused} == {429}


class Writing:
    """A model that counts how many answers it writes at once."""

    def __init__(self) -> None:
        self.calls = self.most_at_once = self._now = 0
        self._lock = threading.Lock()
        self._quotes = quotes(pause=0.02)

    def answer(self, line: Line, call: Call) -> None:
        with self._lock:
            self.calls += 1
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            self._quotes(line, call)
        finally:
            with self._lock:
                self._now -= 1


def post(
    client: httpx2.Client, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> httpx2.Response:
    return client.post("/v1/ask", json=body, headers={**from_elsewhere(), **(headers or {})})


def after(heard: list[StreamEvent]) -> dict[str, str]:
    last = heard[-1].id
    assert last
    return {"last-event-id": last, **from_elsewhere()}


def another_server_waits(dependencies: Dependencies, since: datetime) -> bool:
    """Whether one looks in the records for an answer that is not whole yet."""
    looks = "query LIKE 'SELECT exchanges.id, exchanges.status, sessions.lease_turn%'"
    statement = f"SELECT 1 FROM pg_stat_activity WHERE query_start > $1 AND {looks}"
    return bool(execute(dependencies.postgres.get_uri(), statement, since))


def turn_of(heard: list[StreamEvent]) -> str:
    return str(heard[0].id).partition(":")[0]
