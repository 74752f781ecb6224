"""The real server is told to end while a model still talks: every stream has an end that can be read."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from support.serve_command import Command, serve
from support.writers_server import Server, keeps_talking, model_server

PATIENCE = 60.0
TOPIC = "What is a topic?"
PIECES = ("A topic is a named stream of messages. [1] ", "Publishers send messages to it, ")
STREAMS: list[tuple[str, dict[str, Any], str]] = [
    ("/v1/ask", {"question": TOPIC}, '"code":"stopping"'),
    ("/contracts/threads/chat/stream", {"message": TOPIC, "similarity_threshold": 0}, '"type":"error"'),
    ("/contracts/citations/chat/stream", {"query": TOPIC}, '"type":"error"'),
]


@pytest.fixture
def model() -> Iterator[Server]:
    with model_server() as server:
        server.will(keeps_talking(*PIECES))
        yield server


@pytest.mark.parametrize(("path", "sent", "end"), STREAMS, ids=[path for path, _, _ in STREAMS])
def test_a_stream_ends_with_a_word_when_the_server_is_stopped(
    tmp_path: Path, home: Path, model: Server, path: str, sent: dict[str, Any], end: str
) -> None:
    settings = {"model": "any", "model_base_url": model.url, "model_api_key": "none", "stop_seconds": "1"}
    with serve(tmp_path, home, **settings) as command:
        told = _heard_until_the_end(command, path, sent)
        assert command.process.wait(PATIENCE) == 0
    assert end in told.rstrip().rpartition("data:")[2]
    assert "named stream" in told, "what was checked before had been told"


def _heard_until_the_end(command: Command, path: str, sent: dict[str, Any]) -> str:
    """The model would go on for ever: only the server can end it."""
    told, is_stopped = "", False
    headers = {"accept": "text/event-stream"}
    with httpx2.stream("POST", f"{command.url}{path}", json=sent, headers=headers, timeout=PATIENCE) as reply:
        for text in reply.iter_text():
            told += text
            if not is_stopped and "named stream" in told:
                command.process.send_signal(signal.SIGTERM)
                is_stopped = True
    return told
