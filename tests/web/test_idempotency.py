"""The same Idempotency-Key is the same exchange, once: sent again, sent eight times at once, sent to two servers."""

from __future__ import annotations

import asyncio
import gc
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.types import ASGIApp

from glossator.model import KeyKind
from glossator.ports import Embedder
from glossator.sessions.running import RunningTurn
from support.proof_asking import KEPT, WAYS, Way
from support.proof_keys import add_keys
from support.proof_line import opened
from support.proof_model import SENTENCES
from support.records_database import execute, postgres_server, postgres_template, postgres_url
from support.web_app import events_of
from support.writers_server import Call, Line, Server, model_server, says, status

__all__ = ["postgres_server", "postgres_template", "postgres_url"]

Body = dict[str, Any]
Story = Callable[..., Coroutine[Any, Any, None]]
_ANSWERS = re.compile(r"^glossator_answers_total\{.*\} (\S+)$", re.MULTILINE)


on_both_databases = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a new SQLite file, unless a test wants it on both."""
    is_postgres = getattr(request, "param", "sqlite") == "postgresql"
    return request.getfixturevalue("postgres_url") if is_postgres else f"sqlite:///{tmp_path / 'records'}"


@pytest.fixture
def play(home: Path, embedder: Embedder, url: str) -> Callable[..., None]:
    """Tells a story with so many servers on one database."""

    def run(story: Story, servers: int = 1, **settings: Any) -> None:
        async def told() -> None:
            async with _clients(servers, embedder, home=home, database_url=url, **settings) as clients:
                await story(*clients)

        asyncio.run(told())

    return run


@asynccontextmanager
async def _clients(many: int, embedder: Embedder, **settings: Any) -> AsyncIterator[list[httpx2.AsyncClient]]:
    if not many:
        yield []
        return
    async with (
        opened(embedder, **settings) as app,
        _client(app) as client,
        _clients(many - 1, embedder, **settings) as others,
    ):
        yield [client, *others]


def _client(app: ASGIApp) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:8000", timeout=60
    )


async def _post(
    client: httpx2.AsyncClient, way: Way, body: Body, key: str, **headers: str
) -> httpx2.Response:
    return await client.post(way.path, json=body, headers={**way.headers, "idempotency-key": key, **headers})


def _named(way: Way) -> str:
    return way.name.replace(" ", "-")


async def _answers(*clients: httpx2.AsyncClient) -> float:
    """That were made, and not told again."""
    told = [(await client.get("/metrics")).text for client in clients]
    return sum(float(count) for metrics in told for count in _ANSWERS.findall(metrics))


def test_sent_again_it_is_the_same_answer_and_asked_once(play: Callable[..., None]) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        for number, way in enumerate(WAYS, 1):
            body = way.asks()
            first, again = [await _post(client, way, body, _named(way)) for _ in "12"]
            assert first.status_code == again.status_code == 200, way.name
            assert way.told(first) == way.told(again), way.name
            assert await _answers(client) == number, way.name

    play(story)


@on_both_databases
def test_sent_eight_times_at_once_it_is_asked_once(play: Callable[..., None]) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        for number, way in enumerate(WAYS, 1):
            body = way.asks()
            replies = await asyncio.gather(*(_post(client, way, body, _named(way)) for _ in range(8)))
            assert {reply.status_code for reply in replies} == {200}, way.name
            assert _are_alike(way, replies), way.name
            assert await _answers(client) == number, way.name

    play(story)


@on_both_databases
def test_sent_to_two_servers_at_once_it_is_asked_by_one_of_them(play: Callable[..., None], url: str) -> None:
    async def story(one: httpx2.AsyncClient, other: httpx2.AsyncClient) -> None:
        for way in KEPT:
            body = way.asks()
            replies = await asyncio.gather(*(_post(to, way, body, _named(way)) for to in [one, other] * 4))
            assert {reply.status_code for reply in replies} == {200}, [reply.text for reply in replies]
            assert _are_alike(way, replies), way.name
        assert await _answers(one, other) == len(KEPT)

    play(story, servers=2)
    assert _how_many(url) == len(KEPT)


def test_what_was_asked_whole_is_told_again_as_events(play: Callable[..., None]) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        whole, streamed = WAYS[:2]
        first = await _post(client, whole, whole.asks(), "either")
        again = await _post(client, streamed, streamed.asks(), "either")

        assert whole.told(first) == streamed.told(again)
        claims = [data["text"] for name, data, _ in events_of(again) if name == "claim"]
        assert "".join(claims) == first.json()["text"]
        assert await _answers(client) == 1

    play(story)


@on_both_databases
def test_with_another_body_it_is_refused_and_nothing_is_asked(play: Callable[..., None]) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        for number, way in enumerate(WAYS, 1):
            body = way.asks()
            await _post(client, way, body, _named(way))
            other = await _post(client, way, {**body, way.field: "What is a node?"}, _named(way))
            assert other.status_code in (400, 422), way.name
            assert await _answers(client) == number, way.name

    play(story)


def test_also_while_the_first_is_still_being_answered(play: Callable[..., None], model: Server) -> None:
    may_go_on = threading.Event()
    model.will(_waiting(may_go_on))

    async def story(client: httpx2.AsyncClient) -> None:
        way = WAYS[0]
        first = asyncio.create_task(_post(client, way, way.asks(), "busy"))
        await asyncio.to_thread(_is_called, model)
        other = await _post(client, way, way.asks("What is a node?"), "busy")
        may_go_on.set()

        assert other.status_code == 422
        assert (await first).status_code == 200

    play(story, **_writes(model))


@on_both_databases
def test_over_two_servers_it_is_the_other_body_that_is_refused(
    play: Callable[..., None], model: Server
) -> None:
    may_go_on = threading.Event()
    model.will(_waiting(may_go_on))

    async def story(one: httpx2.AsyncClient, two: httpx2.AsyncClient) -> None:
        way = WAYS[0]
        first = asyncio.create_task(_post(one, way, way.asks(), "both"))
        await asyncio.to_thread(_is_called, model)
        other = asyncio.create_task(_post(two, way, way.asks("What is a node?"), "both"))
        again = asyncio.create_task(_post(two, way, way.asks(), "both"))
        assert (await other).status_code == 422
        may_go_on.set()
        assert ((await first).status_code, (await again).status_code) == (200, 200)
        assert way.told(await first) == way.told(await again)

    play(story, servers=2, **_writes(model))


def test_after_a_failure_it_may_be_used_again(play: Callable[..., None], model: Server) -> None:
    is_down = threading.Event()
    model.will(lambda line, call: (status(500) if is_down.is_set() else says(*SENTENCES))(line, call))

    async def story(client: httpx2.AsyncClient) -> None:
        for way in WAYS:
            body = way.asks()
            is_down.set()
            failed = await _post(client, way, body, _named(way))
            is_down.clear()
            again, third = [await _post(client, way, body, _named(way)) for _ in "12"]
            assert _has_failed(failed), way.name
            assert again.status_code == 200, way.name
            assert way.told(again) == way.told(third), way.name
        assert await _answers(client) == len(WAYS)

    play(story, breaker_failures=1000, **_writes(model))


def test_another_owners_same_key_is_another_request(play: Callable[..., None], url: str) -> None:
    mine, theirs = add_keys(url, KeyKind.SECRET, KeyKind.SECRET)

    async def story(client: httpx2.AsyncClient) -> None:
        for way in KEPT:
            body = way.asks()
            keys = [{"authorization": f"Bearer {key}"} for key in (mine, theirs, mine, theirs)]
            replies = await asyncio.gather(*(_post(client, way, body, _named(way), **key) for key in keys))
            assert {reply.status_code for reply in replies} == {200}, [reply.text for reply in replies]
            assert way.told(replies[0]) == way.told(replies[2]), way.name
            assert way.told(replies[1]) == way.told(replies[3]), way.name
        assert await _answers(client) == 2 * len(KEPT)

    play(story)


@pytest.mark.parametrize(
    ("path", "question", "user"),
    [("/v1/ask", "question", "user"), ("/contracts/course/chat", "message", "user_id")],
)
def test_so_it_is_for_two_users_of_one_key(
    play: Callable[..., None], path: str, question: str, user: str
) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        bodies = [{question: "What is a topic?", user: name} for name in ("ada", "bob")]
        headers = {"idempotency-key": "same"}
        replies = await asyncio.gather(*(client.post(path, json=body, headers=headers) for body in bodies))

        assert [reply.status_code for reply in replies] == [200, 200]
        assert await _answers(client) == 2

    play(story)


def test_an_answer_that_was_told_again_is_not_kept_in_memory(play: Callable[..., None]) -> None:
    async def story(client: httpx2.AsyncClient) -> None:
        way = WAYS[0]
        before = _in_memory()
        for _ in range(10):
            await _post(client, way, way.asks(), "often")
        await client.get("/livez")

        assert _in_memory() <= before

    play(story)


def _in_memory() -> int:
    gc.collect()
    return sum(isinstance(value, RunningTurn) for value in gc.get_objects())


@pytest.fixture
def model() -> Iterator[Server]:
    with model_server() as server:
        yield server


def _writes(model: Server) -> dict[str, Any]:
    return {"model": "scripted", "model_base_url": model.url, "model_api_key": "sk-none"}


def _waiting(may_go_on: threading.Event) -> Callable[[Line, Call], None]:
    def answer(line: Line, call: Call) -> None:
        may_go_on.wait(60)
        says(*SENTENCES)(line, call)

    return answer


def _is_called(model: Server) -> None:
    while not model.calls:
        threading.Event().wait(0.01)


def _are_alike(way: Way, replies: list[httpx2.Response]) -> bool:
    return all(way.told(reply) == way.told(replies[0]) for reply in replies)


def _has_failed(reply: httpx2.Response) -> bool:
    if reply.status_code == 200:
        name, data, _ = events_of(reply)[-1]
        return "error" in (name, data.get("type"))
    return reply.status_code == 503


def _how_many(url: str) -> int:
    """Whole exchanges in the database; nothing else was left there."""
    statement = "SELECT status FROM exchanges"
    if url.startswith("postgresql"):
        rows = execute(url, statement)
    else:
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        rows = connection.execute(statement).fetchall()
        connection.close()
    assert {row[0] for row in rows} == {"complete"}
    return len(rows)
