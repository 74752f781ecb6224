"""Sessions, whatever is done to them in whatever order, contract and name, are what a plain dictionary says.

After every step somebody tries to reach the sessions of others, with every key, user, contract and token there
ever was. `GLOSSATOR_TEST_TRIES=100000` tries more often, `HYPOTHESIS_PROFILE=searching` elsewhere every time.
"""

from __future__ import annotations

import asyncio
import math
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeVar, cast

import httpx2
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pydantic import SecretStr
from starlette.testclient import TestClient

from glossator.adapters.records.retention_store import SqlRetentionStore
from glossator.model import KeyKind
from glossator.ports import Embedder
from glossator.settings import SessionTokens, Settings
from glossator.wiring.engine import database_of, retention_of
from support.proof_contracts import (
    COURSE,
    DELETE,
    GROUNDING,
    NATIVE,
    READ,
    RESET,
    SESSION_CONTRACTS,
    SessionContract,
)
from support.proof_keys import add_keys
from support.proof_readers import Call, Exchange, Library, Reader, Session, receipt, status_of
from support.proof_size import repeats
from support.web_app import events_of, serving

T = TypeVar("T")

USUAL_TRIES = 500
TRIES = repeats("TRIES", USUAL_TRIES)
"""To reach a session of somebody else; each must be refused."""
IS_LONG = TRIES > USUAL_TRIES
STEPS, TRIES_A_STEP = (50, 20) if IS_LONG else (25, 4)

QUESTIONS = [
    "What is a topic?",
    "How do I stop a node?",
    "Which wine goes with fish?",
    "Hello!",
    "And what is it for?",
]
EVENTS = {"accept": "text/event-stream"}
PATIENT = {"database_seconds": 60.0, "search_seconds": 60.0, "answer_seconds": 120.0}
"""A machine that is busy with other things is not what is tried here."""
ASK, JUDGE = "ask", "judge"

numbers = st.integers(min_value=0)
questions = st.sampled_from(QUESTIONS)
contracts = st.sampled_from(SESSION_CONTRACTS)


@dataclass(frozen=True)
class World:
    """The server under test, and what is needed beside it."""

    client: TestClient
    settings: Settings
    keys: list[str]
    """Two secret ones, and two that everybody has."""
    refused: Counter[str] = field(default_factory=Counter[str])
    """Tries to reach somebody else's session, by what was tried."""

    def send(self, requests: Sequence[Mapping[str, Any]]) -> Sequence[httpx2.Response]:
        """All of them on the server's own loop, which takes half the time."""
        assert self.client.portal
        return self.client.portal.call(self._sent, requests)

    async def _sent(self, requests: Sequence[Mapping[str, Any]]) -> Sequence[httpx2.Response]:
        transport = httpx2.ASGITransport(self.client.app)
        async with httpx2.AsyncClient(transport=transport, base_url=str(self.client.base_url)) as client:
            return [await client.request(**request) for request in requests]

    def sweep(self, later: timedelta) -> None:
        asyncio.run(self._swept(datetime.now(UTC) + later))

    async def _swept(self, now: datetime) -> None:
        async with database_of(self.settings) as database:
            await SqlRetentionStore(database, retention_of(self.settings)).sweep(now)


