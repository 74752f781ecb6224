"""Lines on which a request never ends keep nobody from being answered, in no contract.

`GLOSSATOR_TEST_LINES=2000` opens more of them.
"""

from __future__ import annotations

import select
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import urlsplit

from glossator.web.serve.serve import allow_many_connections
from support.proof_asking import WAYS
from support.proof_server import PATIENCE, Server, served
from support.proof_size import repeats

LINES = repeats("LINES", 60)
POST = b"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
HALF_SENT = [
    b"",
    b"GET /v1/chapters HTTP/1.1\r\nHost: 127",
    b"POST /contracts/course/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    POST + b"Content-Len",
]
HALF_A_BODY = [
    POST + b'Content-Length: 60\r\n\r\n{"question": "What is',
    POST + b'Transfer-Encoding: chunked\r\n\r\n2d\r\n{"question": ',
]


def test_while_many_requests_are_half_sent_every_contract_answers(
    home: Path, tmp_path: Path, counted: Counter[str]
) -> None:
    with served(home, tmp_path, header_seconds=600) as server, half_open(server, HALF_SENT) as lines:
        answer_everybody(server)
        assert still_open(lines) == LINES
    counted["half-open lines"] += LINES


def test_so_it_does_while_many_bodies_are_half_sent(
    home: Path, tmp_path: Path, counted: Counter[str]
) -> None:
    with served(home, tmp_path) as server, half_open(server, HALF_A_BODY):
        answer_everybody(server)
    counted["lines with half a body"] += LINES


@contextmanager
def half_open(server: Server, kinds: list[bytes]) -> Iterator[list[socket.socket]]:
    allow_many_connections()
    address = urlsplit(server.url)
    with ExitStack() as opened:
        lines = list[socket.socket]()
        for sent in islice(cycle(kinds), LINES):
            line = socket.create_connection((address.hostname, address.port or 80), timeout=PATIENCE)
            lines.append(opened.enter_context(line))
            line.sendall(sent)
        yield lines


def answer_everybody(server: Server) -> None:
    with server.client() as client:
        for way in WAYS:
            reply = client.post(way.path, json=way.asks(), headers=way.headers)
            assert (reply.status_code, bool(way.told(reply))) == (200, True), way.name
        assert client.get("/readyz").status_code == 200


def still_open(lines: list[socket.socket]) -> int:
    """A line that was closed has its end to be read."""
    waiting = select.poll()
    for line in lines:
        waiting.register(line, select.POLLIN)
    return len(lines) - len(waiting.poll(0))
