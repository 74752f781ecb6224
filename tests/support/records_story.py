"""Records to tell stories with: every port over one database, and a clock that moves only when it is told to."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from glossator.adapters.records.database import Database
from glossator.adapters.records.exchanges import SqlExchangeStore
from glossator.adapters.records.insights import SqlInsightStore
from glossator.adapters.records.keys import SqlKeyStore
from glossator.adapters.records.retention import Retention
from glossator.adapters.records.retention_store import SqlRetentionStore
from glossator.adapters.records.sessions import SqlSessionStore
from glossator.adapters.records.turns import SqlTurnStore
from glossator.model import (
    Answer,
    BookIndex,
    Citation,
    Claim,
    Confidence,
    ConfidenceMetrics,
    Contract,
    Grounding,
    KeptExchange,
    Level,
    Lifecycle,
    Outcome,
    Owner,
    Policy,
    Session,
    Step,
    Suggestion,
    Topic,
    Turn,
    Verdict,
)

ALICE, BOB = Owner("key-1", "alice"), Owner("key-1", "bob")
NOON = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LIFECYCLES = {
    Contract.NATIVE: Lifecycle(archive_after=HOUR, delete_after=90 * DAY, in_view=100),
    Contract.THREADS: Lifecycle(archive_after=HOUR, delete_after=90 * DAY, in_view=50),
    Contract.GROUNDING: Lifecycle(archive_after=HOUR, delete_after=DAY, in_view=100),
    Contract.COURSE: Lifecycle(archive_after=None, delete_after=90 * DAY, in_view=200),
}


@dataclass
class Clock:
    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> datetime:
        self.now += timedelta(**time)
        return self.now


_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Records:
    database: Database
    clock: Clock
    turns: SqlTurnStore
    exchanges: SqlExchangeStore
    sessions: SqlSessionStore
    keys: SqlKeyStore
    retention_store: SqlRetentionStore
    insight_store: SqlInsightStore

    @classmethod
    def over(cls, database: Database, clock: Clock | None = None) -> Records:
        clock = clock or Clock()
        retention = Retention(LIFECYCLES, clock)
        return cls(
            database,
            clock,
            SqlTurnStore(database, retention, summarize=summarize),
            SqlExchangeStore(database, retention),
            SqlSessionStore(database, retention),
            SqlKeyStore(database),
            SqlRetentionStore(database, retention),
            SqlInsightStore(database, retention),
        )

    def turn(self, session_id: str = "s", owner: Owner = ALICE, **fields: Any) -> Turn:
        """A question at this moment, in a session as it would be opened."""
        contract = fields.pop("contract", Contract.NATIVE)
        opened_as = fields.pop("session", {})
        session = Session(session_id, owner, contract, self.clock.now, self.clock.now, **opened_as)
        number = next(_NUMBERS)
        return replace(Turn(f"turn-{number}", session, f"Question {number}?", self.clock.now), **fields)

    async def ask(
        self, session_id: str = "s", owner: Owner = ALICE, reply: Answer | None = None, **fields: Any
    ) -> KeptExchange:
        """From the question to the stored answer, which takes two seconds."""
        turn = self.turn(session_id, owner, **fields)
        await self.turns.accept(turn)
        at = self.clock.forward(seconds=2)
        return await self.turns.complete(turn.id, replace(reply or answer(), id=turn.id), at)

    async def questions(self, session_id: str = "s", owner: Owner = ALICE) -> list[str]:
        return [kept.question for kept in await self.exchanges.of_session(session_id, owner)]


@asynccontextmanager
async def opened(url: str | None, seconds: float = 10) -> AsyncIterator[Records]:
    """In memory without a url."""
    database = Database.open(url, seconds) if url else Database.in_memory(seconds)
    try:
        await database.migrate()
        yield Records.over(database)
    finally:
        await database.aclose()


def summarize(topics: Sequence[Topic]) -> str:
    return " | ".join(f"{topic.question} {'+'.join(topic.sections)}" for topic in topics)


def answer(text: str = "Nodes talk over topics [1].", **fields: Any) -> Answer:
    metrics = ConfidenceMetrics(0.9, 0.8, 0.95, 5, 0.4, Level.HIGH, True, True)
    return replace(
        Answer(
            id="",
            outcome=Outcome.ANSWERED,
            text=text,
            claims=(Claim(text, Verdict.SUPPORTED, (1,)),),
            citations=(citation(1),),
            confidence=Confidence(0.93, Level.HIGH, True, Policy.CALIBRATED, metrics),
            grounding=Grounding(True),
            suggestions=(),
            disclaimer=None,
            writer="extractive",
            model="extractive",
            index=BookIndex(3, "Physical AI"),
            timings={"total": 20.5},
            trace=(Step("route", 0.001, {"route": "book"}),),
        ),
        **fields,
    )


def refusal(**fields: Any) -> Answer:
    nearest = Suggestion("Batteries", "https://book.example/power#batteries", "power.md#2")
    return answer(
        "The book does not say.",
        outcome=Outcome.NOT_IN_BOOK,
        claims=(),
        citations=(),
        suggestions=(nearest, Suggestion("Motors", "https://book.example/power#motors", "power.md#3")),
        **fields,
    )


def citation(n: int, section: str = "Understanding Nodes") -> Citation:
    return Citation(
        n=n,
        chunk_id=f"ros2.md#{n}",
        page="ros2.md",
        page_title="ROS 2",
        chapter="Robot Operating System",
        section=section,
        url=f"https://book.example/ros2#nodes-{n}",
        quote="Nodes talk over topics.",
        start=100,
        end=123,
        similarity=0.91,
    )


def stored(exchange: KeptExchange) -> KeptExchange:
    """As it is read back: what is kept of an answer has no trace."""
    return replace(exchange, answer=replace(exchange.answer, trace=()))
