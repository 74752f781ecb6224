"""The server is killed while readers listen, again and again: what was told to its end is there, whole, and
nothing that was not whole is.

`GLOSSATOR_TEST_KILLS=100` kills it more often, `GLOSSATOR_TEST_BATCH=3` at other moments.
"""

from __future__ import annotations

import random
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from support.proof_asking import numbered
from support.proof_model import SENTENCES, dictates
from support.proof_server import PATIENCE, Server, is_soon, served
from support.proof_size import BATCH, repeats
from support.proof_stream import stream
from support.records_database import execute, postgres_server, postgres_template, postgres_url
from support.writers_server import model_server

__all__ = ["postgres_server", "postgres_template", "postgres_url"]

KILLS = [repeats("KILLS", 6), pytest.param(12, marks=pytest.mark.nightly)]
POSTGRESQL_KILLS = repeats("KILLS", 1)
READERS = 4
PATIENT = dict.fromkeys(
    ("answer_seconds", "search_seconds", "database_seconds", "watchdog_seconds"), PATIENCE
)
"""A machine that is busy with other things is not what is tried here."""
UNFINISHED = "SELECT count(*) FROM exchanges WHERE status IN ('accepted', 'streaming')"


def _nothing() -> None: ...


@dataclass
class Reader:
    """Asks one question after the other in a session of their own, until the line goes."""

    session: str
    asked: list[str] = field(default_factory=list[str])
    heard: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """By their ids, the answers whose last event arrived."""
    has_begun: threading.Event = field(default_factory=threading.Event)
    on_answer: Callable[[], None] = _nothing

    def read(self, server: Server) -> None:
        with server.client() as client:
            try:
                while True:
                    self.ask(client)
            except httpx2.TransportError:
                return

    def ask(self, client: httpx2.Client) -> None:
        self.asked.append(numbered(len(self.asked) + 1))
        self.ask_again(client)

    def ask_again(self, client: httpx2.Client) -> None:
        """The last question, under the same name: as a client does that does not know what became of it."""
        name = {"idempotency-key": f"{self.session}-{len(self.asked)}"}
        for told in stream(client, {"question": self.asked[-1], "session": {"id": self.session}}, name):
            self.has_begun.set()
            assert told.name != "error", told.data
            if told.name == "answer":
                self.heard[told.data["id"]] = told.data
                self.on_answer()

    def kept(self, client: httpx2.Client) -> list[dict[str, Any]]:
        """The history; whatever stands in it is whole, and as it was told."""
        exchanges = client.get(f"/v1/sessions/{self.session}/export").json()["exchanges"]
        for exchange in exchanges:
            assert is_whole(exchange["answer"])
            if heard := self.heard.get(exchange["id"]):
                assert of_exchange(exchange["answer"]) == of_exchange(heard)
        return exchanges


@pytest.mark.slow
@pytest.mark.parametrize("kills", KILLS)
def test_whatever_kills_the_server_no_answer_is_lost_and_none_is_half(
    home: Path, tmp_path: Path, kills: int, counted: Counter[str]
) -> None:
    database = tmp_path / "records.sqlite"
    url = f"sqlite:///{database}"

    readers = [reader for number in rounds(kills) for reader in killed(home, tmp_path, url, number, counted)]

    # In every third round one at least.
    assert sum(len(reader.heard) for reader in readers) >= kills // 3
    assert any(len(reader.heard) < len(reader.asked) for reader in readers)
    with served(home, tmp_path, database_url=url, **PATIENT) as server, server.client() as client:
        go_on(client, readers)
        assert is_soon(lambda: _asked_of(database, UNFINISHED) == 0)
    assert _asked_of(database, "PRAGMA integrity_check") == "ok"
    assert _asked_of(database, "PRAGMA foreign_key_check") is None


