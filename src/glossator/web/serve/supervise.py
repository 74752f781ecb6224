"""Watches over the workers: begins them together, replaces those that die or fall silent, and ends them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from socket import socket
from time import monotonic

import structlog
from prometheus_client.multiprocess import (
    mark_process_dead,  # pyright: ignore[reportUnknownVariableType]
)

from glossator.errors import GlossatorError
from glossator.web.serve.job import WorkerJob, WorkerReport, is_silent

_GRACE_SECONDS = 2.0
"""After `stop_seconds`, until a worker is killed."""
_LONG_ENOUGH = 60.0
_LONGEST_PAUSE = 30.0
"""Seconds: a worker that dies sooner than the first is given ever more time, up to the second."""


async def supervise(
    job: WorkerJob, listener: socket, environments: Sequence[Mapping[str, str]], on_ready: Callable[[], None]
) -> None:
    """A worker for each environment. SIGTERM or SIGINT cancels it: they may finish then, until a second."""
    me = asyncio.current_task()
    assert me is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, me.cancel)
    workers = [_Worker(job, environment) for environment in environments]
    try:
        await asyncio.gather(*(worker.begin() for worker in workers))
        on_ready()
        await asyncio.gather(*(worker.keep() for worker in workers))
    finally:
        # The workers have theirs; with the last of them the address is free.
        listener.close()
        await asyncio.gather(*(worker.end() for worker in workers))


class _Worker:
    def __init__(self, job: WorkerJob, environment: Mapping[str, str]) -> None:
        self._job = job
        self._environment = environment
        self._process: Process | None = None
        self._begun = 0.0

    async def begin(self) -> None:
        """Returns when it serves; raises GlossatorError with its own words when it does not."""
        self._begun = monotonic()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Else a Python file in the folder that the server is started in would stand for a module.
            "-P",
            "-m",
            "glossator.web.serve.worker",
            self._job.to_json(),
            stdin=PIPE,
            stdout=PIPE,
            env=self._environment,
            pass_fds=(self._job.listener,),
            # Ctrl-C is for us alone; we tell them.
            process_group=0,
        )
        assert self._process.stdout is not None
        said = await self._process.stdout.readline()
        failure = WorkerReport.of(said.decode()).failure if said else "A worker ended before it could serve."
        if failure is not None:
            raise GlossatorError(failure)

    async def keep(self) -> None:
        """Another takes its place when it dies, later and later when that happens again and again.

        For one that fell silent at once: it had served, and readers wait.
        """
        pause = 0.0
        while True:
            was_silent = await self._end_of_life()
            is_young = monotonic() - self._begun < _LONG_ENOUGH
            pause = min(_LONGEST_PAUSE, pause * 2 or 1.0) if is_young and not was_silent else 0.0
            await asyncio.sleep(pause)
            try:
                await self.begin()
            except GlossatorError as error:
                structlog.get_logger().error("worker failed", reason=str(error))

    async def end(self) -> None:
        """It may finish what it is doing; whatever happens, it is gone afterwards."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        _signal(process, signal.SIGTERM)
        try:
            await self._finishes(process)
        finally:
            await _kill(process)

    async def _end_of_life(self) -> bool:
        """Returns when it is gone: whether it was ended because its event loop ran no more."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        was_silent = await is_silent(process.stdout, self._job.watchdog_seconds)
        if was_silent:
            reason = f"Its event loop has been silent for {self._job.watchdog_seconds:g} s."
            structlog.get_logger().warning("worker replaced", pid=process.pid, reason=reason)
        else:
            # It is dead, or was told to stop by somebody else.
            await self._finishes(process)
        code = await _kill(process)
        structlog.get_logger().warning("worker ended", code=code)
        if self._job.shared is not None:
            mark_process_dead(process.pid, self._job.shared)
        return was_silent

    async def _finishes(self, process: Process) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._job.stop_seconds + _GRACE_SECONDS):
                await process.wait()


async def _kill(process: Process) -> int:
    """The exit code, of one that is gone already too."""
    if process.returncode is None:
        _signal(process, signal.SIGKILL)
    return await process.wait()


def _signal(process: Process, number: signal.Signals) -> None:
    """Not by `process.send_signal`: that polls, and asyncio, which waits for it too, loses the exit code."""
    with suppress(ProcessLookupError):
        os.kill(process.pid, number)
