"""What a plain dictionary would remember, to compare the server with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from proof_keys import shows

REFUSED = {"not_in_book", "not_in_selection", "needs_more_words"}


@dataclass(frozen=True)
class Reader:
    """Whoever asks: with a key, and as one of that key's users or as nobody."""

    key: str
    user: str | None
    is_public: bool = False
    """Whether everybody has the key; a session is then theirs who have its token."""

    @property
    def query(self) -> dict[str, str]:
        return {"user": self.user} if self.user else {}

    def headers(self, token: str | None) -> dict[str, str]:
        return {**shows(self.key), **({"x-glossator-session": token} if token else {})}


@dataclass
class Exchange:
    id: str
    question: str
    text: str
    is_unanswered: bool
    is_judged: bool = False

    @classmethod
    def of(cls, question: str, reply: Mapping[str, Any]) -> Exchange:
        level = (reply["confidence"] or {}).get("level")
        is_unanswered = reply["outcome"] in REFUSED or level == "low"
        return cls(reply["id"], question, reply["text"], is_unanswered)


@dataclass
class Session:
    id: str
    owner: Reader
    token: str | None
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    is_archived: bool = False

    @property
    def state(self) -> str:
        return "inactive" if self.is_archived else "active" if self.exchanges else "created"

    def is_of(self, reader: Reader, token: str | None) -> bool:
        return self.owner == reader and (not reader.is_public or token == self.token)

    def check(self, told: Mapping[str, Any]) -> None:
        """That the server says the same of it."""
        kept = [(one["id"], one["question"], one["answer"]["text"]) for one in told["exchanges"]]
        assert kept == [(one.id, one.question, one.text) for one in self.exchanges]
        assert (told["id"], told["user"], told["state"]) == (self.id, self.owner.user, self.state)
        assert (told["archived_at"] is not None) == self.is_archived
        assert bool(told["topic_summary"]) == (len(self.exchanges) >= 5)
        assert len(told["topic_summary"] or "") <= 200


@dataclass
class Library:
    """The sessions of everybody, as they should be."""

    sessions: list[Session] = field(default_factory=list[Session])

    def of_user(self, reader: Reader) -> list[Session]:
        return [one for one in self.sessions if one.owner == reader]

    def forget(self, reader: Reader) -> dict[str, int]:
        """The receipt."""
        gone = self.of_user(reader)
        exchanges = [exchange for session in gone for exchange in session.exchanges]
        self.sessions = [one for one in self.sessions if one not in gone]
        return {
            "sessions": len(gone),
            "exchanges": len(exchanges),
            "feedback": sum(one.is_judged for one in exchanges),
            "unanswered": sum(one.is_unanswered for one in exchanges),
        }


def status_of(reply: httpx.Response) -> int:
    """Of a refusal, which must not say whether there is such a session."""
    if reply.status_code == 404:
        assert reply.json()["code"] == "not_found"
        assert reply.json()["detail"] in {
            "There is no such session.",
            "The session's token is missing or no longer valid.",
            "There is no such answer.",
        }
    return reply.status_code
