"""Builds the server's application: the engine, the contracts behind their guard, and the middleware."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

import structlog
from starlette.applications import Starlette
from starlette.types import ASGIApp

from glossator.adapters.writers.service import ready
from glossator.errors import GlossatorError, RecordsUnavailable
from glossator.extras import need_extra
from glossator.model import RetentionReport
from glossator.ports import Embedder
from glossator.sessions.retention import RetentionSweeper
from glossator.sessions.running import RunningTurn
from glossator.settings import EmbedderKind, SessionTokens, Settings
from glossator.web.app import Lifespan, ServerConfig, book_app, routes, server
from glossator.web.auth.access import Access
from glossator.web.auth.address import Addresses, is_loopback
from glossator.web.auth.keyring import Keyring
from glossator.web.auth.limits import RateLimits
from glossator.web.auth.tokens import Tokens, load_or_create_secret
from glossator.web.books import Books
from glossator.web.contract import ContractApp, ContractSettings
from glossator.web.middleware.cors import Cors
from glossator.web.middleware.guard import ContractTerms, Guard
from glossator.web.middleware.metrics import Metrics
from glossator.web.middleware.observe import Observe, note, note_answer
from glossator.web.middleware.spans import TraceSpans
from glossator.web.serve.job import Stop
from glossator.wiring.books import book_names
from glossator.wiring.engine import WiredEngine, wire_engine
from glossator.wiring.keys import configured_keys_of
from glossator.work import FairThreads

_RETRY_SECONDS = 2.0
"""Seconds until a database that was down at the start is tried again."""
_REMOTE_THREADS = 32
"""The number of threads if they mostly wait for a remote service."""


def app_of(settings: Settings, *, stop: Stop | None = None, embedder: Embedder | None = None) -> ASGIApp:
    stop = stop or Stop()
    wired = wire_engine(settings, embedder)
    keyring = Keyring(wired.keys, given=configured_keys_of(settings), may_open=is_loopback(settings.host))
    metrics = Metrics()
    limiter = wired.engine.turn_runner.limiter
    breakers = {str(name): breaker for name, breaker in wired.breakers.items()}
    metrics.watch(limiter, breakers, wired.engine.book.assistant.cache)
    wired.engine.turn_runner.on_end = _observer(metrics, wired.engine.book.assistant.embedder)
    limits = _limits(settings)
    access = Access(
        keyring,
        Tokens(_secret(settings)),
        limits,
        Addresses(settings.trusted_proxies),
        limiter.check_room,
        limiter.arrive,
        tokens_required=settings.session_tokens is SessionTokens.REQUIRED,
    )
    config = ServerConfig(
        _guard_with(access, settings.book),
        metrics.render,
        settings.root_contract,
        settings.root_prefix,
        _pages(settings),
        settings.public_book,
        access.check_host,
        is_stopping=lambda: stop.is_announced,
    )
    contract_settings = ContractSettings(settings.heartbeat_seconds, settings.body_bytes)

    def make_app(book: str | None) -> ASGIApp:
        engine = wired.engine if book is None else wired.of_book(book)
        return book_app(engine, contract_settings, replace(config, guarded=_guard_with(access, book)))

    books = Books(partial(book_names, settings), make_app, wired.close_book)
    config = replace(config, books=books)
    lifespan = _lifespan(settings, wired, limits, stop)
    app = server(routes(wired.engine, contract_settings, config), lifespan)
    observed = Observe(app, metrics, log_questions=settings.log_questions, spans=TraceSpans.configured())
    return Cors(observed, keyring)


def _limits(settings: Settings) -> RateLimits:
    redis = settings.redis_url
    return RateLimits(settings.requests_per_minute, redis.get_secret_value() if redis else None)


def _guard_with(access: Access, book: str | None) -> Callable[[ContractApp], ASGIApp]:
    """`book` is None for names that no book has: then no path is open, so that all of them look alike."""

    def guard(contract: ContractApp) -> ASGIApp:
        terms = ContractTerms(
            contract.contract,
            contract.render,
            contract.body_bytes,
            contract.rate_headers,
            contract.open_paths if book is not None else frozenset(),
            contract.asks,
            book=book,
        )
        return Guard(contract.app, access, terms)

    return guard


def _pages(settings: Settings) -> ASGIApp | None:
    if settings.preview is None:
        return None
    need_extra("preview", "The preview")
    from glossator.preview import SiteOptions, WidgetTag, preview

    widget = WidgetTag(topics=settings.topics, key=settings.preview_key)
    return preview(settings.preview, SiteOptions(), widget)


def _secret(settings: Settings) -> bytes:
    if settings.secret:
        return settings.secret.get_secret_value().encode()
    return load_or_create_secret(settings.home / "secret")


def _observer(metrics: Metrics, embedder: Embedder) -> Callable[[RunningTurn], None]:
    """Records a turn that has ended in the metrics and in the request's log line."""

    def observe(running: RunningTurn) -> None:
        answer, contract = running.answered, running.request.contract
        metrics.turn(running.status)
        if answer is None:
            return
        note_answer(answer)
        note(first_text_ms=running.first_text_ms)
        if not running.is_replay:
            metrics.answered(contract, answer)
            metrics.first_text(contract, (running.first_text_ms or 0.0) / 1000)
            texts = {"question": running.request.question.text, "answer": answer.text}
            # In a thread, and nobody waits for it: the reader has the answer already.
            asyncio.get_running_loop().run_in_executor(None, count_tokens, texts)

    def count_tokens(texts: Mapping[str, str]) -> None:
        for kind, tokens in zip(texts, embedder.count_tokens(list(texts.values())), strict=True):
            metrics.tokens(kind, tokens)

    return observe