@pytest.mark.slow
def test_neither_on_postgresql(home: Path, tmp_path: Path, postgres_url: str, counted: Counter[str]) -> None:
    numbers = rounds(POSTGRESQL_KILLS)
    readers = [
        reader for chosen in numbers for reader in killed(home, tmp_path, postgres_url, chosen, counted)
    ]

    with served(home, tmp_path, database_url=postgres_url, **PATIENT) as server, server.client() as client:
        go_on(client, readers)
        assert is_soon(lambda: execute(postgres_url, UNFINISHED)[0][0] == 0)


def rounds(kills: int) -> range:
    return range(BATCH * kills + 1, (BATCH + 1) * kills + 1)


def killed(home: Path, folder: Path, database_url: str, number: int, counted: Counter[str]) -> list[Reader]:
    """Readers who listened to a server until it was killed; in every second round a slow model writes."""
    delay = random.Random(number).uniform(0.0, 0.5)
    with (
        writing(is_model=bool(number % 2)) as settings,
        served(home, folder, database_url=database_url, **PATIENT, **settings) as server,
        server.client() as client,
        ThreadPoolExecutor(READERS) as threads,
    ):
        readers = [Reader(client.post("/v1/sessions", json={}).json()["id"]) for _ in range(READERS)]
        look_beside(database_url)
        reading = [threads.submit(reader.read, server) for reader in readers]
        assert all(reader.has_begun.wait(PATIENCE) for reader in readers)
        threading.Event().wait(delay)
        if number % 3 == 2:
            # In the very moment in which a reader has heard the end of an answer.
            readers[0].on_answer = server.kill
            reading[0].result(PATIENCE)
            readers[0].on_answer = _nothing
        server.kill()
        for future in reading:
            future.result(PATIENCE)
    heard = sum(len(reader.heard) for reader in readers)
    counted["servers killed"] += 1
    counted["answers heard to their end"] += heard
    counted["answers broken off"] += sum(len(reader.asked) for reader in readers) - heard
    return readers


def look_beside(database_url: str) -> None:
    """Another process that comes and goes, such as a backup or a command, must not take the log with it."""
    if database_url.startswith("sqlite"):
        _asked_of(Path(database_url.removeprefix("sqlite:///")), UNFINISHED)


def go_on(client: httpx2.Client, readers: list[Reader]) -> None:
    """What was told is there, and every session goes on: what held it lets go within seconds."""
    for reader in readers:
        kept = reader.kept(client)
        assert is_part(reader.heard, [exchange["id"] for exchange in kept])
        assert is_part([exchange["question"] for exchange in kept], reader.asked)
    with ThreadPoolExecutor(READERS) as threads:
        for done in [threads.submit(reader.ask_again, client) for reader in readers]:
            done.result(PATIENCE)
    for reader in readers:
        kept = reader.kept(client)
        assert is_part(reader.heard, [exchange["id"] for exchange in kept])
        assert [exchange["question"] for exchange in kept] == reader.asked


@contextmanager
def writing(*, is_model: bool) -> Iterator[Mapping[str, object]]:
    if not is_model:
        yield {}
        return
    with model_server() as model:
        model.will(dictates(*SENTENCES, pause=0.03))
        yield {"model": "scripted", "model_base_url": model.url, "model_api_key": "sk-none"}


def is_whole(answer: Mapping[str, Any]) -> bool:
    told = "".join(claim["text"] for claim in answer["claims"])
    return bool(answer["outcome"] and answer["text"]) and (not told or told == answer["text"])


def is_part(some: Any, whole: Any) -> bool:
    """In the same order."""
    rest = iter(whole)
    return all(item in rest for item in some)


def of_exchange(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Without what belongs to the reply it came in."""
    return {name: value for name, value in answer.items() if name not in ("trace_id", "session")}


def _asked_of(database: Path, statement: str) -> Any:
    with sqlite3.connect(database, timeout=30) as connection:
        row = connection.execute(statement).fetchone()
    connection.close()
    return row[0] if row else None
