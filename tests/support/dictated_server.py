"""A server that says what it is told, in the native contract, on an origin that has pages and the widget too."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

Event = tuple[str, Mapping[str, Any]]

SESSION = {"id": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "token": "token"}
_METRICS = {
    "average_similarity": 0.8,
    "min_similarity": 0.7,
    "max_similarity": 0.9,
    "num_chunks": 3,
    "chunk_diversity": 0.5,
    "confidence_level": "high",
    "should_answer": True,
    "has_sufficient_context": True,
}


class DictatedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self, pages: Mapping[str, str], answers: Iterable[Sequence[Event]], headers: Mapping[str, str]
    ):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = pages
        self.answers: Iterator[Sequence[Event]] = iter(answers)
        self.page_headers = headers
        self.exchanges: Sequence[Mapping[str, Any]] = ()
        """What a session that comes back is told."""
        self.questions: Sequence[str] = ()
        """What is suggested to readers."""
        self.strays: list[str] = []
        """Requests that nothing here asks for."""
        self.dice = random.Random(7)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def dictated(
    pages: Mapping[str, str],
    answers: Iterable[Sequence[Event]] = (),
    headers: Mapping[str, str] | None = None,
) -> Generator[DictatedServer]:
    with DictatedServer(pages, answers, headers or {}) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def told(answer: Mapping[str, Any], hits: Sequence[Mapping[str, Any]] = ()) -> Sequence[Event]:
    """The events of an answer, from the first to the last."""
    stages = [
        ("status", {"stage": stage, "session": SESSION}) for stage in ("searching", "writing", "checking")
    ]
    claims = [("claim", claim) for claim in answer["claims"]]
    return [stages[0], ("found", {"hits": hits}), *stages[1:], *claims, ("answer", answer)]


def answer_of(
    claims: Sequence[str], citations: Sequence[Mapping[str, Any]], **said: Any
) -> Mapping[str, Any]:
    numbers = [citation["n"] for citation in citations]
    return {
        "id": "0b6f4f8e-1f0a-4a53-9d59-2a1a5a3a7c11",
        "outcome": "answered",
        "text": "".join(claims),
        "claims": [{"text": claim, "verdict": "supported", "citations": numbers} for claim in claims],
        "citations": citations,
        "confidence": {
            "score": 0.9,
            "level": "high",
            "should_answer": True,
            "policy": "calibrated",
            "metrics": _METRICS,
        },
        "grounding": {"is_fully_grounded": True, "unsupported_claims": []},
        "suggestions": [],
        "disclaimer": None,
        "writer": "dictated",
        "model": None,
        "index": {"generation": 1, "book": "book"},
        "timings": {},
        "session": SESSION,
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        **said,
    }


def citation_of(n: int, url: str, quote: str, name: str = "A section") -> Mapping[str, Any]:
    place = {"chunk_id": name, "page": name, "page_title": name, "chapter": name, "section": f"{name} in it"}
    return {"n": n, "url": url, "quote": quote, "start": 0, "end": len(quote), "similarity": 0.9, **place}


class _Handler(BaseHTTPRequestHandler):
    server: DictatedServer

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/widget.js":
            self._send(
                200, "text/javascript", files("glossator.web.widget").joinpath("widget.js").read_bytes()
            )
        elif path in self.server.pages:
            self._send(
                200, "text/html; charset=utf-8", self.server.pages[path].encode(), self.server.page_headers
            )
        elif path == "/v1/questions":
            suggested = {"book": "A book", "questions": self.server.questions}
            self._send(200, "application/json", json.dumps(suggested).encode())
        elif path == f"/v1/sessions/{SESSION['id']}":
            self._send(200, "application/json", json.dumps(self._session()).encode())
        else:
            self._stray()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/ask":
            self._tell(next(self.server.answers))
        else:
            self._stray()

    def _session(self) -> Mapping[str, Any]:
        at = "2026-01-01T00:00:00Z"
        about = {"created_at": at, "updated_at": at, "archived_at": None, "user": None, "topic_summary": None}
        asked = [
            {"id": str(n), "asked_at": at, "answered_at": at, **exchange}
            for n, exchange in enumerate(self.server.exchanges)
        ]
        return {**SESSION, "state": "active", "metadata": {}, **about, "exchanges": asked}

    def _tell(self, events: Sequence[Event]) -> None:
        """In pieces of any length, so that words and characters are cut anywhere."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        frames = [
            f"id: 1:1:{number}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
            for number, (name, data) in enumerate(events)
        ]
        rest = "".join(frames).encode()
        while rest:
            length = self.server.dice.choice((1, 7, 50, 400, 4000))
            self.wfile.write(rest[:length])
            rest = rest[length:]

    def _stray(self) -> None:
        self.server.strays.append(f"{self.command} {self.path}")
        self._send(404, "text/plain", b"")

    def _send(
        self, status: int, media_type: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": media_type,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass
