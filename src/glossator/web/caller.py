"""Who is asking, as the routes of every contract see it; `guard` has checked them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request

from glossator.errors import ScopeMissing, TokenInvalid
from glossator.model import Contract, KeyKind, Opening, Owner, Scope
from glossator.web.tokens import Subject, Tokens

OPEN = "open"
"""Stands for a key's id where the server runs without keys; no key has so short a one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """As whom a caller may enter a session, and which one."""

    owner: Owner
    opening: Opening
    session_created_at: datetime | None = None
    """Of the session that their token is for; None where the key alone is enough, or nothing is proven."""


@dataclass(frozen=True, slots=True)
class Caller:
    key: str
    """The id of their key, or OPEN."""
    kind: KeyKind
    scopes: frozenset[Scope]
    address: str
    contract: Contract
    """Through which they came: a token of one contract is none in another."""
    tokens: Tokens
    token: str | None = None
    """Of a session, as sent in `X-Glossator-Session`."""

    def owner(self, user: str | None = None) -> Owner:
        return Owner(self.key, user)

    def change(self, session_id: str, *, user: str | None = None) -> Entry:
        """Into a session to empty or delete it: a secret key that only reads may not."""
        if self.kind is KeyKind.SECRET:
            self.need(Scope.ASK)
        return self.go_on(session_id, user=user)

    def reach(self, session_id: str, *, user: str | None = None, token: str | None = None) -> Entry:
        """Into a session to read it; `token` as sent in a body.

        A secret key reads with its scope; a publishable one with the token of that very session.
        """
        if self.kind is KeyKind.SECRET:
            self.need(Scope.READ)
        return self.go_on(session_id, user=user, token=token)

    def go_on(self, session_id: str, *, user: str | None = None, token: str | None = None) -> Entry:
        """Into a session that is there already. Raises TokenInvalid."""
        created_at = self._proven(session_id, user, token)
        if self.kind is KeyKind.PUBLISHABLE and created_at is None:
            raise TokenInvalid
        return Entry(self.owner(user), Opening.NEVER, created_at)

    def enter(self, session_id: str | None, *, user: str | None = None) -> Entry:
        """Into a session for a question; one that nobody knows is opened."""
        created_at = self._proven(session_id, user, None) if session_id else None
        is_theirs = self.kind is KeyKind.SECRET or created_at is not None
        opening = Opening.IF_UNKNOWN if session_id and is_theirs else Opening.ALWAYS
        return Entry(self.owner(user), opening, created_at)

    def token_for(
        self, session_id: str | None, created_at: datetime | None, *, user: str | None = None
    ) -> str | None:
        """A fresh one to go on with; None where nothing is kept, or the key alone is enough."""
        if self.kind is KeyKind.SECRET or session_id is None or created_at is None:
            return None
        return self.tokens.issue(self._subject(session_id, user), created_at)

    def _proven(self, session_id: str, user: str | None, token: str | None) -> datetime | None:
        """When the session was created of which they have a valid token."""
        if self.kind is KeyKind.SECRET:
            return None
        return self.tokens.verify(token or self.token, self._subject(session_id, user))

    def _subject(self, session_id: str, user: str | None) -> Subject:
        return Subject(session_id, self.owner(user), self.contract)

    def need(self, scope: Scope) -> Caller:
        if scope not in self.scopes:
            raise ScopeMissing
        return self


def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


def _asks(request: Request) -> Caller:
    return _caller(request).need(Scope.ASK)


def _reads(request: Request) -> Caller:
    return _caller(request).need(Scope.READ)


def _operates(request: Request) -> Caller:
    return _caller(request).need(Scope.OPERATE)


Known = Annotated[Caller, Depends(_caller)]
"""Where `reach` decides what they may do."""
Asks = Annotated[Caller, Depends(_asks)]
Reads = Annotated[Caller, Depends(_reads)]
Operates = Annotated[Caller, Depends(_operates)]
