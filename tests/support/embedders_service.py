"""A small embeddings service on a real socket, which fails in every way it is told to."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIMENSION = 8


@dataclass(frozen=True)
class Call:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return self.body["input"]


class Line(BaseHTTPRequestHandler):
    """One connection; the service is told of each call and decides what to answer."""

    server: Service

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.answer(self, Call(self.path, headers, json.loads(content)))

    def reply(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None: ...


Answer = Callable[[Line, Call], None]


@dataclass
class Script:
    calls: list[Call] = field(default_factory=list[Call])
    next_answers: deque[Answer] = field(default_factory=deque[Answer])
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the test is over, for those who keep a caller waiting."""


class Service(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Line)
        self.script = Script()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, line: Line, call: Call) -> None:
        self.script.calls.append(call)
        answers = self.script.next_answers
        (answers.popleft() if answers else embeddings())(line, call)

    def will(self, *answers: Answer) -> None:
        self.script.next_answers.extend(answers)


@contextmanager
def embedding_service() -> Iterator[Service]:
    with Service() as service:
        thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield service
        finally:
            service.script.released.set()
            service.shutdown()
            thread.join()


def vector_of(text: str, dimension: int = DIMENSION) -> list[float]:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).normal(size=dimension).tolist()


def embeddings(
    dimension: int = DIMENSION, change: Callable[[list[Any]], Any] = lambda items: items
) -> Answer:
    def answer(line: Line, call: Call) -> None:
        items = [
            {"index": index, "embedding": vector_of(text, dimension)} for index, text in enumerate(call.texts)
        ]
        line.reply(200, json.dumps({"object": "list", "data": change(items)}).encode())

    return answer


def status(code: int, message: str = "no", **headers: str) -> Answer:
    def answer(line: Line, call: Call) -> None:
        line.reply(code, json.dumps({"error": {"message": message}}).encode(), **headers)

    return answer


def raw(content: bytes) -> Answer:
    def answer(line: Line, call: Call) -> None:
        line.reply(200, content)

    return answer


def hang_up(line: Line, call: Call) -> None:
    line.close_connection = True


def hang_up_midway(line: Line, call: Call) -> None:
    line.send_response(200)
    line.send_header("Content-Length", "1000")
    line.end_headers()
    line.wfile.write(b'{"data": [')
    line.close_connection = True


def say_nothing(line: Line, call: Call) -> None:
    line.server.script.released.wait(timeout=60)
    line.close_connection = True
