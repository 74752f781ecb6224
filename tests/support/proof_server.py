"""`glossator serve`, as an operator starts it, in processes of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

PATIENCE = 300.0
"""Seconds; nothing here is about being fast, and a busy machine may give a server a tenth of its time."""
_PAUSE = 0.02
_ADDRESS = re.compile(r" at (http://\S+)")
_COMMAND = [str(Path(sys.executable).with_name("glossator")), "serve", "--port", "0"]


@dataclass(frozen=True)
class Server:
    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=PATIENCE, trust_env=False)

    def kill(self) -> None:
        """As when the power goes: nobody gets to say or write anything any more."""
        if self.process.poll() is not None:
            return
        workers = [int(pid) for pid in _children(self.process.pid)]
        for pid in (*workers, self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        for pid in workers:
            assert is_soon(lambda pid=pid: not _is_alive(pid))

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)

    def logged(self) -> str:
        return self.log.read_text("utf-8", "replace")


@contextmanager
def served(home: Path, folder: Path, **settings: object) -> Iterator[Server]:
    """Settings as the environment has them; the log is kept in the folder."""
    with begun(home, folder, **settings) as begun_server:
        yield begun_server()


@contextmanager
def begun(home: Path, folder: Path, **settings: object) -> Iterator[Callable[[], Server]]:
    """Starting, so that several can start at once; the function waits until it serves."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"log-{time.monotonic_ns()}"
    with log.open("wb") as output:
        process = subprocess.Popen(
            _COMMAND, stdout=output, stderr=output, env=_environment(home, settings), cwd=folder
        )
    try:
        yield lambda: Server(process, _address(process, log), log)
    finally:
        if process.poll() is None:
            Server(process, "", log).kill()


def is_soon(look: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Counted in looks and not by the clock: a machine that was stopped for a minute has not looked meanwhile."""
    for _ in range(int(seconds / _PAUSE)):
        if look():
            return True
        time.sleep(_PAUSE)
    return False


def _environment(home: Path, settings: dict[str, object]) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GLOSSATOR_")}
    usual = {"home": home, "requests_per_minute": 1_000_000, "log_format": "json"}
    return ours | {f"GLOSSATOR_{name.upper()}": str(value) for name, value in (usual | settings).items()}


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    def found() -> re.Match[str] | None:
        return _ADDRESS.search(log.read_text("utf-8", "replace"))

    is_soon(lambda: found() or process.poll() is not None)
    if (address := found()) is None:
        ended = process.poll()
        how = "says no address" if ended is None else f"ended with {ended}"
        pytest.fail(f"The server {how}:\n{log.read_text('utf-8', 'replace')}")
    return address[1]


def _children(pid: int) -> list[str]:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return []


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
