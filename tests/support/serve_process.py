"""A server in a process of its own, as an operator has it, and the raw lines to it.

    python -m support.serve_process '{"make_app": "support.serve_apps:make_app", "port": 0}'

prints its address when it serves.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from glossator.errors import GlossatorError
from glossator.web.middleware import log
from glossator.web.serve import ServeOptions, serve
from support.process import command, environment

PATIENCE = 120.0


@dataclass(frozen=True)
class Server:
    process: subprocess.Popen[str]
    port: int
    diary: Path
    log: Path

    def connect(self, sent: bytes = b"") -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        line.sendall(sent)
        return line

    def get(self, path: str, *headers: str) -> bytes:
        """The whole reply; the line is closed behind it."""
        with self.connect(request(path, *headers, "Connection: close")) as line:
            return until_closed(line)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]


@contextmanager
def serving(
    folder: Path, make_app: str = "support.serve_apps:make_app", **options: object
) -> Generator[Server]:
    with begun(folder, make_app, **options) as server:
        assert server.port, server.log.read_text()
        yield server


@contextmanager
def begun(folder: Path, make_app: str, **options: object) -> Generator[Server]:
    """Its port is 0 where it did not get so far."""
    diary, written = folder / "diary", folder / "log"
    diary.touch()
    with written.open("w") as log_file:
        process = subprocess.Popen(
            command(__name__, json.dumps({"make_app": make_app, "port": 0} | options)),
            stdout=subprocess.PIPE,
            stderr=log_file,
            env=environment(SERVE_DIARY=str(diary)),
            text=True,
        )
    with process:
        assert process.stdout is not None
        url = process.stdout.readline()
        try:
            yield Server(process, int(url.rpartition(":")[2] or 0), diary, written)
        finally:
            process.kill()


def request(path: str, *headers: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: here", *headers, "", ""]).encode()


def until_closed(line: socket.socket) -> bytes:
    received = bytearray()
    while piece := line.recv(65_536):
        received += piece
    return bytes(received)


def until(line: socket.socket, wanted: bytes) -> bytes:
    received = bytearray()
    while wanted not in received:
        piece = line.recv(65_536)
        assert piece, f"closed before {wanted!r}: {bytes(received)!r}"
        received += piece
    return bytes(received)


def is_soon(look: Callable[[], object]) -> bool:
    given_up = monotonic() + PATIENCE
    while not (value := look()) and monotonic() < given_up:
        sleep(0.02)
    return bool(value)


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
    except OSError:
        return False
    return True


def main() -> None:
    log.configure(log.Logging(is_json=True))
    try:
        serve(ServeOptions(**json.loads(sys.argv[1])), lambda url: print(url, flush=True))
    except GlossatorError as error:
        sys.exit(f"glossator: {error}")


if __name__ == "__main__":
    main()
