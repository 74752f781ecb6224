"""A token is for one session: of its key, its user, its contract and the moment it was opened."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from glossator.adapters.records.retention_store import SqlRetentionStore
from glossator.model import KeyKind
from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.wiring.engine import database_of, retention_of
from support.proof_contracts import (
    CITATIONS,
    COURSE,
    DELETE,
    GROUNDING,
    NATIVE,
    QUESTION,
    READ,
    SESSION_CONTRACTS,
    THREADS,
    SessionContract,
    token_of,
)
from support.proof_keys import add_keys, shows
from support.web_app import serving

HOUR = timedelta(hours=1)
OWN_OF_A_REPLY = re.compile(r'"(timestamp|request_id|trace_id)":"[^"]*"')
OPENS_NAMED = [contract for contract in SESSION_CONTRACTS if contract.opens_named]


@dataclass(frozen=True)
class Server:
    client: TestClient
    keys: list[str]
    """Two publishable ones."""
    records: Path
    settings: Settings

    def sweep(self, later: timedelta) -> None:
        asyncio.run(self._sweep(datetime.now(UTC) + later))

    async def _sweep(self, now: datetime) -> None:
        async with database_of(self.settings) as database:
            await SqlRetentionStore(database, retention_of(self.settings)).sweep(now)

    def make_older(self, session_id: str, by: timedelta) -> None:
        """As if the session had been opened so long ago."""
        with sqlite3.connect(self.records) as connection:
            (created,) = connection.execute(
                "SELECT created_at FROM sessions WHERE id = ?", [session_id]
            ).fetchone()
            earlier = (datetime.fromisoformat(created) - by).isoformat(" ", "microseconds")
            connection.execute("UPDATE sessions SET created_at = ? WHERE id = ?", [earlier, session_id])
        connection.close()


@dataclass(frozen=True)
class Reader:
    """Whoever has a publishable key, in one contract, as one user of it."""

    server: Server
    contract: SessionContract
    key: str
    user: str | None = None
    token: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {**shows(self.key), **({"x-glossator-session": self.token} if self.token else {})}

    def ask(self, session_id: str | None, **more: str) -> httpx2.Response:
        request = self.contract.asks(QUESTION, session_id, self.user, {**self.headers, **more})
        return self.server.client.request(**request)

    def do(self, verb: str, session_id: str) -> httpx2.Response:
        request = self.contract.does(verb, session_id, self.user, self.headers)
        return self.server.client.request(**request)

    def questions(self, session_id: str) -> list[str]:
        reply = self.do(READ, session_id)
        assert reply.status_code == 200, reply.text
        return self.contract.questions(reply.json())

    def holding(self, reply: httpx2.Response) -> Reader:
        assert reply.status_code == 200, reply.text
        return replace(self, token=token_of(reply))


@pytest.fixture(scope="module")
def server(home: Path, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    records = tmp_path_factory.mktemp("owners") / "records.sqlite"
    url = f"sqlite:///{records}"
    keys = add_keys(url, KeyKind.PUBLISHABLE, KeyKind.PUBLISHABLE)
    with serving(home, embedder, records, session_tokens="required") as client:
        yield Server(client, keys, records, Settings(home=home, database_url=SecretStr(url)))


@pytest.fixture(params=SESSION_CONTRACTS, ids=lambda contract: contract.contract.value)
def contract(request: pytest.FixtureRequest) -> SessionContract:
    return request.param


@pytest.fixture(params=OPENS_NAMED, ids=lambda contract: contract.contract.value)
def naming_contract(request: pytest.FixtureRequest) -> SessionContract:
    """One where a reader may choose the id of a new session."""
    return request.param


def reader_of(server: Server, contract: SessionContract, user: str = "ada") -> Reader:
    return Reader(server, contract, server.keys[0], user if contract.user_field else None)


def opened_by(reader: Reader, session_id: str | None = None) -> tuple[Reader, str]:
    """A reader with the token of a new session, and its id; a contract that lets them choose is given one."""
    named = session_id or (str(uuid.uuid4()) if reader.contract.opens_named else None)
    reply = reader.ask(named)
    mine = reader.holding(reply)
    return mine, named or reply.json()["session"]["id"]


def opens_nothing(thief: Reader, victim: Reader, session_id: str) -> None:
    """Neither in the victim's name nor in any other; and a refusal looks like that of an unknown id."""
    asked = replace(victim, token=thief.token).ask(session_id)
    assert asked.status_code == 404, asked.text
    for contract in SESSION_CONTRACTS:
        user = victim.user if contract.user_field else None
        tries = replace(victim, contract=contract, user=user, token=thief.token)
        if tries != thief:
            refuses_all(tries, session_id)
    assert victim.questions(session_id) == [QUESTION]


def refuses_all(tries: Reader, session_id: str) -> None:
    """As an id that nobody knows."""
    assert refusals(tries, session_id) == refusals(tries, str(uuid.uuid4()))


def refusals(tries: Reader, session_id: str) -> list[str]:
    """What is said to each verb of the contract, without what differs between any two replies."""
    replies = {verb: tries.do(verb, session_id) for verb in tries.contract.verbs}
    assert {reply.status_code for reply in replies.values()} == {404}, (tries.contract.contract, replies)
    return [OWN_OF_A_REPLY.sub("", reply.text) for reply in replies.values()]


def test_another_user_of_the_same_key_who_opens_the_same_id_gets_a_token_of_their_own_only(
    server: Server, contract: SessionContract
):
    victim, session_id = opened_by(reader_of(server, contract))
    thief, _ = opened_by(reader_of(server, COURSE, "eve"), session_id)
    opens_nothing(thief, victim, session_id)


