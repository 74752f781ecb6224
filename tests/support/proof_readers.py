"""What a plain dictionary would remember, to compare the server with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from glossator.model import Owner
from support.proof_contracts import COURSE, NATIVE, SessionContract, token_of
from support.proof_keys import shows

REFUSED = {"not_in_book", "not_in_selection", "needs_more_words"}
READ_AT_LEAST = 20
"""Exchanges that every contract shows."""


@dataclass(frozen=True)
class Reader:
    """Whoever asks: with a key, and as one of that key's users or as nobody."""

    key: str
    user: str | None
    is_public: bool = False
    """Whether everybody has the key; a session is then theirs who have its token."""

    @property
    def query(self) -> dict[str, str]:
        """As the native contract names the user."""
        return {"user": self.user} if self.user else {}

    def headers(self, token: str | None = None) -> dict[str, str]:
        return {**shows(self.key), **({"x-glossator-session": token} if token else {})}


@dataclass(frozen=True)
class Call:
    """A reader names a session in a contract, and shows a token or none."""

    contract: SessionContract
    reader: Reader
    session_id: str | None
    token: str | None = None

    @property
    def owner(self) -> Owner:
        """As whom they name it."""
        return Owner(self.reader.key, self.reader.user if self.contract.user_field else None)

    @property
    def headers(self) -> dict[str, str]:
        return self.reader.headers(self.token)

    def asks(self, question: str, **headers: str) -> dict[str, Any]:
        return self.contract.asks(question, self.session_id, self.reader.user, {**self.headers, **headers})

    def does(self, verb: str) -> dict[str, Any]:
        return self.contract.does(verb, self.session_id or "", self.reader.user, self.headers)

    def judges(self, exchange: Exchange, *, is_helpful: bool) -> dict[str, Any]:
        """Which is for the native contract alone."""
        body = {"exchange_id": exchange.id, "helpful": is_helpful, **self.reader.query}
        return {"method": "POST", "url": "/v1/feedback", "json": body, "headers": self.headers}


@dataclass
class Exchange:
    question: str
    id: str | None = None
    """None where the contract does not tell it, and neither the rest."""
    text: str = ""
    is_unanswered: bool = False
    is_judged: bool = False

    @classmethod
    def of_native(cls, question: str, reply: Mapping[str, Any]) -> Exchange:
        level = (reply["confidence"] or {}).get("level")
        is_unanswered = reply["outcome"] in REFUSED or level == "low"
        return cls(question, reply["id"], reply["text"], is_unanswered)


@dataclass(eq=False)
class Session:
    """Equal to itself alone: a later one of the same id and owner is another."""

    id: str
    contract: SessionContract
    reader: Reader
    """Who opened it."""
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    tokens: list[str] = field(default_factory=list[str])
    is_archived: bool = False

    @property
    def state(self) -> str:
        return "inactive" if self.is_archived else "active" if self.exchanges else "created"

    def its_own(self, token: str | None = None) -> Call:
        """As its owner calls it."""
        newest = self.tokens[-1] if self.tokens else None
        return Call(self.contract, self.reader, self.id, token or newest)

    def check(self, contract: SessionContract, reply: httpx2.Response) -> None:
        """That the server says the same of it, in that contract's words."""
        assert reply.status_code == 200, reply.text
        asked = [exchange.question for exchange in self.exchanges]
        assert contract.questions(reply.json())[-READ_AT_LEAST:] == asked[-READ_AT_LEAST:]
        if contract is NATIVE:
            self._check_native(reply.json())

    def _check_native(self, told: Mapping[str, Any]) -> None:
        kept = [(exchange["id"], exchange["answer"]["text"]) for exchange in told["exchanges"]]
        for (kept_id, text), mine in zip(kept, self.exchanges[-len(kept) :], strict=True):
            assert mine.id is None or (kept_id, text) == (mine.id, mine.text)
        owner = self.its_own().owner
        assert (told["id"], told["user"], told["state"]) == (self.id, owner.user, self.state)
        assert (told["archived_at"] is not None) == self.is_archived
        assert bool(told["topic_summary"]) == (len(self.exchanges) >= 5)
        assert len(told["topic_summary"] or "") <= 200


