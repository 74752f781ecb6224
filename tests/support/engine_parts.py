"""An asker on the small book and a real SQLite file, with a writer that waits until it is told to go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from glossator.adapters.records.database import Database
from glossator.adapters.records.exchanges import SqlExchangeStore
from glossator.adapters.records.retention import Retention
from glossator.adapters.records.turns import SqlTurnStore
from glossator.errors import RecordsUnavailable, WriterUnavailable
from glossator.model import Brief, Contract, Owner, Question
from glossator.ports import Embedder, Reader
from glossator.sessions.limits import ConcurrencyLimiter
from glossator.sessions.retention import summarize
from glossator.sessions.running import TurnRequest
from glossator.sessions.turns import TurnRunner, TurnTimeouts
from glossator.settings import LIFECYCLES, Settings
from glossator.wiring import build_assistant, index_of

OWNER = Owner("key")
SENTENCES = (
    "A topic is a named stream of messages. [1]\n\n",
    "Publishers send messages to it, and every subscriber receives a copy. [1]\n\n",
)


@dataclass
class GuidedWriter:
    """Says two sentences of the book, of which the first is heard at once, and ends when it is let."""

    name: str = "guided"
    model: str = "guided"
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    briefs: list[Brief] = field(default_factory=list[Brief])
    was_hung_up: bool = False
    fails: bool = False

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        self.briefs.append(brief)
        if self.fails:
            raise WriterUnavailable
        try:
            for sentence in SENTENCES:
                yield sentence
            await self.go_on.wait()
        except (asyncio.CancelledError, GeneratorExit):
            self.was_hung_up = True
            raise


@dataclass
class Parts:
    turn_runner: TurnRunner
    writer: GuidedWriter
    database: Database
    exchanges: SqlExchangeStore


@asynccontextmanager
async def parts_of(
    home: Path,
    embedder: Embedder,
    reader: Reader,
    file: Path,
    *,
    limiter: ConcurrencyLimiter | None = None,
    timeouts: TurnTimeouts | None = None,
) -> AsyncGenerator[Parts]:
    database = Database.open(f"sqlite:///{file}", 5.0)
    await database.migrate()
    writer = GuidedWriter()
    settings = Settings(home=home)
    index = index_of(settings, expects=embedder.identity)
    retention = Retention(LIFECYCLES)
    exchanges = SqlExchangeStore(database, retention)
    try:
        yield Parts(
            TurnRunner(
                build_assistant(settings, embedder, reader, index, writer, None),
                SqlTurnStore(database, retention, summarize=summarize),
                exchanges,
                limiter=limiter or ConcurrencyLimiter(),
                timeouts=timeouts or TurnTimeouts(first_hold=0.01, hold=0.05),
            ),
            writer,
            database,
            exchanges,
        )
    finally:
        index.close()
        await database.aclose()


def asking(text: str = "What is a topic?", **more: object) -> TurnRequest:
    given = {"owner": OWNER, "contract": Contract.NATIVE, **more}
    return TurnRequest(question=Question(text), **given)  # type: ignore[arg-type]


class DownRecords:
    """A database that does not answer."""

    def __getattr__(self, name: str) -> Callable[..., Awaitable[None]]:
        async def fail(*_: object, **__: object) -> None:
            raise RecordsUnavailable

        return fail


async def until(condition, seconds: float = 5.0) -> None:  # type: ignore[no-untyped-def]
    """Looks again and again; what never comes true is a failure."""
    async with asyncio.timeout(seconds):
        while not (await found if asyncio.iscoroutine(found := condition()) else found):
            await asyncio.sleep(0.005)
