"""A process that serves the application: `python -m glossator.web.serve.worker JOB`, as `supervise` calls it.

Granian, because it closes connections whose headers never come (uvicorn keeps them for ever); in a process
and loop of ours, because its own outlive their parent, and tell the application of SIGTERM when all is over.
"""

from __future__ import annotations

import asyncio
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
from glossator.web.middleware.log import told
from glossator.web.serve.job import MakeApp, Stop, WorkerJob, WorkerReport, beating
from glossator.web.serve.serve import BACKLOG, most_connections

try:
    from uvloop import new_event_loop
except ImportError:
    from asyncio import new_event_loop

_LATE_SECONDS = 0.75
"""After `stop_seconds`, for the last events to leave."""
_FLUSH_SECONDS = 0.25
"""For what the application has sent to reach the wire."""


def main() -> NoReturn:
    reports = _take_standard_output()
    job = WorkerJob.of(sys.argv[1])
    threading.Thread(target=_end_with_parent, args=(job,), daemon=True).start()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        code = runner.run(_work(job, reports))
        sys.stderr.flush()
        # The server's threads may still hold a connection, and panic when the interpreter is gone under them.
        os._exit(code)


def _take_standard_output() -> TextIO:
    """Our parent listens there for us alone; whatever else is printed goes to standard error."""
    reports = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return reports


def _end_with_parent(job: WorkerJob) -> NoReturn:
    """Nobody ever writes to our standard input: it ends when our parent does, however that happens."""
    os.read(0, 1)
    if job.shared is not None:
        shutil.rmtree(job.shared, ignore_errors=True)
    os._exit(1)


async def _work(job: WorkerJob, reports: TextIO) -> int:
    """The exit code."""
    try:
        await _serve(job, reports)
    except GlossatorError as error:
        _report(reports, str(error))
        return 1
    except Exception as error:  # noqa: BLE001  the last who can tell the log
        # Nobody has asked anything yet, or nobody waits any more: there are no words of a reader in it.
        structlog.get_logger().error("worker failed", exception=told(error, is_whole=True))
        _report(reports, "A worker failed; the log says why.")
        return 1
    return 0


def _report(reports: TextIO, failure: str) -> None:
    """Only a worker that does not serve yet is listened to."""
    if not reports.closed:
        print(WorkerReport(failure=failure).to_json(), file=reports)


async def _serve(job: WorkerJob, reports: TextIO) -> None:
    stop = Stop()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    app = _load(job.make_app)(stop)
    async with lifespan(app) as state:
        requests = _Requests(app, state)
        line = GranianServer(requests, job.listener, header_seconds=job.header_seconds)
        serving = asyncio.create_task(line.serve())
        print(WorkerReport().to_json(), file=reports)
        async with beating(reports, job.watchdog_seconds):
            await _either(serving, stop)
        line.stop()
        await requests.ended(within=job.stop_seconds + _LATE_SECONDS)
        # A connection on which half a request came would keep it for longer.
        await asyncio.wait((serving,), timeout=_FLUSH_SECONDS)


async def _either(serving: asyncio.Task[None], stop: Stop) -> None:
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        serving.result()
        raise RuntimeError("The server stopped by itself.")


def _load(name: str) -> MakeApp:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


class _Requests:
    """The application, and how many requests it is serving."""

    def __init__(self, app: ASGIApp, state: dict[str, Any]) -> None:
        self._app = app
        self._state = state
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] = dict(self._state)
        self._count += 1
        self._none.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._count -= 1
            if not self._count:
                self._none.set()

    async def ended(self, *, within: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._none.wait()


# Granian, in our own loop and on a socket of our own.

_HEADER_BYTES = 65_536
_LOGGING: dict[str, Any] = {
    "incremental": True,
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}
"""Its own would go to standard output, in a form of its own."""


class GranianServer(Server):
    """`serve()` takes requests until `stop()`; what runs then is finished.

    Only HTTP/1.1: while it has to find out which one is spoken, it keeps a connection on which nothing comes.
    """

    def __init__(self, app: ASGIApp, listener: int, *, header_seconds: float) -> None:
        super().__init__(
            app,
            interface=Interfaces.ASGINL,
            http=HTTPModes.http1,
            websockets=False,
            # Of connections: without one it spins when the system has no more descriptors.
            backpressure=most_connections(),
            http1_settings=HTTP1Settings(
                header_read_timeout=int(header_seconds * 1000), max_buffer_size=_HEADER_BYTES
            ),
            log_level=LogLevels.error,
            log_dictconfig=_LOGGING,
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        # Left alone it would make one that any number of servers can share a port with.
        self._shd = SocketHolder(self._listener, False, BACKLOG)  # pyright: ignore[reportCallIssue]


# Begins an application and ends it, as ASGI has it.


@asynccontextmanager
async def lifespan(app: ASGIApp) -> AsyncGenerator[dict[str, Any]]:
    """Yields what the application keeps for its requests; raises what went wrong in it."""
    spoken = _Spoken(app)
    await spoken.say("startup")
    try:
        yield spoken.state
    finally:
        await spoken.say("shutdown")


class _Spoken:
    def __init__(self, app: ASGIApp) -> None:
        self.state = dict[str, Any]()
        self._said = asyncio.Queue[Message]()
        self._heard = asyncio.Queue[Message]()
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        self._task = asyncio.ensure_future(app(scope, self._said.get, self._heard.put))

    async def say(self, phase: str) -> None:
        await self._said.put({"type": f"lifespan.{phase}"})
        hearing = asyncio.create_task(self._heard.get())
        await asyncio.wait((hearing, self._task), return_when=asyncio.FIRST_COMPLETED)
        if not hearing.done() or hearing.result()["type"] != f"lifespan.{phase}.complete":
            hearing.cancel()
            await self._task
            raise RuntimeError(f"The application broke off at its {phase}.")


if __name__ == "__main__":
    main()