def _lifespan(settings: Settings, wired: WiredEngine, limits: RateLimits, stop: Stop) -> Lifespan:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        asyncio.get_running_loop().set_default_executor(_threads(settings))
        await _warm_up(settings, wired)
        background = [
            asyncio.create_task(work)
            for work in (_maintain(wired), _stop_turns(stop, wired, settings.stop_seconds))
        ]
        try:
            yield
        finally:
            await wired.stop(settings.stop_seconds)
            for task in background:
                task.cancel()
            await asyncio.wait(background)
            await limits.aclose()
            await wired.aclose()

    return lifespan


def _threads(settings: Settings) -> FairThreads:
    """The threads for embedding and search: about one per core, more if they wait for remote services.

    One caller can never hold all of them, so that another need not wait until a long search ends.
    """
    is_remote = settings.qdrant_url or settings.model or settings.embedder is EmbedderKind.OPENAI
    threads = _REMOTE_THREADS if is_remote else len(os.sched_getaffinity(0)) + 1
    return FairThreads(threads, threads - 1)


async def _warm_up(settings: Settings, wired: WiredEngine) -> None:
    """Loads everything that the first question would have to wait for."""
    if settings.model:
        await ready()
    assistant = wired.engine.book.assistant
    with suppress(GlossatorError):
        await assistant.load()
        await asyncio.to_thread(assistant.embedder.embed_query, "Ready?", states=True)
    with suppress(GlossatorError):
        await wired.engine.book.manifest()
    with suppress(RecordsUnavailable):
        await wired.database.migrate()


async def _maintain(wired: WiredEngine) -> None:
    """Migrates a database that was down at the start once it answers, then sweeps old sessions."""
    while True:
        try:
            await wired.database.migrate()
            break
        except RecordsUnavailable:
            await asyncio.sleep(_RETRY_SECONDS)
    await RetentionSweeper(wired.engine.retention_store, on_sweep=_log_sweep).run()


def _log_sweep(report: RetentionReport) -> None:
    if report.archived or report.deleted or report.interrupted:
        structlog.get_logger().info(
            "swept",
            archived=len(report.archived),
            deleted=len(report.deleted),
            interrupted=len(report.interrupted),
        )


async def _stop_turns(stop: Stop, wired: WiredEngine, seconds: float) -> None:
    """Ends the running turns while the server still has its connections, so that streams end properly."""
    await stop.wait()
    await wired.stop(seconds)