@dataclass
class Library:
    """The sessions of everybody, as they should be, and whose tokens there are."""

    sessions: dict[tuple[Owner, str], Session] = field(default_factory=dict[tuple[Owner, str], Session])
    gone: list[Session] = field(default_factory=list[Session])
    """Of which nothing is left, though somebody may still know their ids and tokens."""
    tokens: dict[str, Session] = field(default_factory=dict[str, Session])
    tokens_required: bool = True
    """Whether the native contract is not the only one to want them."""

    @property
    def living(self) -> list[Session]:
        return list(self.sessions.values())

    def add(self, session: Session) -> Session:
        self.sessions[session.its_own().owner, session.id] = session
        return session

    def remove(self, *sessions: Session) -> None:
        for session in sessions:
            del self.sessions[session.its_own().owner, session.id]
            self.gone.append(session)

    def note(self, session: Session, reply: httpx2.Response) -> None:
        """A reply about a session may bring a token of it."""
        token = token_of(reply)
        assert bool(token) == (session.reader.is_public and self.wants_token(session.contract))
        if token:
            self.tokens[token] = session
            session.tokens.append(token)

    def named(self, call: Call) -> Session | None:
        """Of that owner and id, whether or not the call may reach it."""
        return self.sessions.get((call.owner, call.session_id or ""))

    def reached(self, call: Call) -> Session | None:
        """The session that such a call reads and changes; None where the answer is 404."""
        is_by_id = call.contract is COURSE and call.reader.user is None
        session = self.named_by_id(call) if is_by_id else self.named(call)
        if session is None:
            return None
        if call.reader.is_public and self.wants_token(call.contract):
            is_proven = call.token is not None and self.tokens.get(call.token) is session
            return session if is_proven and session.contract is call.contract and not is_by_id else None
        # The key is enough, or the id, which nobody could guess; the native contract shows what others keep.
        is_shown = session.contract is call.contract or call.contract is NATIVE
        return session if is_shown else None

    def wants_token(self, contract: SessionContract) -> bool:
        """Of those who have a key that everybody has."""
        return self.tokens_required or contract is NATIVE

    def named_by_id(self, call: Call) -> Session | None:
        """Of whichever user of the key, where no two of them have one of that id."""
        found = [
            session
            for session in self.living
            if (session.reader.key, session.id, session.contract)
            == (call.reader.key, call.session_id, call.contract)
        ]
        return found[0] if len(found) == 1 else None

    def may_ask(self, call: Call) -> bool:
        """Whether a question gets into the session, or opens it."""
        session = self.named(call)
        if session is None:
            is_anothers = call.contract is COURSE and self.named_by_id(call) is not None
            is_refused = is_anothers and call.reader.is_public and not self.tokens_required
            return call.session_id is None or (call.contract.opens_named and not is_refused)
        if session.contract is not call.contract:
            return False
        return not call.reader.is_public or self.reached(call) is session

    def of_user(self, user: str) -> list[Session]:
        """Under whichever key."""
        return [session for (owner, _), session in self.sessions.items() if owner.user == user]


def receipt(gone: list[Session]) -> dict[str, int]:
    """What is told when they are erased."""
    exchanges = [exchange for session in gone for exchange in session.exchanges]
    return {
        "sessions": len(gone),
        "exchanges": len(exchanges),
        "feedback": sum(exchange.is_judged for exchange in exchanges),
        "unanswered": sum(exchange.is_unanswered for exchange in exchanges),
    }


def status_of(reply: httpx2.Response) -> int:
    """Of a refusal, which must not say whether there is such a session."""
    if reply.status_code == 404 and reply.request.url.path.startswith("/v1"):
        assert reply.json()["code"] == "not_found"
        assert reply.json()["detail"] in {
            "There is no such session.",
            "The session's token is missing or no longer valid.",
            "There is no such answer.",
        }
    return reply.status_code