@pytest.mark.parametrize("elsewhere", OPENS_NAMED, ids=lambda contract: f"in {contract.contract.value}")
def test_another_publishable_key_opens_no_session_of_this_one(
    server: Server, contract: SessionContract, elsewhere: SessionContract
):
    victim, session_id = opened_by(reader_of(server, contract))
    other_key = replace(reader_of(server, elsewhere), key=server.keys[1])
    thief, _ = opened_by(other_key, session_id)
    opens_nothing(thief, victim, session_id)


@pytest.mark.parametrize(
    "elsewhere", [THREADS, CITATIONS, GROUNDING], ids=lambda contract: contract.contract.value
)
def test_a_token_is_for_the_contract_that_gave_it(server: Server, elsewhere: SessionContract):
    victim, session_id = opened_by(reader_of(server, COURSE))
    thief, _ = opened_by(reader_of(server, elsewhere), session_id)
    opens_nothing(thief, victim, session_id)
    for mine, its_id in (opened_by(reader_of(server, issuer)) for issuer in SESSION_CONTRACTS):
        for contract in SESSION_CONTRACTS:
            if contract is not mine.contract:
                refuses_all(replace(mine, contract=contract), its_id)


def test_the_token_of_a_session_that_is_gone_does_not_open_the_next_one_of_its_id(
    server: Server, naming_contract: SessionContract
):
    thief, session_id = opened_by(reader_of(server, naming_contract))
    server.sweep(timedelta(days=100))
    unknown = refusals(thief, session_id)
    victim, _ = opened_by(reader_of(server, naming_contract), session_id)
    assert refusals(thief, session_id) == unknown
    assert thief.ask(session_id).status_code == 404
    assert victim.questions(session_id) == [QUESTION]


def test_whoever_has_the_token_of_a_session_that_is_gone_may_open_its_id_again(
    server: Server, naming_contract: SessionContract
):
    mine, session_id = opened_by(reader_of(server, naming_contract))
    server.sweep(timedelta(days=100))
    assert mine.holding(mine.ask(session_id)).questions(session_id) == [QUESTION]


def test_sending_a_request_again_gives_no_session_twelve_more_hours(
    server: Server, contract: SessionContract
):
    reader, named = reader_of(server, contract), {"idempotency-key": uuid.uuid4().hex}
    session_id = str(uuid.uuid4()) if contract.opens_named else None
    first = reader.ask(session_id, **named)
    session_id = session_id or first.json()["session"]["id"]
    mine = reader.holding(first)
    if contract.opens_named:
        again = mine.holding(mine.ask(session_id, **named))
        assert again.questions(session_id) == [QUESTION]

    server.make_older(session_id, 13 * HOUR)
    late = mine.ask(session_id if contract.opens_named else None, **named)
    assert mine.do(READ, session_id).status_code == 404
    assert token_of(late) is None


def test_whoever_sends_a_request_again_without_its_token_hears_the_answer_and_gets_none(
    server: Server, contract: SessionContract
):
    reader, named = reader_of(server, contract), {"idempotency-key": uuid.uuid4().hex}
    session_id = str(uuid.uuid4()) if contract.opens_named else None
    first = reader.ask(session_id, **named)
    again = reader.ask(session_id, **named)
    assert (first.status_code, again.status_code) == (200, 200)
    assert token_of(first) is not None
    assert token_of(again) is None


def test_its_owner_goes_on_reads_and_changes_it_with_every_newer_token(
    server: Server, contract: SessionContract
):
    mine, session_id = opened_by(reader_of(server, contract))
    mine = mine.holding(mine.ask(session_id))
    assert mine.questions(session_id) == [QUESTION] * 2
    for verb in contract.verbs:
        reply = mine.do(verb, session_id)
        assert reply.status_code in {200, 204}, (verb, reply.text)
        if verb != DELETE:
            mine = mine.holding(reply)
    assert mine.do(READ, session_id).status_code == (404 if DELETE in contract.verbs else 200)


def test_feedback_takes_the_token_of_the_session_of_that_very_answer(server: Server):
    reader = reader_of(server, NATIVE)
    reply = reader.ask(None)
    exchange, session_id = reply.json()["id"], reply.json()["session"]["id"]
    thief, _ = opened_by(reader_of(server, COURSE, "eve"), session_id)

    def judge(token: str | None) -> int:
        body = {"exchange_id": exchange, "helpful": False, "user": reader.user}
        proof = {**shows(reader.key), **({"x-glossator-session": token} if token else {})}
        return server.client.post("/v1/feedback", json=body, headers=proof).status_code

    assert [judge(token) for token in (None, thief.token, token_of(reply))] == [404, 404, 204]


def test_an_answer_on_its_way_is_heard_with_the_token_of_its_own_session_only(server: Server):
    reader = replace(reader_of(server, NATIVE), user=None)
    events = {"accept": "text/event-stream"}
    told = reader.ask(None, **events)
    last, session_id = told.text.partition("id: ")[2].partition("\n")[0], _session_in(told)
    thief, _ = opened_by(reader_of(server, COURSE, "eve"), session_id)
    refused = replace(thief, contract=NATIVE, user=None).ask(session_id, **events, **{"last-event-id": last})
    assert refused.status_code == 404


def _session_in(told: httpx2.Response) -> str:
    return told.text.partition('"session":{"id":"')[2].partition('"')[0]
