"""Who may come in, and how often: decided from the headers alone, before anything else is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import Scope

from glossator.errors import AccessError, KeyInvalid, KeyMissing, OriginRefused, TooManyRequests
from glossator.model import ApiKey, Contract, KeyKind
from glossator.model import Scope as KeyScope
from glossator.web.auth.address import Addresses, counted_as, is_loopback_host, is_loopback_origin
from glossator.web.auth.caller import OPEN, Caller
from glossator.web.auth.keyring import Keyring
from glossator.web.auth.limits import RateLimits
from glossator.web.auth.tokens import Tokens
from glossator.work import CALLER

SESSION_HEADER = "X-Glossator-Session"

_BY_ID = frozenset({Contract.THREADS, Contract.CITATIONS, Contract.GROUNDING, Contract.COURSE})
"""Whose clients know a session's id and nothing else of it."""


@dataclass(frozen=True, slots=True)
class Access:
    """The same for all contracts, so that a key is one key and counted once wherever it is used."""

    keyring: Keyring
    tokens: Tokens
    limits: RateLimits
    addresses: Addresses = field(default_factory=Addresses)
    check_room: Callable[[], None] = lambda: None
    """Raises when no more questions can be taken."""
    tokens_required: bool = False
    """Whether every contract wants the token of a session, and not the native one alone."""

    async def admit(self, scope: Scope, contract: Contract) -> Caller:
        address = self.addresses.of(scope)
        try:
            caller = await self._caller(Headers(scope=scope), address, contract)
        except AccessError:
            # Who tries keys out is slowed down; who has a good one at the same address is not.
            await self._count(scope, f"refused/{counted_as(address)}")
            raise
        counted = _counted(caller)
        await self._count(scope, counted)
        # Whoever works for this request is to know whose turn it is.
        CALLER.set(counted)
        return caller

    async def check_host(self, scope: Scope) -> None:
        """For what nobody needs a key for. Raises OriginRefused."""
        if await self.keyring.may_be_open():
            _check_local(Headers(scope=scope))

    async def _caller(self, headers: Headers, address: str, contract: Contract) -> Caller:
        token = headers.get(SESSION_HEADER)
        if await self.keyring.is_open():
            _check_local(headers)
            return Caller(OPEN, KeyKind.SECRET, frozenset(KeyScope), address, contract, self.tokens, token)
        key = await self._key(headers)
        is_public = key.kind is KeyKind.PUBLISHABLE
        by_id = is_public and contract in _BY_ID and not self.tokens_required
        return Caller(key.id, key.kind, key.scopes, address, contract, self.tokens, token, by_id)

    async def _key(self, headers: Headers) -> ApiKey:
        presented = _presented(headers)
        if presented is None:
            return await self._key_of_page(headers)
        key = await self.keyring.find(presented)
        if key.kind is KeyKind.PUBLISHABLE and not _is_from(headers, key):
            raise OriginRefused
        return key

    async def _key_of_page(self, headers: Headers) -> ApiKey:
        """Pages that were written for another server send no key: their origin stands for one."""
        for key in await self.keyring.anonymous():
            if _is_from(headers, key):
                return key
        raise KeyMissing

    async def _count(self, scope: Scope, who: str) -> None:
        standing = await self.limits.hit(who)
        scope["state"]["standing"] = standing
        if standing.retry_after is not None:
            raise TooManyRequests(retry_after=standing.retry_after)


def _counted(caller: Caller) -> str:
    """Everybody has the same publishable key, and nobody has one where the server is open."""
    if caller.kind is KeyKind.PUBLISHABLE or caller.key == OPEN:
        return f"{caller.key}/{counted_as(caller.address)}"
    return caller.key


def _presented(headers: Headers) -> str | None:
    found = {value for value in map(_bearer, headers.getlist("authorization")) if value is not None}
    found.update(value.strip() for value in headers.getlist("x-api-key"))
    if len(found) > 1:
        # Another reader of this request, such as a proxy, might have believed the other one.
        raise KeyInvalid("Several different keys were sent.")
    return found.pop() if found else None


def _bearer(header: str) -> str | None:
    scheme, _, value = header.strip().partition(" ")
    return value.strip() if scheme.lower() == "bearer" else None


def _is_from(headers: Headers, key: ApiKey) -> bool:
    """Whether a page of the key's origins has sent them."""
    sent = headers.getlist("origin")
    return sent[0] in key.origins if len(sent) == 1 else not sent and _is_own_page(headers, key)


def _is_own_page(headers: Headers, key: ApiKey) -> bool:
    """A browser names no origin where a page only reads from the server that it came from itself."""
    hosts = headers.getlist("host")
    is_same = headers.getlist("sec-fetch-site") == ["same-origin"]
    return is_same and len(hosts) == 1 and hosts[0] in {origin.partition("://")[2] for origin in key.origins}


def _check_local(headers: Headers) -> None:
    """A page from elsewhere, also one that gave its own name this machine's address, gets nothing."""
    hosts = headers.getlist("host")
    is_local = len(hosts) == 1 and is_loopback_host(hosts[0])
    if not is_local or not all(map(is_loopback_origin, headers.getlist("origin"))):
        raise OriginRefused("This server runs without keys and answers its own machine only.")
