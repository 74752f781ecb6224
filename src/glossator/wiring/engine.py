"""Builds the engine with each dependency behind its circuit breaker, and opens the database."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
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
from glossator.engine import Engine
from glossator.errors import EmbedderUnavailable, IndexUnavailable
from glossator.exam.fit import measure_fit
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
    """The engine, and what else the server needs."""

    engine: Engine
    database: Database
    index: Index
    keys: KeyStore
    breakers: Mapping[Dependency, Breaker]

    async def aclose(self) -> None:
        self.index.close()
        await self.database.aclose()


def wire_engine(settings: Settings, embedder: Embedder | None = None) -> WiredEngine:
    """Opens the model and the database, without sending anything to them."""
    by_dependency = breakers(
        failures=settings.breaker_failures, seconds=settings.breaker_seconds, tell=log_fault
    )
    database = open_database(settings)
    assistant = _assistant(
        settings, embedder or embedder_of(settings, seconds=settings.search_seconds), by_dependency
    )
    return WiredEngine(
        engine=_engine(settings, assistant, database, by_dependency),
        database=database,
        index=assistant.index,
        keys=watched_records(SqlKeyStore(database), by_dependency[Dependency.RECORDS]),
        breakers=by_dependency,
    )


def _assistant(
    settings: Settings, embedder: Embedder, by_dependency: Mapping[Dependency, Breaker]
) -> AnswerPipeline:
    index = index_of(settings, expects=embedder.identity)
    assistant = build_assistant(
        settings,
        WatchedEmbedder(embedder, by_dependency[Dependency.EMBEDDER], _remote_embedder(settings)),
        reader_of(settings),
        WatchedIndex(index, by_dependency[Dependency.INDEX], _remote_index(settings)),
        _writer(settings, by_dependency[Dependency.WRITER]),
        _rewriter(settings, by_dependency[Dependency.WRITER]),
    )
    return replace(assistant, longest=MAX_QUESTION_CHARACTERS)


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
            limiter=ConcurrencyLimiter(settings.concurrency, settings.queue),
            timeouts=TurnTimeouts(answer=settings.answer_seconds, linger=settings.linger_seconds),
        ),
        book=ServedBook(assistant),
        sessions=watched_records(SqlSessionStore(database, retention), records),
        exchanges=exchanges,
        retention_store=retention_store,
        insight_store=watched_records(SqlInsightStore(database, retention), records),
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
