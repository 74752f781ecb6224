"""Every way to ask, of every contract."""

from __future__ import annotations

import dataclasses
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from support.web_app import events_of

QUESTION = "What is a topic?"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Way:
    """A POST that asks, as a caller of its contract writes it."""

    name: str
    path: str
    field: str
    """Where the question stands."""
    body: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])
    has_session: bool = False
    """Whether it is kept only in a session that the caller names."""
    is_kept: bool = True

    def asks(self, question: str = QUESTION) -> dict[str, Any]:
        session = {"session_id": str(uuid.uuid4())} if self.has_session else {}
        return {**self.body, **session, self.field: question}

    def told(self, reply: httpx2.Response) -> Any:
        """The answer, however it came; without what belongs to the request and not to the exchange."""
        if not reply.headers["content-type"].startswith(EVENTS):
            return _of_exchange(reply.json())
        return _of_exchange(events_of(reply)[-1][1])


ANY = {"similarity_threshold": 0}
"""Nothing is left out for its similarity."""

WAYS = [
    Way("native", "/v1/ask", "question"),
    Way("native streamed", "/v1/ask", "question", headers={"accept": EVENTS}),
    Way("native forgotten", "/v1/ask", "question", {"remember": False}, is_kept=False),
    Way("threads", "/contracts/threads/chat/run", "message", ANY),
    Way("threads run as a stream", "/contracts/threads/chat/run", "message", {**ANY, "stream": True}),
    Way("threads streamed", "/contracts/threads/chat/stream", "message", ANY),
    Way("citations", "/contracts/citations/chat", "query", has_session=True),
    Way("citations streamed", "/contracts/citations/chat/stream", "query", has_session=True),
    Way("citations forgotten", "/contracts/citations/chat", "query", is_kept=False),
    Way("grounding", "/contracts/grounding/chat", "query_text"),
    Way("course", "/contracts/course/chat", "message", {"user_id": "a reader"}),
    Way("pipeline", "/contracts/pipeline/query", "question", is_kept=False),
]
KEPT = [way for way in WAYS if way.is_kept]


def _of_exchange(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name != "trace_id"}


def numbered(number: int) -> str:
    """Many questions that can be told apart, all of them with the same answer."""
    return "What is a topic" + "?" * number


def numbers_in(text: str) -> list[int]:
    """Of the questions that stand in it."""
    return [len(marks) for marks in re.findall(r"What is a topic(\?+)", text)]
