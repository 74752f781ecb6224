"""What does not work is said to be down by the next look, and the log says why."""

from __future__ import annotations

import io
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glossator.ports import Embedder
from support.observe_app import logging_to
from support.web_app import serving


class _Refuses(BaseHTTPRequestHandler):
    """A service that takes no key, whatever it is asked."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def refusing() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refuses) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def serve(home: Path, embedder: Embedder, tmp_path: Path) -> Callable[..., Any]:
    @contextmanager
    def run(**settings: Any) -> Iterator[tuple[TestClient, io.StringIO]]:
        log = io.StringIO()
        with logging_to(log), serving(home, embedder, tmp_path / "records.sqlite", **settings) as client:
            yield client, log

    return run


def told(log: io.StringIO) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in lines if line["event"] == "dependency failed"]


def test_a_model_that_refuses_the_key(serve: Callable[..., Any], refusing: str) -> None:
    settings = {"model": "m", "model_base_url": refusing, "model_api_key": "sk-canary-12345678"}
    with serve(**settings) as (client, log):
        ready = client.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["dependencies"]["writer"]["status"] == "down"
        assert client.get("/contracts/threads/health").json()["dependencies"]["openai"]["status"] == "down"
    [line, *_] = told(log)
    assert (line["level"], line["dependency"], line["error"]) == ("warning", "writer", "WriterRefused")
    assert "401" in line["reason"]
    assert "canary" not in log.getvalue()


def test_with_a_second_writer_questions_are_answered_all_the_same(
    serve: Callable[..., Any], refusing: str
) -> None:
    settings = {"model": "m", "model_base_url": refusing, "model_api_key": "sk-none", "fallback_writer": True}
    with serve(**settings) as (client, _):
        ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")


def _remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _overwrite(path: Path) -> None:
    path.write_bytes(b"\xaa" * path.stat().st_size)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("harm", "reason"), [(_remove, "unable to open database file"), (_overwrite, "not a database")]
)
def test_a_database_file_that_is_gone_or_damaged(
    serve: Callable[..., Any], tmp_path: Path, harm: Callable[[Path], None], reason: str
) -> None:
    with serve() as (client, log):
        assert client.post("/v1/ask", json={"question": "hello"}).status_code == 200
        harm(tmp_path / "records.sqlite")
        ready = client.get("/readyz").json()
        assert (ready["status"], ready["dependencies"]["records"]["status"]) == ("degraded", "down")
        services = client.get("/contracts/citations/health").json()
        assert services["status"] == "degraded"
        [line, *_] = told(log)
    assert (line["level"], line["dependency"]) == ("warning", "records")
    assert reason in line["reason"]


def test_a_database_that_somebody_holds_locked(serve: Callable[..., Any], tmp_path: Path) -> None:
    with serve() as (client, log):
        with closing(sqlite3.connect(tmp_path / "records.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert client.get("/readyz").json()["dependencies"]["records"]["status"] == "down"
            other.execute("ROLLBACK")
        [line, *_] = told(log)
    assert "locked" in line["reason"]
