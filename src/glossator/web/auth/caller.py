"""The authenticated caller, and which sessions they may read, continue or change.

Routes depend on `Asks`, `Reads`, `Operates` or `AnyCaller`; the guard has checked the key before.
"""

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
from glossator.web.auth.address import rate_limit_address
from glossator.web.auth.tokens import Subject, Tokens

OPEN = "open"
"""The key id of callers of a server without keys; real ids are longer."""


@dataclass(frozen=True, slots=True)
class SessionAccess:
    """As which owner a caller may use a session, and whether it may be opened."""

    owner: Owner
    opening: Opening
    session_created_at: datetime | None = None
    """When the session was created that the token is for; None without a valid token."""
    is_by_id: bool = False
    """Whether the id alone is enough, whichever user of the key owns the session."""


@dataclass(frozen=True, slots=True)
class Caller:
    key: str
    """The key's id, or OPEN."""
    kind: KeyKind
    scopes: frozenset[Scope]
    address: str
    contract: Contract
    """A session token is valid in the contract that issued it only."""
    tokens: Tokens
    token: str | None = None
    """The session token sent in `X-Glossator-Session`."""
    enters_by_id: bool = False
    """Whether a session's id is enough without a token; with publishable keys only."""
    book: str = ""
    """The book that the request is about; empty for the default book."""
    books: tuple[str, ...] = ()
    """The books that the key may use; empty for all of them."""

    def owner(self, user: str | None = None) -> Owner:
        return Owner(self.key, user, self.book)

    async def find(
        self, engine: Engine, session_id: str, *, user: str | None = None, to_change: bool = False
    ) -> Session:
        """A session of this contract that the caller may read, or with `to_change` change.

        Raises SessionUnknown, TokenInvalid.
        """
        access = (self.change if to_change else self.reach)(session_id, user=user)
        if access.is_by_id and user is None:
            return await engine.sessions.find_by_id(session_id, access.owner, self.contract)
        session = await engine.sessions.find(session_id, access.owner, created_at=access.session_created_at)
        if session.contract is not self.contract:
            raise SessionUnknown
        return session

    def change(self, session_id: str, *, user: str | None = None) -> SessionAccess:
        """Access to empty or delete a session: a secret key needs the scope `ask` for it."""
        if self.kind is KeyKind.SECRET:
            return self.need(Scope.ASK)._with_key(session_id, user)
        return self.go_on(session_id, user=user)

    def reach(self, session_id: str, *, user: str | None = None, token: str | None = None) -> SessionAccess:
        """Access to read a session; `token` is one sent in the body.

        A secret key needs the scope `read`, a publishable one the token of that session, or its id.
        """
        if self.kind is KeyKind.SECRET:
            return self.need(Scope.READ)._with_key(session_id, user)
        return self.go_on(session_id, user=user, token=token)

    def go_on(self, session_id: str, *, user: str | None = None, token: str | None = None) -> SessionAccess:
        """Access to continue an existing session. Raises TokenInvalid."""
        if self.enters_by_id:
            return self._by_id(session_id, user, Opening.NEVER)
        created_at = self._verified(session_id, user, token)
        if self.kind is KeyKind.PUBLISHABLE and created_at is None:
            raise TokenInvalid
        return SessionAccess(self.owner(user), Opening.NEVER, created_at)

    def enter(self, session_id: str | None, *, user: str | None = None) -> SessionAccess:
        """Access to ask in a session; an unknown one is opened."""
        if session_id and self.enters_by_id:
            return self._by_id(session_id, user, Opening.IF_UNKNOWN)
        created_at = self._verified(session_id, user, None) if session_id else None
        is_owner = self.kind is KeyKind.SECRET or created_at is not None
        opening = Opening.IF_UNKNOWN if session_id and is_owner else Opening.ALWAYS
        return SessionAccess(self.owner(user), opening, created_at)

    def token_for(
        self, session_id: str | None, created_at: datetime | None, *, user: str | None = None
    ) -> str | None:
        """A new token for the session; None where nothing is stored, or no token is needed."""
        if self.kind is KeyKind.SECRET or self.enters_by_id or session_id is None or created_at is None:
            return None
        return self.tokens.issue(self._subject(session_id, user), created_at)

    def _with_key(self, session_id: str, user: str | None) -> SessionAccess:
        return SessionAccess(self.owner(user), Opening.NEVER, is_by_id=is_unguessable(session_id))

    def _by_id(self, session_id: str, user: str | None, opening: Opening) -> SessionAccess:
        """A guessable id is a different session for each address, so that guessing finds nothing."""
        if is_unguessable(session_id):
            return SessionAccess(self.owner(user), opening, is_by_id=True)
        address = self.tokens.name_of(rate_limit_address(self.address))
        return SessionAccess(Owner(f"{self.key}@{address}", user, self.book), opening)

    def _verified(self, session_id: str, user: str | None, token: str | None) -> datetime | None:
        """When the session was created, if the caller has a valid token for it."""
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
"""Different digits. A random id has fewer once in five million times; an id typed by hand often has."""


def is_unguessable(session_id: str) -> bool:
    """Whether the id is a version 4 UUID, with or without hyphens: 122 random bits."""
    return _UUID4.fullmatch(session_id) is not None and len(set(session_id.lower()) - {"-"}) >= _LEAST_DIGITS


# FastAPI runs a plain function that a route depends on in a thread, which costs more than the function does.


async def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def _asks(request: Request) -> Caller:
    return (await _caller(request)).need(Scope.ASK)


async def reads(request: Request) -> Caller:
    return (await _caller(request)).need(Scope.READ)


async def _operates(request: Request) -> Caller:
    return (await _caller(request)).need(Scope.OPERATE)


AnyCaller = Annotated[Caller, Depends(_caller)]
"""Any valid key: for routes where the methods of Caller check the scope."""
Asks = Annotated[Caller, Depends(_asks)]
Reads = Annotated[Caller, Depends(reads)]
Operates = Annotated[Caller, Depends(_operates)]


# The Idempotency-Key header: a request that is sent twice is answered once.

_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


async def _idempotency(
    request: Request,
    idempotency_key: Annotated[
        str | None, Header(description="1 to 255 visible characters of the caller's own choice.")
    ] = None,
) -> Idempotency | None:
    if idempotency_key is None:
        return None
    if not _IDEMPOTENCY_KEY.fullmatch(idempotency_key):
        raise QuestionError("An idempotency key has 1 to 255 visible characters and no blanks.")
    content = request.url.path.encode() + b"\n" + await request.body()
    return Idempotency(_scoped(idempotency_key, request.state.caller), hashlib.sha256(content).hexdigest())


def _scoped(key: str, caller: Caller) -> str:
    """Readers share a publishable key, so their idempotency keys are kept apart by address."""
    if caller.kind is KeyKind.SECRET:
        return key
    return hashlib.sha256(f"{caller.address}\n{key}".encode()).hexdigest()


IdempotencyKey = Annotated[Idempotency | None, Depends(_idempotency)]
