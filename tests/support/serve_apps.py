"""Applications that the server tests serve, in processes of their own."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from glossator.errors import SettingsError
from glossator.web.middleware import log
from glossator.web.middleware.metrics import Metrics
from glossator.web.middleware.observe import Observe, note
from glossator.web.problem import problem_of
from glossator.web.serve.job import Stop
from glossator.web.sse import EventStream, frame

SECRET = 'canary-"pass"-wörd'


def diary(*words: object) -> None:
    """What happened in the application, for the test to read."""
    with Path(os.environ["SERVE_DIARY"]).open("a") as file:
        print(*words, file=file)


def make_app(stop: Stop) -> ASGIApp:
    log.configure(log.Logging(secrets=[SECRET], is_json=True))
    metrics = Metrics()
    routes = [
        Route("/pid", lambda request: PlainTextResponse(str(os.getpid()))),
        Route("/frozen", lambda request: PlainTextResponse(str(gc.get_freeze_count()))),
        Route("/count", lambda request: EventStream(_count(stop))),
        Route("/quiet", lambda request: EventStream(_quiet(stop), heartbeat_seconds=0.05)),
        Route("/stubborn", lambda request: EventStream(_stubborn(), heartbeat_seconds=0.05)),
        Route("/cut", lambda request: EventStream(_cut())),
        Route("/whole/{name}", _whole, methods=["POST"]),
        Route("/fail", _fail),
        Route("/metrics", lambda request: metrics.render()),
    ]
    app = Starlette(routes=routes, lifespan=_lifespan, exception_handlers={500: _failed})
    return Observe(app, metrics)


async def _count(stop: Stop) -> AsyncGenerator[bytes]:
    try:
        for number in itertools.count():
            yield frame(str(number).encode(), event="number")
            if stop.is_set():
                yield frame(b"stopping", event="end")
                return
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        diary("cancelled")
        raise


async def _quiet(stop: Stop) -> AsyncGenerator[bytes]:
    await stop.wait()
    yield frame(b"stopping", event="end")


async def _stubborn() -> AsyncGenerator[bytes]:
    """Never ends, whatever it is told."""
    yield frame(b"still here")
    await asyncio.Event().wait()


async def _cut() -> AsyncGenerator[bytes]:
    yield frame(b"one")
    raise ValueError("what a reader wrote")


async def _whole(request: Request) -> Response:
    body = await request.body()
    note(contract="native", key="k123", question=body.decode())
    return PlainTextResponse(str(len(body)))


async def _fail(request: Request) -> Response:
    structlog.get_logger().warning("about to fail", password=SECRET)
    raise OSError(f"no login with {SECRET}")


async def _failed(request: Request, error: Exception) -> Response:
    return PlainTextResponse(problem_of(error).trace_id, 500)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncGenerator[None]:
    diary("began", os.environ["OPENBLAS_NUM_THREADS"])
    yield
    diary("ended")


def begins_slowly(stop: Stop) -> ASGIApp:
    """Its loop is silent for longer than the watchdog of its test waits: nothing happens that could be waited for."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        time.sleep(6)
        yield

    return Starlette(
        routes=[Route("/pid", lambda request: PlainTextResponse(str(os.getpid())))], lifespan=lifespan
    )


def refuses(stop: Stop) -> ASGIApp:
    raise SettingsError("The canary is not at home.")


def breaks(stop: Stop) -> ASGIApp:
    log.configure(log.Logging(secrets=[SECRET], is_json=True))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        raise ValueError(f"there is no {SECRET}")
        yield

    return Starlette(lifespan=lifespan)
