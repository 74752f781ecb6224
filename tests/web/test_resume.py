"""A line that drops loses nothing: whoever comes back with the id of the last event hears the rest, once."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from starlette.types import ASGIApp

from glossator.model import KeyKind
from glossator.ports import Embedder
from support.proof_keys import add_keys, shows
from support.proof_line import Line, opened
from support.proof_model import SENTENCES, dictates, waits_for
from support.proof_stream import HEARTBEAT, StreamEvent
from support.writers_server import Server, keeps_talking, model_server, say_nothing, says

QUESTION = {"question": "What is a topic?"}
FORGOTTEN = {**QUESTION, "remember": False}
BEFORE_THE_LAST = 4
"""The model's frame with its last sentence; the first frame is only its role."""
SAID_BEFORE = 6
"""Events that come before that: what is done, what was found, and the sentences that are known to be whole."""
ALL = 9

Story = Callable[[ASGIApp], Awaitable[None]]


@pytest.fixture
def model() -> Iterator[Server]:
    with model_server() as server:
        yield server


@pytest.fixture
def play(home: Path, embedder: Embedder, tmp_path: Path, model: Server) -> Callable[..., None]:
    """Tells a story with a server whose answers the model writes."""

    def run(story: Story, **settings: Any) -> None:
        async def told() -> None:
            async with opened(embedder, **_settings(home, tmp_path, model), **settings) as app:
                await story(app)

        asyncio.run(told())

    return run


def _settings(home: Path, folder: Path, model: Server) -> dict[str, Any]:
    return {
        "home": home,
        "database_url": f"sqlite:///{folder / 'records.sqlite'}",
        "model": "scripted",
        "model_base_url": model.url,
        "model_api_key": "sk-none",
    }


@pytest.mark.parametrize("body", [QUESTION, FORGOTTEN], ids=["remembered", "forgotten"])
def test_while_it_runs_the_rest_is_heard_as_if_nothing_had_been(
    play: Callable[..., None], model: Server, body: Mapping[str, Any]
) -> None:
    model.will(says(*SENTENCES))

    async def story(app: ASGIApp) -> None:
        uncut = await (await Line(app, "/v1/ask", body).begin()).events()
        assert len(uncut) == ALL
        for cut in range(1, SAID_BEFORE + 1):
            heard = await _cut_and_resumed(app, model, body, cut)
            assert _names(heard) == _names(uncut), cut
            assert _places(heard) == _places(uncut), cut
            assert _of_exchange(heard) == _of_exchange(uncut), cut
            assert len(model.calls) == 1 + cut

    play(story)


async def _cut_and_resumed(
    app: ASGIApp, model: Server, body: Mapping[str, Any], cut: int
) -> list[StreamEvent]:
    """The model waits until the reader has come back, so that they come back to an answer that is running."""
    has_come_back = threading.Event()
    model.will(waits_for(has_come_back, *SENTENCES, before=BEFORE_THE_LAST))
    model.script.next_answers.popleft()
    first = await Line(app, "/v1/ask", body).begin()
    heard = await first.events(cut)
    await first.hang_up()
    again = await Line(app, "/v1/ask", body, _after(heard)).begin()
    has_come_back.set()
    return heard + await again.events()


def test_when_it_has_ended_the_sentences_and_the_answer_come_from_the_records(
    play: Callable[..., None], model: Server
) -> None:
    model.will(says(*SENTENCES))

    async def story(app: ASGIApp) -> None:
        uncut = await (await Line(app, "/v1/ask", QUESTION).begin()).events()
        for cut in range(1, ALL + 1):
            rest = await (await Line(app, "/v1/ask", QUESTION, _after(uncut[:cut])).begin()).events()
            assert _names(rest) == _names(_told_again(uncut[cut:])), cut
            assert _shown(rest) == _shown(_told_again(uncut[cut:])), cut
        assert len(model.calls) == 1

    play(story)


def test_what_is_not_remembered_is_heard_to_its_end_all_the_same(
    play: Callable[..., None], model: Server
) -> None:
    model.will(says(*SENTENCES))

    async def story(app: ASGIApp) -> None:
        uncut = await (await Line(app, "/v1/ask", FORGOTTEN).begin()).events()
        for cut in range(1, ALL + 1):
            rest = await (await Line(app, "/v1/ask", FORGOTTEN, _after(uncut[:cut])).begin()).events()
            assert _places(rest) == _places(uncut[cut:]), cut
            assert _shown(rest) == _shown(uncut[cut:]), cut
        assert len(model.calls) == 1

    play(story)


