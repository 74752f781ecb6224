"""Who is asking, as the routes of every contract see it; `guard` has checked them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from glossator.errors import ScopeMissing, TokenInvalid
from glossator.model import KeyKind, Opening, Owner, Scope
from glossator.web.tokens import Tokens

OPEN = "open"
"""Stands for a key's id where the server runs without keys; no key has so short a one."""


@dataclass(frozen=True, slots=True)
class Caller:
    key: str
    """The id of their key, or OPEN."""
    kind: KeyKind
    scopes: frozenset[Scope]
    address: str
    tokens: Tokens
    token: str | None = None
    """Of a session, as sent in `X-Glossator-Session`."""

    def owner(self, user: str | None = None) -> Owner:
        return Owner(self.key, user)

    def reach(self, session_id: str, *, user: str | None = None, token: str | None = None) -> Owner:
        """The owner as whom they may read and change that session; `token` as sent in a body.

        A secret key reads with its scope; a publishable one with the token of that very session.
        """
        if self.kind is KeyKind.SECRET:
            self.need(Scope.READ)
        elif not self.tokens.is_valid(token or self.token, session_id):
            raise TokenInvalid
        return self.owner(user)

    def opening(self, session_id: str | None, *, token: str | None = None) -> Opening:
        """How a question may enter the session of that id, which the caller has named."""
        if session_id is None:
            return Opening.ALWAYS
        if self.kind is KeyKind.SECRET or self.tokens.is_valid(token or self.token, session_id):
            return Opening.IF_UNKNOWN
        return Opening.ALWAYS

    def token_for(self, session_id: str, *, token: str | None = None) -> str | None:
        """A fresh one to go on with; None where the key alone is enough."""
        if self.kind is KeyKind.SECRET:
            return None
        return self.tokens.renew(token or self.token, session_id)

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
