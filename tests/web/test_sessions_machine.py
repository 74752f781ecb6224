"""Sessions, whatever is done to them in whatever order and by whomever, are what a plain dictionary says.

`HYPOTHESIS_PROFILE=searching` looks for more, and elsewhere every time.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from proof_keys import add_keys
from proof_readers import Exchange, Library, Reader, Session, status_of
from starlette.testclient import TestClient
from web_app import events_of, serving

from glossator.adapters.records.keeper import SqlKeeper
from glossator.model import KeyKind
from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.wiring.records import database_of, retention_of

QUESTIONS = [
    "What is a topic?",
    "How do I stop a node?",
    "Which wine goes with fish?",
    "Hello!",
    "And what is it for?",
]
EVENTS = {"accept": "text/event-stream"}

numbers = st.integers(min_value=0)
questions = st.sampled_from(QUESTIONS)


@dataclass(frozen=True)
class World:
    """The server under test, and what is needed beside it."""

    client: TestClient
    settings: Settings
    keys: list[str]
    """Two secret ones, and one that everybody has."""

    def sweep(self, later: timedelta) -> None:
        asyncio.run(self._swept(datetime.now(UTC) + later))

    async def _swept(self, now: datetime) -> None:
        async with database_of(self.settings) as database:
            await SqlKeeper(database, retention_of(self.settings)).sweep(now)


@pytest.fixture(scope="module")
def world(home: Path, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    records = tmp_path_factory.mktemp("machine") / "records.sqlite"
    url = f"sqlite:///{records}"
    keys = add_keys(url, KeyKind.SECRET, KeyKind.SECRET, KeyKind.PUBLISHABLE)
    with serving(home, embedder, records) as client:
        yield World(client, Settings(home=home, database_url=url), keys)


class Sessions(RuleBasedStateMachine):
    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.client = world.client
        name = uuid.uuid4().hex
        one, other, public = world.keys
        self.readers = [
            Reader(one, None),
            Reader(one, f"ada {name}"),
            Reader(one, f"bob {name}"),
            Reader(other, f"ada {name}"),
            Reader(public, None, is_public=True),
        ]
        self.library = Library()
        self.foreign: list[Session] = []
        """Of which nothing is left, though somebody may still know their ids."""

    def any_reader(self, number: int) -> Reader:
        return self.readers[number % len(self.readers)]

    def any_session(self, number: int) -> Session:
        known = [*self.library.sessions, *self.foreign]
        return known[number % len(known)]

    @rule(who=numbers)
    def open(self, who: int) -> None:
        reader = self.any_reader(who)
        told = self.client.post("/v1/sessions", json=reader.query, headers=reader.headers(None)).json()
        self.library.sessions.append(Session(told["id"], reader, told["token"]))

    @rule(who=numbers, question=questions, is_streamed=st.booleans())
    def ask(self, who: int, question: str, is_streamed: bool) -> None:
        reader = self.any_reader(who)
        reply = self.sent(reader, {"question": question}, is_streamed=is_streamed)
        session = Session(reply["session"]["id"], reader, reply["session"]["token"])
        session.exchanges.append(Exchange.of(question, reply))
        self.library.sessions.append(session)

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, who=numbers, question=questions, is_mine=st.booleans(), is_again=st.booleans())
    def ask_in(self, which: int, who: int, question: str, is_mine: bool, is_again: bool) -> None:
        session = self.any_session(which)
        reader = session.owner if is_mine else self.any_reader(who)
        token = session.token if is_mine else None
        body = {"question": question, "session": {"id": session.id, "token": token}, **reader.query}
        name = {**reader.headers(None), "idempotency-key": uuid.uuid4().hex}
        reply = self.client.post("/v1/ask", json=body, headers=name)
        if not self.is_there(session, reader, token):
            assert status_of(reply) == 404
            return
        assert reply.status_code == 200, reply.text
        session.exchanges.append(Exchange.of(question, reply.json()))
        session.is_archived = False
        if is_again:
            assert self.client.post("/v1/ask", json=body, headers=name).json()["id"] == reply.json()["id"]

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, who=numbers, question=questions)
    def ask_to_be_forgotten(self, which: int, who: int, question: str) -> None:
        session, reader = self.any_session(which), self.any_reader(who)
        token = session.token if session.owner == reader else None
        body = {"question": question, "remember": False, "session": {"id": session.id, "token": token}}
        reply = self.client.post("/v1/ask", json={**body, **reader.query}, headers=reader.headers(None))
        if reader.is_public and not session.is_of(reader, token):
            assert status_of(reply) == 404
            return
        assert reply.status_code == 200, reply.text
        assert reply.json()["session"] is None

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, who=numbers, is_mine=st.booleans(), is_all=st.booleans())
    def read(self, which: int, who: int, is_mine: bool, is_all: bool) -> None:
        session = self.any_session(which)
        reader = session.owner if is_mine else self.any_reader(who)
        token = session.token if is_mine else None
        path = f"/v1/sessions/{session.id}" + ("/export" if is_all else "")
        reply = self.client.get(path, params=reader.query, headers=reader.headers(token))
        if self.is_there(session, reader, token):
            session.check(reply.json())
        else:
            assert status_of(reply) == 404

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, who=numbers, is_mine=st.booleans())
    def reset(self, which: int, who: int, is_mine: bool) -> None:
        session = self.any_session(which)
        reader = session.owner if is_mine else self.any_reader(who)
        token = session.token if is_mine else None
        path = f"/v1/sessions/{session.id}/reset"
        reply = self.client.post(path, params=reader.query, headers=reader.headers(token))
        if not self.is_there(session, reader, token):
            assert status_of(reply) == 404
            return
        session.exchanges, session.is_archived = [], False
        session.check(reply.json())

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, who=numbers, is_mine=st.booleans())
    def delete(self, which: int, who: int, is_mine: bool) -> None:
        session = self.any_session(which)
        reader = session.owner if is_mine else self.any_reader(who)
        token = session.token if is_mine else None
        path = f"/v1/sessions/{session.id}"
        reply = self.client.delete(path, params=reader.query, headers=reader.headers(token))
        if not self.is_there(session, reader, token):
            assert status_of(reply) == 404
            return
        assert reply.status_code == 204
        self.library.sessions.remove(session)
        self.foreign.append(session)

    @precondition(lambda self: any(one.exchanges for one in self.library.sessions))
    @rule(which=numbers, who=numbers, is_mine=st.booleans(), is_helpful=st.booleans())
    def judge(self, which: int, who: int, is_mine: bool, is_helpful: bool) -> None:
        asked = [one for one in self.library.sessions if one.exchanges]
        session = asked[which % len(asked)]
        exchange = session.exchanges[which % len(session.exchanges)]
        reader = session.owner if is_mine else self.any_reader(who)
        token = session.token if is_mine else None
        body = {"exchange_id": exchange.id, "helpful": is_helpful, **reader.query}
        reply = self.client.post("/v1/feedback", json=body, headers=reader.headers(token))
        if session.is_of(reader, token):
            assert reply.status_code == 204, reply.text
            exchange.is_judged = True
        else:
            assert status_of(reply) == 404

    @rule(who=numbers)
    def erase(self, who: int) -> None:
        reader = self.any_reader(who)
        reply = self.client.delete(f"/v1/users/{reader.user}", headers=reader.headers(None))
        if reader.is_public:
            assert reply.status_code == 403
        elif reader.user:
            self.foreign += self.library.of_user(reader)
            assert reply.json()["erased"] == self.library.forget(reader)

    @rule()
    def grow_old(self) -> None:
        """The sweeper comes two hours later."""
        self.world.sweep(timedelta(hours=2))
        for session in self.library.sessions:
            session.is_archived = True

    @precondition(lambda self: len(self.library.sessions) > 6)
    @rule()
    def be_over(self) -> None:
        """The sweeper comes a hundred days later."""
        self.world.sweep(timedelta(days=100))
        self.foreign += self.library.sessions
        self.library.sessions = []

    @invariant()
    def the_last_one_is_its_owners_and_nobody_elses(self) -> None:
        for session in self.library.sessions[-1:]:
            for reader in self.readers:
                token = session.token if reader == session.owner else None
                path, headers = f"/v1/sessions/{session.id}", reader.headers(token)
                reply = self.client.get(path, params=reader.query, headers=headers)
                assert status_of(reply) == (200 if reader == session.owner else 404)

    def teardown(self) -> None:
        for session in self.library.sessions:
            path, headers = f"/v1/sessions/{session.id}/export", session.owner.headers(session.token)
            session.check(self.client.get(path, params=session.owner.query, headers=headers).json())
        for session in self.foreign:
            path, headers = f"/v1/sessions/{session.id}", session.owner.headers(session.token)
            assert status_of(self.client.get(path, params=session.owner.query, headers=headers)) == 404

    def is_there(self, session: Session, reader: Reader, token: str | None) -> bool:
        return session in self.library.sessions and session.is_of(reader, token)

    def sent(self, reader: Reader, body: dict[str, Any], *, is_streamed: bool) -> dict[str, Any]:
        headers = {**reader.headers(None), **(EVENTS if is_streamed else {})}
        reply = self.client.post("/v1/ask", json={**body, **reader.query}, headers=headers)
        assert reply.status_code == 200, reply.text
        return events_of(reply)[-1][1] if is_streamed else reply.json()


def test_sessions_are_what_a_plain_dictionary_says(world: World) -> None:
    is_searching = settings.get_current_profile_name() == "searching"
    how_many = settings(
        max_examples=200 if is_searching else 12,
        stateful_step_count=60 if is_searching else 25,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(lambda: Sessions(world), settings=how_many)
