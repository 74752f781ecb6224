"""The small contract on a real socket, served by granian: what only shows there is tested there.

python -m support.access_server PORT
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support import access_app
from support.process import command, environment

_SECONDS_TO_START = 30
BODY_SECONDS = 1.0


def served() -> object:
    """Open on loopback, with little patience for bodies."""
    return access_app.House(body_seconds=BODY_SECONDS).app


@contextmanager
def running(folder: Path) -> Iterator[int]:
    """Its port."""
    port, log = _free_port(), folder / "granian.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command(__name__, str(port)), env=environment(), stdout=output, stderr=output
        )
        try:
            _wait_until_ready(port, server, log)
            yield port
        finally:
            server.terminate()
            server.wait(10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_ready(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    pytest.fail(f"The server did not start:\n{log.read_text(errors='replace')}")


if __name__ == "__main__":
    from granian import Granian
    from granian.constants import Interfaces

    Granian(
        "support.access_server:served",
        port=int(sys.argv[1]),
        interface=Interfaces.ASGI,
        factory=True,
        websockets=False,
    ).serve()