def test_whoever_is_cut_off_twice_still_hears_everything_once(
    play: Callable[..., None], model: Server
) -> None:
    model.will(says(*SENTENCES))

    async def story(app: ASGIApp) -> None:
        uncut = await (await Line(app, "/v1/ask", QUESTION).begin()).events()
        heard = uncut[:5]
        while heard[-1].name != "answer":
            line = await Line(app, "/v1/ask", QUESTION, _after(heard)).begin()
            heard += await line.events(1)
            await line.hang_up()

        assert _shown(heard) == _shown(uncut)

    play(story)


def test_another_server_tells_the_rest_as_soon_as_the_answer_is_whole(
    home: Path, embedder: Embedder, tmp_path: Path, model: Server
) -> None:
    has_come_back = threading.Event()
    model.will(waits_for(has_come_back, *SENTENCES, before=BEFORE_THE_LAST))
    settings = _settings(home, tmp_path, model)

    async def story() -> None:
        async with opened(embedder, **settings) as one, opened(embedder, **settings) as other:
            first = await Line(one, "/v1/ask", QUESTION).begin()
            heard = await first.events(SAID_BEFORE)
            await first.hang_up()
            again = asyncio.create_task(Line(other, "/v1/ask", QUESTION, _after(heard)).begin())
            await asyncio.sleep(0)
            has_come_back.set()
            heard += await (await again).events()

        assert _names(heard)[SAID_BEFORE:] == ["claim", "claim", "answer"]
        assert "".join(told.data["text"] for told in heard if told.name == "claim") == heard[-1].data["text"]
        assert len(model.calls) == 1

    asyncio.run(story())


@pytest.mark.parametrize("is_running", [True, False])
def test_whoever_is_not_its_owner_is_told_nothing_of_it(
    play: Callable[..., None], model: Server, is_running: bool
) -> None:
    may_go_on = threading.Event()
    model.will(waits_for(may_go_on, *SENTENCES, before=BEFORE_THE_LAST), says("A node is one program."))
    mine, theirs = {**QUESTION, "user": "mine"}, {"question": "What is a node?", "user": "theirs"}

    async def story(app: ASGIApp) -> None:
        first = await Line(app, "/v1/ask", mine).begin()
        heard = await first.events(SAID_BEFORE)
        if not is_running:
            may_go_on.set()
            heard += await first.events()
        other = await (await Line(app, "/v1/ask", theirs, _after(heard[:2])).begin()).events()
        may_go_on.set()

        assert other[-1].name == "answer"
        assert other[-1].data["id"] != _turn(heard)
        assert _turn(heard) not in "".join(f"{told.id}{told.data}" for told in other)
        assert "topic" not in other[-1].data["text"]

    play(story)


def test_with_a_key_that_everybody_has_it_takes_the_token_of_the_session(
    play: Callable[..., None], model: Server, tmp_path: Path
) -> None:
    model.will(says(*SENTENCES))
    (key,) = add_keys(f"sqlite:///{tmp_path / 'records.sqlite'}", KeyKind.PUBLISHABLE)

    async def story(app: ASGIApp) -> None:
        heard = await (await Line(app, "/v1/ask", QUESTION, shows(key)).begin()).events()
        session, headers = heard[0].data["session"], {**shows(key), **_after(heard[:SAID_BEFORE])}
        mine = await (await Line(app, "/v1/ask", {**QUESTION, "session": session}, headers).begin()).events()
        theirs = await (await Line(app, "/v1/ask", QUESTION, headers).begin()).events()
        guessed = {**QUESTION, "session": {**session, "token": session["token"][::-1]}}
        wrong = await Line(app, "/v1/ask", guessed, headers).begin()

        assert mine[-1].data["id"] == _turn(heard)
        assert theirs[-1].data["id"] != _turn(heard)
        assert theirs[-1].data["session"]["id"] != session["id"]
        assert wrong.status == 404

    play(story)


def test_while_the_model_is_silent_the_line_shows_signs_of_life(
    play: Callable[..., None], model: Server
) -> None:
    has_heard = threading.Event()
    model.will(waits_for(has_heard, *SENTENCES, before=1))

    async def story(app: ASGIApp) -> None:
        line = await Line(app, "/v1/ask", QUESTION).begin()
        told, signs = await line.events(3), 0
        while signs < 3:
            signs += await line.event() is HEARTBEAT
        has_heard.set()

        assert _names([*told, *await line.events()])[-1] == "answer"

    play(story, heartbeat_seconds=0.05)


