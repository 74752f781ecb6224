"""A worker process: `python -m glossator.web.serve.worker JOB`, started by `supervise`.

It runs Granian, which closes connections whose headers never come (uvicorn keeps them for ever). Process and
event loop are ours, because Granian's own workers outlive their parent and tell the application of SIGTERM
too late.
"""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any, NoReturn, TextIO

import structlog
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.net import SocketHolder  # pyright: ignore[reportPrivateImportUsage]
from granian.server.embed import Server
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.errors import GlossatorError
from glossator.web.middleware.log import format_error
from glossator.web.serve.job import MakeApp, Stop, WorkerJob, WorkerReport, heartbeat
from glossator.web.serve.serve import BACKLOG, max_connections

try:
    from uvloop import new_event_loop
except ImportError:
    from asyncio import new_event_loop

_LATE_SECONDS = 0.75
"""How long after `stop_seconds` the last events may still be sent."""
_FLUSH_SECONDS = 0.25
"""How long the server may take to write what the application has sent."""


def main() -> NoReturn:
    reports = _take_standard_output()
    job = WorkerJob.of(sys.argv[1])
    threading.Thread(target=_end_with_parent, args=(job,), daemon=True).start()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        code = runner.run(_work(job, reports))
        sys.stderr.flush()
        # Not sys.exit: Granian's threads may still hold a connection, and panic without an interpreter.
        os._exit(code)


def _take_standard_output() -> TextIO:
    """Keeps standard output for our reports to the parent; other prints go to standard error."""
    reports = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return reports


def _end_with_parent(job: WorkerJob) -> NoReturn:
    """Blocks until the parent is gone: nobody writes to our standard input, and it closes with the parent."""
    os.read(0, 1)
    if job.shared is not None:
        shutil.rmtree(job.shared, ignore_errors=True)
    os._exit(1)


async def _work(job: WorkerJob, reports: TextIO) -> int:
    """Serves, and returns the exit code."""
    try:
        await _serve(job, reports)
    except GlossatorError as error:
        _report(reports, str(error))
        return 1
    except Exception as error:  # noqa: BLE001  nothing above would log it
        # With messages: before and after serving there are no readers' words in them.
        structlog.get_logger().error("worker failed", exception=format_error(error, with_messages=True))
        _report(reports, "A worker failed; the log says why.")
        return 1
    return 0


def _report(reports: TextIO, failure: str) -> None:
    """The supervisor reads a report only before the worker serves; the pipe is closed after that."""
    if not reports.closed:
        print(WorkerReport(failure=failure).to_json(), file=reports)


async def _serve(job: WorkerJob, reports: TextIO) -> None:
    stop = Stop()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.announce, job.drain_seconds)
    app = _load_factory(job.make_app)(stop)
    async with lifespan(app) as state:
        # A full collection would go through all that was loaded, and stop every answer for 100 ms.
        gc.collect()
        gc.freeze()
        requests = _Requests(app, state)
        server = GranianServer(requests, job.listener, header_seconds=job.header_seconds)
        serving = asyncio.create_task(server.serve())
        print(WorkerReport().to_json(), file=reports)
        async with heartbeat(reports, job.watchdog_seconds):
            await _until_stopped(serving, stop)
        server.stop()
        await requests.ended(within=job.stop_seconds + _LATE_SECONDS)
        # No longer, because a connection with half a request would keep the server running.
        await asyncio.wait((serving,), timeout=_FLUSH_SECONDS)


async def _until_stopped(serving: asyncio.Task[None], stop: Stop) -> None:
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        serving.result()
        raise RuntimeError("The server stopped by itself.")


def _load_factory(name: str) -> MakeApp:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


class _Requests:
    """The application, counting the requests that it is serving."""

    def __init__(self, app: ASGIApp, state: dict[str, Any]) -> None:
        self._app = app
        self._state = state
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] = dict(self._state)
        self._count += 1
        self._idle.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._count -= 1
            if not self._count:
                self._idle.set()

    async def ended(self, *, within: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._idle.wait()


_HEADER_BYTES = 65_536
_LOGGING: dict[str, Any] = {
    "incremental": True,
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}
"""Granian's default writes to standard output, in another format."""


class GranianServer(Server):
    """Granian in our event loop and on our socket: `serve()` takes requests until `stop()`.

    HTTP/1.1 only: while Granian detects the protocol, it never closes a connection that sends nothing.
    """

    def __init__(self, app: ASGIApp, listener: int, *, header_seconds: float) -> None:
        super().__init__(
            app,
            interface=Interfaces.ASGINL,
            http=HTTPModes.http1,
            websockets=False,
            # A limit of connections: without one Granian spins when no descriptors are left.
            backpressure=max_connections(),
            http1_settings=HTTP1Settings(
                header_read_timeout=int(header_seconds * 1000), max_buffer_size=_HEADER_BYTES
            ),
            log_level=LogLevels.error,
            log_dictconfig=_LOGGING,
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        # Granian's own socket would let any number of servers share the port.
        self._shd = SocketHolder(self._listener, False, BACKLOG)  # pyright: ignore[reportCallIssue]


@asynccontextmanager
async def lifespan(app: ASGIApp) -> AsyncGenerator[dict[str, Any]]:
    """Runs the application's ASGI lifespan: yields its state for requests, raises its errors."""
    channel = _LifespanChannel(app)
    await channel.send("startup")
    try:
        yield channel.state
    finally:
        await channel.send("shutdown")


class _LifespanChannel:
    def __init__(self, app: ASGIApp) -> None:
        self.state = dict[str, Any]()
        self._to_app = asyncio.Queue[Message]()
        self._from_app = asyncio.Queue[Message]()
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        self._task = asyncio.ensure_future(app(scope, self._to_app.get, self._from_app.put))

    async def send(self, phase: str) -> None:
        """Returns when the application has completed the phase."""
        await self._to_app.put({"type": f"lifespan.{phase}"})
        reply = asyncio.create_task(self._from_app.get())
        await asyncio.wait((reply, self._task), return_when=asyncio.FIRST_COMPLETED)
        if not reply.done() or reply.result()["type"] != f"lifespan.{phase}.complete":
            reply.cancel()
            await self._task
            raise RuntimeError(f"The application broke off at its {phase}.")


if __name__ == "__main__":
    main()
