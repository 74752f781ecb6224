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
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn, TextIO

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from glossator.errors import GlossatorError
from glossator.web.failure import told
from glossator.web.serve.heartbeat import beating
from glossator.web.serve.job import Job, MakeApp, Report
from glossator.web.serve.lifespan import lifespan
from glossator.web.serve.line import Line
from glossator.web.stop import Stop

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
    job = Job.of(sys.argv[1])
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


def _end_with_parent(job: Job) -> NoReturn:
    """Nobody ever writes to our standard input: it ends when our parent does, however that happens."""
    os.read(0, 1)
    if job.shared is not None:
        shutil.rmtree(job.shared, ignore_errors=True)
    os._exit(1)


async def _work(job: Job, reports: TextIO) -> int:
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
        print(Report(failure=failure).to_json(), file=reports)


async def _serve(job: Job, reports: TextIO) -> None:
    stop = Stop()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    app = _load(job.make_app)(stop)
    async with lifespan(app) as state:
        requests = _Requests(app, state)
        line = Line(requests, job.listener, header_seconds=job.header_seconds)
        serving = asyncio.create_task(line.serve())
        print(Report().to_json(), file=reports)
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


if __name__ == "__main__":
    main()
