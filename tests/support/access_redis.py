"""A real Redis server for the tests, which they may kill and start again."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[2] / "scripts" / "get_redis.py"
_SECONDS_TO_START = 20


class RedisServer:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._binary = os.environ.get("GLOSSATOR_TEST_REDIS") or _fetched()
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"redis://:redis-password@127.0.0.1:{self.port}/0"

    def start(self) -> None:
        here = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self._folder)]
        forgetful = ["--save", "", "--appendonly", "no", "--requirepass", "redis-password"]
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen([self._binary, *here, *forgetful], stdout=log, stderr=log)
        deadline = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < deadline and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        pytest.fail(f"Redis did not start:\n{(self._folder / 'redis.log').read_text(errors='replace')}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _fetched() -> str:
    found = subprocess.run([sys.executable, str(_SCRIPT)], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"No Redis server can be had here: {found.stderr.strip()}")
    return found.stdout.strip()
