"""The five contracts that keep sessions, as their callers speak them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from glossator.model import Contract

READ, EXPORT, RESET, DELETE = "read", "export", "reset", "delete"
QUESTION = "What is a topic?"


@dataclass(frozen=True)
class SessionContract:
    """How questions get into the sessions of a contract, and what else can be done to them.

    Requests are what the `request` method of a client takes.
    """

    contract: Contract
    ask_path: str
    question_field: str
    verbs: Mapping[str, tuple[str, str]]
    """Method and path of each; the session's id is `{id}` there, or in the query."""
    questions: Callable[[Any], list[str]]
    """Those in the body of a reply to `read`, oldest first."""
    user_field: str | None = None
    """Where the user stands, in a body and in a query; None where the contract has no users."""
    session_field: str = "session_id"

    @property
    def opens_named(self) -> bool:
        """Whether a caller may choose the id of a new session."""
        return self.contract is not Contract.NATIVE

    def asks(
        self, question: str, session_id: str | None, user: str | None, headers: Mapping[str, str]
    ) -> dict[str, Any]:
        named: object = session_id if self.opens_named else {"id": session_id}
        session = {self.session_field: named} if session_id else {}
        body = {self.question_field: question, **session, **self._user(user)}
        return {"method": "POST", "url": self.ask_path, "json": body, "headers": headers}

    def does(
        self, verb: str, session_id: str, user: str | None, headers: Mapping[str, str]
    ) -> dict[str, Any]:
        method, path = self.verbs[verb]
        query = {} if "{id}" in path else {self.session_field: session_id}
        query |= self._user(user)
        return {"method": method, "url": path.format(id=session_id), "params": query, "headers": headers}

    def _user(self, user: str | None) -> dict[str, str]:
        return {self.user_field: user} if self.user_field and user else {}


def _asked(messages: list[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in messages if message["role"] == "user"]


NATIVE = SessionContract(
    Contract.NATIVE,
    "/v1/ask",
    "question",
    {
        READ: ("GET", "/v1/sessions/{id}"),
        EXPORT: ("GET", "/v1/sessions/{id}/export"),
        RESET: ("POST", "/v1/sessions/{id}/reset"),
        DELETE: ("DELETE", "/v1/sessions/{id}"),
    },
    lambda told: [exchange["question"] for exchange in told["exchanges"]],
    user_field="user",
    session_field="session",
)
THREADS = SessionContract(
    Contract.THREADS,
    "/contracts/threads/chat/run",
    "message",
    {
        READ: ("GET", "/contracts/threads/session/{id}/history"),
        DELETE: ("DELETE", "/contracts/threads/session/{id}"),
    },
    lambda told: _asked(told["messages"]),
)
CITATIONS = SessionContract(
    Contract.CITATIONS,
    "/contracts/citations/chat",
    "query",
    {READ: ("GET", "/contracts/citations/conversations/{id}")},
    lambda told: [exchange["query"] for exchange in reversed(told)],
)
GROUNDING = SessionContract(
    Contract.GROUNDING,
    "/contracts/grounding/chat",
    "query_text",
    {
        READ: ("GET", "/contracts/grounding/chat/session/{id}"),
        RESET: ("POST", "/contracts/grounding/chat/session/{id}/reset"),
    },
    lambda told: _asked(told["conversation_history"]),
    session_field="conversation_id",
)
COURSE = SessionContract(
    Contract.COURSE,
    "/contracts/course/chat",
    "message",
    {
        READ: ("GET", "/contracts/course/history"),
        DELETE: ("DELETE", "/contracts/course/history"),
    },
    lambda told: _asked(told["messages"]),
    user_field="user_id",
)
SESSION_CONTRACTS = [NATIVE, THREADS, CITATIONS, GROUNDING, COURSE]


def token_of(reply: httpx2.Response) -> str | None:
    """Of the session that a reply is about, wherever the contract puts it."""
    told = reply.headers.get("x-glossator-session")
    if told is None and reply.request.url.path.startswith("/v1"):
        body = reply.json()
        return (body["session"] or {}).get("token") if "session" in body else body["token"]
    return told