@pytest.mark.parametrize("said", [(), SENTENCES[:2]], ids=["silent", "talking"])
def test_whoever_leaves_for_good_ends_the_models_work_and_the_turn(
    play: Callable[..., None], model: Server, tmp_path: Path, said: tuple[str, ...]
) -> None:
    model.will(keeps_talking(*said) if said else say_nothing, says(*SENTENCES))

    async def story(app: ASGIApp) -> None:
        line = await Line(app, "/v1/ask", QUESTION).begin()
        heard = await line.events(3)
        assert await asyncio.to_thread(model.script.was_called.wait, 20)
        await line.hang_up()

        assert await asyncio.to_thread(model.script.was_hung_up.wait, 20)
        session = {"session": {"id": heard[0].data["session"]["id"]}}
        again = await (await Line(app, "/v1/ask", {**QUESTION, **session}).begin()).events()
        assert again[-1].name == "answer"

    play(story, linger_seconds=0.05)
    assert _statuses(tmp_path) == ["interrupted", "complete"]


STREAMS = [
    ("/contracts/threads/chat/stream", {"message": "What is a topic?", "similarity_threshold": 0.0}),
    ("/contracts/citations/chat/stream", {"query": "What is a topic?", "session_id": str(uuid.uuid4())}),
]


@pytest.mark.parametrize(("path", "body"), STREAMS, ids=["threads", "citations"])
def test_so_it_is_in_the_contracts_that_cannot_be_resumed(
    play: Callable[..., None], model: Server, tmp_path: Path, path: str, body: Mapping[str, Any]
) -> None:
    model.will(keeps_talking(*SENTENCES[:3]))

    async def story(app: ASGIApp) -> None:
        line = await Line(app, path, body).begin()
        assert await line.event() is not None
        await line.hang_up()

        assert await asyncio.to_thread(model.script.was_hung_up.wait, 20)

    play(story)
    assert _statuses(tmp_path) == ["interrupted"]


def test_what_was_finished_when_its_reader_left_is_kept(
    play: Callable[..., None], model: Server, tmp_path: Path
) -> None:
    model.will(dictates(*SENTENCES, pause=0.0))

    async def story(app: ASGIApp) -> None:
        line = await Line(app, "/v1/ask", QUESTION).begin()
        heard = await line.events(1)
        await line.hang_up()
        rest = await (await Line(app, "/v1/ask", QUESTION, _after(heard)).begin()).events()

        assert rest[-1].data["id"] == _turn(heard)

    play(story)
    assert _statuses(tmp_path) == ["complete"]


def test_an_answer_on_its_way_to_the_disk_when_its_time_is_over_is_told_and_no_failure(
    play: Callable[..., None], model: Server, tmp_path: Path
) -> None:
    is_locked, seconds = threading.Event(), 1.0
    model.will(waits_for(is_locked, *SENTENCES, before=BEFORE_THE_LAST))

    async def story(app: ASGIApp) -> None:
        line = await Line(app, "/v1/ask", QUESTION).begin()
        begun = monotonic()
        await line.events(SAID_BEFORE)
        with _locked(tmp_path):
            is_locked.set()
            rest = await line.events(2)
            await _until(lambda: monotonic() > begun + seconds)
            assert line.is_silent
        rest += await line.events()

        assert _names(rest) == ["claim", "claim", "answer"]

    play(story, answer_seconds=seconds, database_seconds=20)
    assert _statuses(tmp_path) == ["complete"]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Nobody else can write to the database."""
    connection = sqlite3.connect(folder / "records.sqlite", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0.02)


def _after(heard: list[StreamEvent]) -> dict[str, str]:
    assert heard[-1].id
    return {"last-event-id": heard[-1].id}


def _turn(heard: list[StreamEvent]) -> str:
    assert heard[0].id
    return heard[0].id.split(":")[0]


def _places(heard: list[StreamEvent]) -> list[str]:
    """The numbers of the events, without the exchange they belong to."""
    return [str(told.id).partition(":")[2] for told in heard]


def _names(heard: list[StreamEvent]) -> list[str]:
    return [told.name for told in heard]


def _told_again(heard: list[StreamEvent]) -> list[StreamEvent]:
    return [told for told in heard if told.name in ("claim", "answer")]


def _of_exchange(heard: list[StreamEvent]) -> list[Any]:
    """The sentences; of the answer what does not differ from one asking to the next."""
    return [told.data if told.name == "claim" else told.data.get("text") for told in heard]


def _shown(heard: list[StreamEvent]) -> list[Any]:
    """Everything that an exchange consists of; the trace is of the request."""
    return [{name: value for name, value in told.data.items() if name != "trace_id"} for told in heard]


def _statuses(folder: Path) -> list[str]:
    connection = sqlite3.connect(folder / "records.sqlite")
    rows = connection.execute("SELECT status FROM exchanges ORDER BY asked_at").fetchall()
    connection.close()
    return [row[0] for row in rows]
