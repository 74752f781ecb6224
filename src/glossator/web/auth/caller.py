"""Who is asking, as the routes of every contract see it; `guard` has checked them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Header, Request

from glossator.engine import Engine
from glossator.errors import QuestionError, ScopeMissing, SessionUnknown, TokenInvalid
from glossator.model import Contract, Idempotency, KeyKind, Opening, Owner, Scope, Session
from glossator.web.auth.address import counted_as
from glossator.web.auth.tokens import Subject, Tokens

OPEN = "open"
"""Stands for a key's id where the server runs without keys; no key has so short a one."""


@dataclass(frozen=True, slots=True)
class SessionAccess:
    """As whom a caller may enter a session, and which one."""

    owner: Owner
    opening: Opening
    session_created_at: datetime | None = None
    """Of the session that their token is for; None where key or id is enough, or nothing is proven."""
    is_by_id: bool = False
    """Whether the id alone is proof, whichever user of the key has the session."""


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
    enters_by_id: bool = False
    """Whether a session of theirs is entered by its id, without a token; only with a publishable key."""

    def owner(self, user: str | None = None) -> Owner:
        return Owner(self.key, user)

    async def find(
        self, engine: Engine, session_id: str, *, user: str | None = None, to_change: bool = False
    ) -> Session:
        """The session of this contract that they may read, or change. Raises SessionUnknown, TokenInvalid."""
        entry = (self.change if to_change else self.reach)(session_id, user=user)
        if entry.is_by_id and user is None:
            return await engine.sessions.find_by_id(session_id, entry.owner.key, self.contract)
        session = await engine.sessions.find(session_id, entry.owner, created_at=entry.session_created_at)
        if session.contract is not self.contract:
            raise SessionUnknown
        return session

    def change(self, session_id: str, *, user: str | None = None) -> SessionAccess:
        """Into a session to empty or delete it: a secret key that only reads may not."""
        if self.kind is KeyKind.SECRET:
            return self.need(Scope.ASK)._with_key(session_id, user)
        return self.go_on(session_id, user=user)

    def reach(self, session_id: str, *, user: str | None = None, token: str | None = None) -> SessionAccess:
        """Into a session to read it; `token` as sent in a body.

        A secret key reads with its scope; a publishable one with the token of that very session, or its id.
        """
        if self.kind is KeyKind.SECRET:
            return self.need(Scope.READ)._with_key(session_id, user)
        return self.go_on(session_id, user=user, token=token)

    def go_on(self, session_id: str, *, user: str | None = None, token: str | None = None) -> SessionAccess:
        """Into a session that is there already. Raises TokenInvalid."""
        if self.enters_by_id:
            return self._by_id(session_id, user, Opening.NEVER)
        created_at = self._proven(session_id, user, token)
        if self.kind is KeyKind.PUBLISHABLE and created_at is None:
            raise TokenInvalid
        return SessionAccess(self.owner(user), Opening.NEVER, created_at)

    def enter(self, session_id: str | None, *, user: str | None = None) -> SessionAccess:
        """Into a session for a question; one that nobody knows is opened."""
        if session_id and self.enters_by_id:
            return self._by_id(session_id, user, Opening.IF_UNKNOWN)
        created_at = self._proven(session_id, user, None) if session_id else None
        is_theirs = self.kind is KeyKind.SECRET or created_at is not None
        opening = Opening.IF_UNKNOWN if session_id and is_theirs else Opening.ALWAYS
        return SessionAccess(self.owner(user), opening, created_at)

    def token_for(
        self, session_id: str | None, created_at: datetime | None, *, user: str | None = None
    ) -> str | None:
        """A fresh one to go on with; None where nothing is kept, or the key alone is enough."""
        if self.kind is KeyKind.SECRET or self.enters_by_id or session_id is None or created_at is None:
            return None
        return self.tokens.issue(self._subject(session_id, user), created_at)

    def _with_key(self, session_id: str, user: str | None) -> SessionAccess:
        return SessionAccess(self.owner(user), Opening.NEVER, is_by_id=is_unguessable(session_id))

    def _by_id(self, session_id: str, user: str | None, opening: Opening) -> SessionAccess:
        """What others could guess is another session for each address, so that a guess finds nothing."""
        if is_unguessable(session_id):
            return SessionAccess(self.owner(user), opening, is_by_id=True)
        address = self.tokens.name_of(counted_as(self.address))
        return SessionAccess(Owner(f"{self.key}@{address}", user), opening)

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


_UUID4 = re.compile(
    r"[0-9a-f]{8}(?P<dash>-?)[0-9a-f]{4}(?P=dash)4[0-9a-f]{3}(?P=dash)[89ab][0-9a-f]{3}(?P=dash)[0-9a-f]{12}",
    re.IGNORECASE,
)
_LEAST_DIGITS = 8
"""Different ones; a random id has fewer once in five million times, one that was made up by hand often."""


def is_unguessable(session_id: str) -> bool:
    """Whether it is a UUID of version 4, with or without its hyphens: 122 bits that nobody can try out."""
    return _UUID4.fullmatch(session_id) is not None and len(set(session_id.lower()) - {"-"}) >= _LEAST_DIGITS


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


# A caller's own name for a request that asks, so that sending it twice asks once.

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


async def _named(
    request: Request,
    idempotency_key: Annotated[
        str | None, Header(description="1 to 255 visible characters of the caller's own choice.")
    ] = None,
) -> Idempotency | None:
    if idempotency_key is None:
        return None
    if not _KEY.fullmatch(idempotency_key):
        raise QuestionError("An idempotency key has 1 to 255 visible characters and no blanks.")
    asked = request.url.path.encode() + b"\n" + await request.body()
    return Idempotency(_own(idempotency_key, request.state.caller), hashlib.sha256(asked).hexdigest())


def _own(key: str, caller: Caller) -> str:
    """Everybody has the same publishable key: a name that another reader chose too is not the same name."""
    if caller.kind is KeyKind.SECRET:
        return key
    return hashlib.sha256(f"{caller.address}\n{key}".encode()).hexdigest()


Named = Annotated[Idempotency | None, Depends(_named)]
