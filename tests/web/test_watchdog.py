"""A worker whose event loop runs no more is replaced; one that begins or ends is left alone."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import httpx2
import psutil

from support.proof_server import served
from support.serve_process import Server, is_soon, request, serving, until, until_closed

WATCHDOG = 2.0
"""Seconds."""


def worker_of(server: Server) -> int:
    """0 where the line was cut: a worker that is killed takes those along that it had accepted."""
    with suppress(ConnectionError):
        return int(server.get("/pid").rpartition(b"\r\n")[2] or 0)
    return 0


def replaced(server: Server) -> list[dict[str, object]]:
    return [line for line in server.lines() if line["event"] == "worker replaced"]


def test_a_worker_whose_loop_is_silent_is_replaced_and_the_log_says_why(tmp_path: Path):
    with serving(tmp_path, watchdog_seconds=WATCHDOG) as server:
        first = worker_of(server)
        os.kill(first, signal.SIGSTOP)
        # Asked while nobody answers: the next worker does.
        assert is_soon(lambda: worker_of(server) not in (0, first))
        (line,) = replaced(server)
        assert (line["level"], line["pid"]) == ("warning", first)
        assert line["reason"] == "Its event loop has been silent for 2 s."
        assert not psutil.pid_exists(first)


def test_of_two_workers_only_the_silent_one_is_replaced(tmp_path: Path):
    with serving(tmp_path, workers=2, watchdog_seconds=WATCHDOG) as server:
        family = {child.pid for child in psutil.Process(server.process.pid).children()}
        silent = worker_of(server)
        os.kill(silent, signal.SIGSTOP)
        assert is_soon(lambda: replaced(server))
        assert is_soon(lambda: server.diary.read_text().count("began") == 3)
        assert family - {silent} < {child.pid for child in psutil.Process(server.process.pid).children()}


def test_a_worker_that_takes_long_to_begin_is_left_alone(tmp_path: Path):
    with serving(tmp_path, "support.serve_apps:begins_slowly", watchdog_seconds=WATCHDOG) as server:
        assert worker_of(server)
        assert replaced(server) == []


def test_a_worker_that_was_told_to_stop_may_finish_what_it_says(tmp_path: Path):
    with serving(tmp_path, stop_seconds=5, watchdog_seconds=WATCHDOG) as server:
        first = worker_of(server)
        with server.connect(request("/stubborn")) as line:
            until(line, b"still here")
            os.kill(first, signal.SIGTERM)
            until_closed(line)
        assert is_soon(lambda: server.diary.read_text().count("began") == 2)
        assert replaced(server) == []


def test_the_server_is_alive_again_after_a_worker_of_it_was_stopped(home: Path, tmp_path: Path):
    with served(home, tmp_path, watchdog_seconds=WATCHDOG) as server, server.client() as client:
        assert client.get("/livez").status_code == 200
        (worker,) = psutil.Process(server.process.pid).children()
        worker.suspend()
        assert is_soon(lambda: _is_alive(client))
        assert not worker.is_running()
        assert "worker replaced" in server.logged()


def _is_alive(client: httpx2.Client) -> bool:
    try:
        return client.get("/livez").status_code == 200
    except httpx2.TransportError:
        # The line to the worker that was ended.
        return False
