"""A real Qdrant server for the tests, on a free port of this machine, gone when they are done."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from glossator.adapters.index.server import Server

_SCRIPT = Path(__file__).parents[2] / "scripts" / "get_qdrant.py"
_SECONDS_TO_START = 30


@contextmanager
def qdrant_server(folder: Path, api_key: str | None = None) -> Iterator[str]:
    """Its url."""
    node = QdrantNode(folder, **({"QDRANT__SERVICE__API_KEY": api_key} if api_key else {}))
    try:
        node.start()
        yield node.url
    finally:
        node.kill()


class QdrantNode:
    """One process, which may be killed and started again where it was."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        port, grpc_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._environment = {
            "QDRANT__SERVICE__HOST": "127.0.0.1",
            "QDRANT__SERVICE__HTTP_PORT": str(port),
            "QDRANT__SERVICE__GRPC_PORT": str(grpc_port),
            "QDRANT__STORAGE__STORAGE_PATH": str(folder / "storage"),
            "QDRANT__STORAGE__SNAPSHOTS_PATH": str(folder / "snapshots"),
            "QDRANT__TELEMETRY_DISABLED": "true",
            **environment,
        }

    def start(self) -> None:
        log = self._folder / "qdrant.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [_binary(), "--disable-telemetry", *self._options],
                cwd=self._folder,
                env=os.environ | self._environment,
                stdout=output,
                stderr=output,
            )
        _wait_until_ready(self.url, self._process, log)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def connected(url: str, api_key: str | None = None, timeout: int = 30) -> Server:
    """Under a name that no other test uses."""
    return Server.connect(url, f"book-{secrets.token_hex(4)}", api_key=api_key, timeout=timeout)


def drop_book(server: Server) -> None:
    for collection in [*server.collections(), server.catalog]:
        server.drop(collection)


def _binary() -> str:
    found = subprocess.run([sys.executable, str(_SCRIPT)], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.fail(found.stderr.strip())
    return found.stdout.strip()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline and server.poll() is None:
        if _is_ready(url):
            return
        time.sleep(0.02)
    pytest.fail(f"Qdrant did not start:\n{log.read_text(errors='replace')}")


def _is_ready(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/readyz", timeout=1).is_success
    except httpx2.TransportError:
        return False
