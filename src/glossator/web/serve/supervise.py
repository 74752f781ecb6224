"""Supervises the workers: starts them together, replaces those that die or hang, and stops them."""

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
from glossator.web.serve.job import WorkerJob, WorkerReport, heartbeat_stopped

_GRACE_SECONDS = 2.0
"""How long after `drain_seconds` and `stop_seconds` a worker is killed."""
_STABLE_SECONDS = 60.0
_MAX_PAUSE_SECONDS = 30.0
"""A worker that dies before it was stable is restarted after a pause that doubles up to this."""


async def supervise(
    job: WorkerJob, listener: socket, environments: Sequence[Mapping[str, str]], on_ready: Callable[[], None]
) -> None:
    """Runs a worker for each environment until SIGTERM or SIGINT; a second signal kills the workers."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    workers = [_Worker(job, environment) for environment in environments]
    try:
        await asyncio.gather(*(worker.start() for worker in workers))
        on_ready()
        await asyncio.gather(*(worker.keep_running() for worker in workers))
    finally:
        # The workers have copies of the socket; the address is free once the last of them ends.
        listener.close()
        await asyncio.gather(*(worker.stop() for worker in workers))


class _Worker:
    def __init__(self, job: WorkerJob, environment: Mapping[str, str]) -> None:
        self._job = job
        self._environment = environment
        self._process: Process | None = None
        self._started_at = 0.0

    async def start(self) -> None:
        """Returns once the worker serves; raises GlossatorError with its report if it does not."""
        self._started_at = monotonic()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Without -P, a Python file in the current folder could shadow a module.
            "-P",
            "-m",
            "glossator.web.serve.worker",
            self._job.to_json(),
            stdin=PIPE,
            stdout=PIPE,
            env=self._environment,
            pass_fds=(self._job.listener,),
            # A group of its own, so that Ctrl-C reaches only the supervisor, which stops the workers.
            process_group=0,
        )
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        failure = WorkerReport.of(line.decode()).failure if line else "A worker ended before it could serve."
        if failure is not None:
            raise GlossatorError(failure)

    async def keep_running(self) -> None:
        """Replaces the process whenever it ends, after growing pauses if it keeps dying soon.

        One that hung is replaced at once: it had served, and readers are waiting.
        """
        pause = 0.0
        while True:
            was_hung = await self._wait_for_end()
            is_unstable = monotonic() - self._started_at < _STABLE_SECONDS
            pause = min(_MAX_PAUSE_SECONDS, pause * 2 or 1.0) if is_unstable and not was_hung else 0.0
            await asyncio.sleep(pause)
            try:
                await self.start()
            except GlossatorError as error:
                structlog.get_logger().error("worker failed", reason=str(error))

    async def stop(self) -> None:
        """Lets the worker finish its requests, and kills it if it does not end in time."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        _signal(process, signal.SIGTERM)
        try:
            await self._wait_to_finish(process)
        finally:
            await _kill(process)

    async def _wait_for_end(self) -> bool:
        """Returns when the process has ended: whether it was killed because its event loop hung."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        was_hung = await heartbeat_stopped(process.stdout, self._job.watchdog_seconds)
        if was_hung:
            reason = f"Its event loop has been silent for {self._job.watchdog_seconds:g} s."
            structlog.get_logger().warning("worker replaced", pid=process.pid, reason=reason)
        else:
            # It died, or somebody else sent it a signal to stop.
            await self._wait_to_finish(process)
        code = await _kill(process)
        structlog.get_logger().warning("worker ended", code=code)
        if self._job.shared is not None:
            mark_process_dead(process.pid, self._job.shared)
        return was_hung

    async def _wait_to_finish(self, process: Process) -> None:
        job = self._job
        with suppress(TimeoutError):
            async with asyncio.timeout(job.drain_seconds + job.stop_seconds + _GRACE_SECONDS):
                await process.wait()


async def _kill(process: Process) -> int:
    """Returns the exit code, also of a process that has ended already."""
    if process.returncode is None:
        _signal(process, signal.SIGKILL)
    return await process.wait()


def _signal(process: Process, number: signal.Signals) -> None:
    """Avoids `process.send_signal`: it polls the process, and asyncio's own wait loses the exit code."""
    with suppress(ProcessLookupError):
        os.kill(process.pid, number)
