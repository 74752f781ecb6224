"""Builds the engine with each dependency behind its circuit breaker, and opens the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from glossator.adapters.records.database import Database
from glossator.adapters.records.exchanges import SqlExchangeStore
from glossator.adapters.records.insights import SqlInsightStore
from glossator.adapters.records.keys import SqlKeyStore
from glossator.adapters.records.retention import Retention
from glossator.adapters.records.retention_store import SqlRetentionStore
from glossator.adapters.records.sessions import SqlSessionStore
from glossator.adapters.records.turns import SqlTurnStore
from glossator.answer.book import ServedBook
from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.result_cache import ResultCache
from glossator.engine import Engine
from glossator.errors import EmbedderUnavailable, IndexUnavailable
from glossator.exam.fit import measure_fit
from glossator.model import EmbedderIdentity
from glossator.ports import Embedder, Index, KeyStore, Rewriter, Writer
from glossator.resilience.circuit_breaker import Breaker, Dependency, breakers
from glossator.resilience.watched import (
    RemoteCalls,
    WatchedEmbedder,
    WatchedIndex,
    WatchedRewriter,
    WatchedWriter,
    watched_records,
)
from glossator.sessions.limits import ConcurrencyLimiter
from glossator.sessions.retention import summarize
from glossator.sessions.turns import TurnRunner, TurnTimeouts
from glossator.settings import EmbedderKind, Settings, WriterKind
from glossator.wiring import build_assistant, embedder_of, index_of, reader_of, rewriter_of, writer_of
from glossator.wiring.health import health_of, log_fault

MAX_QUESTION_CHARACTERS = 10_000
"""The longest question that any contract takes; each contract checks its own limit."""


@dataclass(frozen=True, slots=True)
class WiredEngine:
    """The engine of the book that the settings name, those of other books, and what else the server needs."""

    engine: Engine
    settings: Settings
    database: Database
    keys: KeyStore
    breakers: Mapping[Dependency, Breaker]
    others: dict[str, Engine] = field(default_factory=dict[str, Engine])

    def of_book(self, name: str) -> Engine:
        """Made when it is first needed; all books share the models, the database and the limits."""
        if name == self.settings.book:
            return self.engine
        if name not in self.others:
            self.others[name] = self._other(self.settings.of_book(name))
        return self.others[name]

    def _other(self, settings: Settings) -> Engine:
        # A breaker of its own: the index of one book may be damaged while those of the others work.
        by_dependency = {**self.breakers, Dependency.INDEX: _breakers(settings)[Dependency.INDEX]}
        shared = self.engine.book.assistant
        expects = shared.embedder.identity
        index = _index(settings, expects, by_dependency[Dependency.INDEX])
        assistant = replace(shared, index=index, book_name=settings.book)
        limiter = self.engine.turn_runner.limiter
        engine = _engine(settings, assistant, self.database, by_dependency, limiter)
        engine.turn_runner.on_end = self.engine.turn_runner.on_end
        return engine

    def close_book(self, name: str) -> None:
        """Closes a book that was removed; answers that are running end as they can."""
        if engine := self.others.pop(name, None):
            engine.book.assistant.index.close()
            if cache := engine.book.assistant.cache:
                cache.drop_book(name)

    async def stop(self, seconds: float) -> None:
        """Refuses new turns, and lets those that run finish within `seconds`."""
        engines = (self.engine, *self.others.values())
        await asyncio.gather(*(engine.turn_runner.stop(seconds) for engine in engines))

    async def aclose(self) -> None:
        for engine in (self.engine, *self.others.values()):
            engine.book.assistant.index.close()
        await self.database.aclose()


def wire_engine(settings: Settings, embedder: Embedder | None = None) -> WiredEngine:
    """Opens the model and the database, without sending anything to them."""
    by_dependency = _breakers(settings)
    database = open_database(settings)
    limiter = ConcurrencyLimiter(settings.concurrency, settings.queue)
    assistant = _assistant(
        settings, embedder or embedder_of(settings, seconds=settings.search_seconds), by_dependency
    )
    assistant = replace(assistant, cache=_cache(settings), book_name=settings.book)
    return WiredEngine(
        engine=_engine(settings, assistant, database, by_dependency, limiter),
        settings=settings,
        database=database,
        keys=watched_records(SqlKeyStore(database), by_dependency[Dependency.RECORDS]),
        breakers=by_dependency,
    )


def _cache(settings: Settings) -> ResultCache | None:
    if not settings.result_cache_entries or not settings.result_cache_bytes:
        return None
    return ResultCache(settings.result_cache_entries, settings.result_cache_bytes)


def _breakers(settings: Settings) -> Mapping[Dependency, Breaker]:
    return breakers(failures=settings.breaker_failures, seconds=settings.breaker_seconds, tell=log_fault)


def _assistant(
    settings: Settings, embedder: Embedder, by_dependency: Mapping[Dependency, Breaker]
) -> AnswerPipeline:
    assistant = build_assistant(
        settings,
        WatchedEmbedder(embedder, by_dependency[Dependency.EMBEDDER], _remote_embedder(settings)),
        reader_of(settings),
        _index(settings, embedder.identity, by_dependency[Dependency.INDEX]),
        _writer(settings, by_dependency[Dependency.WRITER]),
        _rewriter(settings, by_dependency[Dependency.WRITER]),
    )
    return replace(assistant, longest=MAX_QUESTION_CHARACTERS)


def _index(settings: Settings, expects: EmbedderIdentity, breaker: Breaker) -> Index:
    return WatchedIndex(index_of(settings, expects=expects), breaker, _remote_index(settings))


def _remote_index(settings: Settings) -> RemoteCalls | None:
    return RemoteCalls(IndexUnavailable, settings.search_seconds, tries=2) if settings.qdrant_url else None


def _remote_embedder(settings: Settings) -> RemoteCalls | None:
    is_service = settings.embedder is EmbedderKind.OPENAI
    return RemoteCalls(EmbedderUnavailable, settings.search_seconds) if is_service else None


def _writer(settings: Settings, breaker: Breaker) -> Writer:
    return writer_of(settings, settings.writer, watched=lambda writer: WatchedWriter(writer, breaker))


def _rewriter(settings: Settings, breaker: Breaker) -> Rewriter | None:
    if settings.writer is WriterKind.EXTRACTIVE:
        return None
    return WatchedRewriter(rewriter_of(settings), breaker)


def _engine(
    settings: Settings,
    assistant: AnswerPipeline,
    database: Database,
    by_dependency: Mapping[Dependency, Breaker],
    limiter: ConcurrencyLimiter,
) -> Engine:
    records, retention = by_dependency[Dependency.RECORDS], retention_of(settings)
    exchanges = watched_records(SqlExchangeStore(database, retention), records)
    retention_store = watched_records(SqlRetentionStore(database, retention), records)
    turns = SqlTurnStore(database, retention, summarize=summarize)
    return Engine(
        turn_runner=TurnRunner(
            assistant,
            watched_records(turns, records),
            exchanges,
            limiter=limiter,
            timeouts=TurnTimeouts(answer=settings.answer_seconds, linger=settings.linger_seconds),
        ),
        book=ServedBook(assistant),
        sessions=watched_records(SqlSessionStore(database, retention), records),
        exchanges=exchanges,
        retention_store=retention_store,
        insight_store=watched_records(SqlInsightStore(database, retention, book=settings.book), records),
        health=health_of(settings, assistant, retention_store, by_dependency),
        lifecycles=settings.lifecycles,
        measure_fit=partial(measure_fit, assistant.embedder, assistant.reader, assistant.index),
    )


def open_database(settings: Settings) -> Database:
    """Does not connect yet."""
    return Database.open(database_url_of(settings), settings.database_seconds)


def database_url_of(settings: Settings) -> str:
    url = settings.database_url
    return url.get_secret_value() if url else f"sqlite:///{settings.home.absolute() / 'records.sqlite'}"


@asynccontextmanager
async def database_of(settings: Settings) -> AsyncGenerator[Database]:
    """A database whose tables are migrated to this version."""
    database = open_database(settings)
    try:
        await database.migrate()
        yield database
    finally:
        await database.aclose()


@asynccontextmanager
async def keys_of(settings: Settings) -> AsyncGenerator[KeyStore]:
    async with database_of(settings) as database:
        yield SqlKeyStore(database)


def retention_of(settings: Settings) -> Retention:
    return Retention(settings.lifecycles)
