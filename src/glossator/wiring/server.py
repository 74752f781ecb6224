"""The server, put together: the engine, and the contracts behind their guard."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import structlog
from starlette.applications import Starlette
from starlette.types import ASGIApp

from glossator.adapters.writers.service import ready
from glossator.errors import GlossatorError, RecordsUnavailable
from glossator.model import ApiKey, RetentionReport
from glossator.ports import Embedder
from glossator.preview import SiteOptions, WidgetTag, preview
from glossator.sessions.retention import RetentionSweeper
from glossator.sessions.running import RunningTurn
from glossator.settings import EmbedderKind, SessionTokens, Settings
from glossator.web.app import Lifespan, ServerConfig, routes, server
from glossator.web.auth.access import Access
from glossator.web.auth.address import Addresses, is_loopback
from glossator.web.auth.keyring import Keyring, key_of_origins
from glossator.web.auth.limits import RateLimits
from glossator.web.auth.tokens import Tokens, kept_secret
from glossator.web.contract import ContractApp, ContractSettings
from glossator.web.middleware.cors import Cors
from glossator.web.middleware.guard import ContractTerms, Guard
from glossator.web.middleware.metrics import Metrics
from glossator.web.middleware.observe import Observe, note, note_answer
from glossator.web.middleware.spans import TraceSpans
from glossator.web.serve.job import Stop
from glossator.wiring.engine import WiredEngine, machine_of
from glossator.work import FairThreads

_TRY_AGAIN = 2.0
"""Seconds until a database that was down at the start is tried again."""
_THREADS_THAT_WAIT = 32
"""For a service elsewhere."""


def app_of(settings: Settings, *, stop: Stop | None = None, embedder: Embedder | None = None) -> ASGIApp:
    machine = machine_of(settings, embedder)
    keyring = Keyring(machine.keys, given=_given_keys(settings), may_open=is_loopback(settings.host))
    metrics = Metrics()
    metrics.watch(
        machine.engine.turn_runner.limiter, {str(name): one for name, one in machine.breakers.items()}
    )
    machine.engine.turn_runner.on_end = _telling(metrics, machine.engine.book.assistant.embedder)
    limits = _limits(settings)
    access = Access(
        keyring,
        Tokens(_secret(settings)),
        limits,
        Addresses(settings.trusted_proxies),
        machine.engine.turn_runner.limiter.check_room,
        tokens_required=settings.session_tokens is SessionTokens.REQUIRED,
    )
    front = ServerConfig(
        _guarding(access),
        metrics.render,
        settings.root_contract,
        settings.root_prefix,
        _pages(settings),
        access.check_host,
    )
    contract_settings = ContractSettings(settings.heartbeat_seconds, settings.body_bytes)
    lifespan = _lifespan(settings, machine, limits, stop or Stop())
    app = server(routes(machine.engine, contract_settings, front), lifespan)
    observed = Observe(app, metrics, names_questions=settings.log_questions, spans=TraceSpans.configured())
    return Cors(observed, keyring)


def _given_keys(settings: Settings) -> Sequence[ApiKey]:
    origins = settings.anonymous_origins
    return [key_of_origins(origins, datetime.now(UTC))] if origins else []


def _limits(settings: Settings) -> RateLimits:
    redis = settings.redis_url
    return RateLimits(settings.requests_per_minute, redis.get_secret_value() if redis else None)


def _guarding(access: Access) -> Callable[[ContractApp], ASGIApp]:
    def guarded(one: ContractApp) -> ASGIApp:
        terms = ContractTerms(
            one.contract, one.render, one.body_bytes, one.rate_headers, one.open_paths, one.asks
        )
        return Guard(one.app, access, terms)

    return guarded


def _pages(settings: Settings) -> ASGIApp | None:
    if settings.preview is None:
        return None
    widget = WidgetTag(topics=settings.topics, key=settings.preview_key)
    return preview(settings.preview, SiteOptions(), widget)


def _secret(settings: Settings) -> bytes:
    if settings.secret:
        return settings.secret.get_secret_value().encode()
    return kept_secret(settings.home / "secret")


def _telling(metrics: Metrics, embedder: Embedder) -> Callable[[RunningTurn], None]:
    def tell(running: RunningTurn) -> None:
        answer, contract = running.answered, running.asking.contract
        metrics.turn(running.status)
        if answer is None:
            return
        note_answer(answer)
        note(first_text_ms=running.first_text_ms)
        if not running.is_replay:
            metrics.answered(contract, answer)
            metrics.first_text(contract, (running.first_text_ms or 0.0) / 1000)
            asked, told = embedder.count_tokens([running.asking.question.text, answer.text])
            metrics.tokens("question", asked)
            metrics.tokens("answer", told)

    return tell


def _lifespan(settings: Settings, machine: WiredEngine, limits: RateLimits, stop: Stop) -> Lifespan:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        asyncio.get_running_loop().set_default_executor(_threads(settings))
        await _get_ready(settings, machine)
        beside = [
            asyncio.create_task(work)
            for work in (_keep_up(machine), _stop_when_told(stop, machine, settings.stop_seconds))
        ]
        try:
            yield
        finally:
            await machine.engine.turn_runner.stop(settings.stop_seconds)
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)
            await limits.aclose()
            await machine.aclose()

    return lifespan


def _threads(settings: Settings) -> FairThreads:
    """Where embedding and embedded search run: more of them than cores would only take turns.

    No caller has the last of them, so that another need not wait until a long search ends.
    """
    is_far = settings.qdrant_url or settings.model or settings.embedder is EmbedderKind.OPENAI
    most = _THREADS_THAT_WAIT if is_far else len(os.sched_getaffinity(0)) + 1
    return FairThreads(most, most - 1)


async def _get_ready(settings: Settings, machine: WiredEngine) -> None:
    """The first reader waits for nothing that could be loaded before."""
    if settings.model:
        await ready()
    with suppress(GlossatorError):
        await asyncio.to_thread(machine.engine.book.assistant.embedder.embed_query, "Ready?", states=True)
    with suppress(GlossatorError):
        await machine.engine.book.manifest()
    with suppress(RecordsUnavailable):
        await machine.database.migrate()


async def _keep_up(machine: WiredEngine) -> None:
    """A database that was down at the start gets its tables when it is there."""
    while True:
        try:
            await machine.database.migrate()
            break
        except RecordsUnavailable:
            await asyncio.sleep(_TRY_AGAIN)
    await RetentionSweeper(machine.engine.retention_store, told=_tell_swept).run()


def _tell_swept(swept: RetentionReport) -> None:
    if swept.archived or swept.deleted or swept.interrupted:
        structlog.get_logger().info(
            "swept",
            archived=len(swept.archived),
            deleted=len(swept.deleted),
            interrupted=len(swept.interrupted),
        )


async def _stop_when_told(stop: Stop, machine: WiredEngine, seconds: float) -> None:
    """Streams end with a word while the server still has its connections."""
    await stop.wait()
    await machine.engine.turn_runner.stop(seconds)