@pytest.fixture(scope="module", params=list(SessionTokens), ids=lambda tokens: f"tokens {tokens}")
def world(
    request: pytest.FixtureRequest,
    home: Path,
    embedder: Embedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    records = tmp_path_factory.mktemp("machine") / "records.sqlite"
    url = f"sqlite:///{records}"
    keys = add_keys(url, KeyKind.SECRET, KeyKind.SECRET, KeyKind.PUBLISHABLE, KeyKind.PUBLISHABLE)
    chosen = {**PATIENT, "session_tokens": request.param}
    with serving(home, embedder, records, **chosen) as client:
        yield World(client, Settings(home=home, database_url=SecretStr(url), **chosen), keys)


@dataclass(frozen=True)
class Theft:
    """A call for somebody's session that must be refused."""

    call: Call
    verb: str
    session: Session

    @property
    def request(self) -> dict[str, Any]:
        match self.verb:
            case "ask":
                return self.call.asks(QUESTIONS[0])
            case "judge":
                exchange = next(candidate for candidate in self.session.exchanges if candidate.id)
                return self.call.judges(exchange, is_helpful=False)
            case verb:
                return self.call.does(verb)


class Sessions(RuleBasedStateMachine):
    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.client = world.client
        name = uuid.uuid4().hex
        users = [None, f"ada {name}", f"bob {name}"]
        self.readers = [
            Reader(key, user, is_public=number >= 2)
            for number, key in enumerate(world.keys)
            for user in users
        ]
        self.ids = [str(uuid.uuid4()) for _ in range(3)]
        """Few, so that readers choose the same ones."""
        self.library = Library(tokens_required=world.settings.session_tokens is SessionTokens.REQUIRED)
        self.random = Random()
        self.tries_left = 0
        """Where there is no session to try, they are made up for later."""

    @initialize(random=st.randoms(use_true_random=True), who=numbers)
    def begin(self, random: Random, who: int) -> None:
        """With a session, so that there is something to try."""
        self.random = random
        self.open(who, NATIVE)

    @rule(who=numbers, contract=st.sampled_from([NATIVE, GROUNDING]))
    def open(self, who: int, contract: SessionContract) -> None:
        reader = picked(self.readers, who)
        is_native = contract is NATIVE
        path = "/v1/sessions" if is_native else "/contracts/grounding/chat/session"
        sent = reader.query if is_native else {}
        reply = self.client.post(path, json=sent, headers=reader.headers())
        self.opened(Call(contract, reader, reply.json()["id" if is_native else "session_id"]), reply)

    @rule(who=numbers, contract=contracts, which=numbers, token=numbers, question=questions)
    def ask(self, who: int, contract: SessionContract, which: int, token: int, question: str) -> None:
        """With an id that somebody may have, and a token that may be of something else."""
        shown = picked([None, *self.library.tokens], token)
        call = Call(contract, picked(self.readers, who), picked(self.ids, which), shown)
        if not can_be_asked(call):
            return
        reply = self.client.request(**call.asks(question))
        if not self.library.may_ask(call):
            assert status_of(reply) == 404
            return
        assert reply.status_code == 200, reply.text
        session = self.library.named(call)
        if session is None:
            session = self.opened(call, reply)
        else:
            self.library.note(session, reply)
        self.told(session, contract, question, reply.json())

    @rule(who=numbers, question=questions)
    def ask_streamed(self, who: int, question: str) -> None:
        """In a new session of the native contract."""
        call = Call(NATIVE, picked(self.readers, who), None)
        reply = self.client.request(**call.asks(question, **EVENTS))
        assert reply.status_code == 200, reply.text
        told = events_of(reply)[-1][1]
        session = self.library.add(Session(told["session"]["id"], NATIVE, call.reader))
        self.ids.append(session.id)
        if token := told["session"]["token"]:
            self.library.tokens[token] = session
            session.tokens.append(token)
        self.told(session, NATIVE, question, told)

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, token=numbers, question=questions, is_again=st.booleans())
    def go_on(self, which: int, token: int, question: str, is_again: bool) -> None:
        """Its owner, with any token of it; a request that is sent twice asks once."""
        session = picked(self.library.living, which)
        call = session.its_own(picked(session.tokens or [None], token))
        name = {"idempotency-key": uuid.uuid4().hex}
        reply = self.client.request(**call.asks(question, **name))
        assert reply.status_code == 200, reply.text
        self.library.note(session, reply)
        self.told(session, session.contract, question, reply.json())
        if is_again:
            again = self.client.request(**call.asks(question, **name))
            assert again.status_code == 200, again.text
            self.library.note(session, again)

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, who=numbers, question=questions)
    def ask_to_be_forgotten(self, which: int, who: int, question: str) -> None:
        session, reader = picked(self.known, which), picked(self.readers, who)
        call = Call(NATIVE, reader, session.id, session.its_own().token)
        body = {"question": question, "session": {"id": session.id}, **reader.query, "remember": False}
        reply = self.client.post("/v1/ask", json=body, headers=call.headers)
        if reader.is_public and not self.is_signed(call, session):
            assert status_of(reply) == 404
            return
        assert reply.status_code == 200, reply.text
        assert reply.json()["session"] is None

    @precondition(lambda self: self.library.sessions)
    @rule(which=numbers, verb=numbers, token=numbers)
    def use(self, which: int, verb: int, token: int) -> None:
        """Its owner, by whatever its contract offers."""
        session = picked(self.library.living, which)
        call = session.its_own(picked(session.tokens or [None], token))
        self.done(call, picked(list(call.contract.verbs), verb))

    @rule(who=numbers, contract=contracts, which=numbers, verb=numbers, token=numbers)
    def try_out(self, who: int, contract: SessionContract, which: int, verb: int, token: int) -> None:
        """Anybody, with any token, by whatever a contract offers."""
        shown = picked([None, *self.library.tokens], token)
        call = Call(contract, picked(self.readers, who), picked(self.ids, which), shown)
        self.done(call, picked(list(contract.verbs), verb))

    @precondition(lambda self: self.judgeable)
    @rule(which=numbers, is_helpful=st.booleans())
    def judge(self, which: int, is_helpful: bool) -> None:
        session = picked(self.judgeable, which)
        exchange = picked([candidate for candidate in session.exchanges if candidate.id], which)
        call = Call(NATIVE, session.reader, session.id, session.its_own().token)
        reply = self.client.request(**call.judges(exchange, is_helpful=is_helpful))
        assert reply.status_code == 204, reply.text
        exchange.is_judged = True

    @rule(who=numbers)
    def erase(self, who: int) -> None:
        reader = picked(self.readers, who)
        reply = self.client.delete(f"/v1/users/{reader.user}", headers=reader.headers())
        if reader.is_public:
            assert reply.status_code == 403
        elif reader.user:
            gone = self.library.of_user(reader.user)
            self.library.remove(*gone)
            erased, expected = reply.json()["erased"], receipt(gone)
            if any(candidate.id is None for session in gone for candidate in session.exchanges):
                # Their contract does not tell how well they were answered.
                expected["unanswered"] = erased["unanswered"]
            assert erased == expected

    @rule()
    def grow_old(self) -> None:
        """The sweeper comes two hours later."""
        self.world.sweep(timedelta(hours=2))
        for session in self.library.living:
            session.is_archived = session.contract is not COURSE

    @precondition(lambda self: len(self.library.sessions) > 6)
    @rule()
    def be_over(self) -> None:
        """The sweeper comes a hundred days later."""
        self.world.sweep(timedelta(days=100))
        self.library.remove(*self.library.living)

    @invariant()
    def nobody_reaches_the_session_of_another(self) -> None:
        self.tries_left += TRIES_A_STEP
        if not self.library.sessions:
            return
        thefts = [self.theft() for _ in range(self.tries_left)]
        for theft, reply in zip(
            thefts, self.world.send([attempt.request for attempt in thefts]), strict=True
        ):
            assert status_of(reply) == 404, theft
            self.world.refused[f"{theft.call.contract.contract} {theft.verb}"] += 1
        self.tries_left = 0

    def teardown(self) -> None:
        for session in self.library.living:
            self.done(session.its_own(), READ)
        for session in self.library.gone:
            call = session.its_own()
            if self.library.reached(call) is None:
                assert status_of(self.client.request(**call.does(READ))) == 404

    @property
    def known(self) -> list[Session]:
        return [*self.library.living, *self.library.gone]

    @property
    def judgeable(self) -> list[Session]:
        of_native = (session for session in self.library.living if session.contract is NATIVE)
        return [session for session in of_native if any(exchange.id for exchange in session.exchanges)]

    def theft(self) -> Theft:
        """With one thing wrong, or with everything."""
        pick = self.random.choice
        while True:
            session = pick(self.library.living)
            of_same_id = [
                namesake for namesake in self.known if namesake.id == session.id and namesake.tokens
            ]
            tokens = [
                None,
                *(pick(namesake.tokens) for namesake in of_same_id),
                pick([None, *self.library.tokens]),
            ]
            call = Call(
                pick([session.contract, pick(SESSION_CONTRACTS)]),
                pick([session.reader, pick(self.readers)]),
                session.id,
                pick(tokens),
            )
            verbs = [ASK, *call.contract.verbs, *([JUDGE] if call.contract is NATIVE else [])]
            theft = Theft(call, pick(verbs), session)
            if self.is_refused(theft):
                return theft

    def is_refused(self, theft: Theft) -> bool:
        call = theft.call
        match theft.verb:
            case "ask":
                return can_be_asked(call) and not self.library.may_ask(call)
            case "judge":
                has_id = any(candidate.id for candidate in theft.session.exchanges)
                return has_id and self.library.reached(call) is not theft.session
            case _:
                return self.library.reached(call) is None

    def done(self, call: Call, verb: str) -> None:
        """With what becomes of the session, where the call reaches one."""
        reply, session = self.client.request(**call.does(verb)), self.library.reached(call)
        if session is None:
            assert status_of(reply) == 404
            return
        if verb == DELETE:
            assert reply.status_code == 204
            self.library.remove(session)
            return
        if verb == RESET:
            session.exchanges, session.is_archived = [], False
        session.check(call.contract, reply)
        self.library.note(session, reply)

    def opened(self, call: Call, reply: httpx2.Response) -> Session:
        session = self.library.add(Session(call.session_id or "", call.contract, call.reader))
        self.library.note(session, reply)
        self.ids.append(session.id)
        return session

    def told(
        self, session: Session, contract: SessionContract, question: str, reply: Mapping[str, Any]
    ) -> None:
        exchange = Exchange.of_native(question, reply) if contract is NATIVE else Exchange(question)
        session.exchanges.append(exchange)
        session.is_archived = False

    def is_signed(self, call: Call, session: Session) -> bool:
        """Whether the token is for what the call names, be its session there or not."""
        return session.contract is NATIVE and session.its_own().owner == call.owner and bool(call.token)


def picked(some: Sequence[T], number: int) -> T:
    return some[number % len(some)]


def can_be_asked(call: Call) -> bool:
    """Whether the request is complete: one contract takes no question without a user."""
    return call.contract is not COURSE or call.reader.user is not None


def test_sessions_are_what_a_plain_dictionary_says(
    world: World, capsys: pytest.CaptureFixture[str], counted: Counter[str]
) -> None:
    class InThisWorld(Sessions):
        def __init__(self) -> None:
            super().__init__(world)

    how_many = settings(
        # Some more than needed: the first one is short, and where no session is left there is nothing to try.
        max_examples=1 + math.ceil(1.1 * TRIES / (STEPS * TRIES_A_STEP)),
        stateful_step_count=STEPS,
        suppress_health_check=cast("list[HealthCheck]", list(HealthCheck)),
    )
    run_state_machine_as_test(InThisWorld, settings=how_many)
    assert world.refused.total() >= TRIES
    counted["tries refused"] += world.refused.total()
    counted.update({f"refused: {what}": many for what, many in world.refused.items()})
    if IS_LONG:
        with capsys.disabled():
            print(f"\n{world.refused.total()} tries refused: {dict(sorted(world.refused.items()))}")
