"""Authenticates and rate-limits a request from its headers alone, before the body is read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from starlette.datastructures import Headers
from starlette.types import Scope

from glossator.errors import AccessError, BookUnknown, KeyInvalid, KeyMissing, OriginRefused, TooManyRequests
from glossator.model import DEFAULT_BOOK, ApiKey, Contract, KeyKind
from glossator.model import Scope as KeyScope
from glossator.web.auth.address import Addresses, is_loopback_host, is_loopback_origin, rate_limit_address
from glossator.web.auth.caller import OPEN, Caller
from glossator.web.auth.keyring import Keyring
from glossator.web.auth.limits import RateLimits
from glossator.web.auth.tokens import Tokens
from glossator.work import CALLER

SESSION_HEADER = "X-Glossator-Session"

_BY_ID = frozenset({Contract.THREADS, Contract.CITATIONS, Contract.GROUNDING, Contract.COURSE})
"""Contracts whose clients know only a session's id, and cannot send a token."""


@dataclass(frozen=True, slots=True)
class Access:
    """Shared by all contracts, so that a key has one rate limit wherever it is used."""

    keyring: Keyring
    tokens: Tokens
    limits: RateLimits
    addresses: Addresses = field(default_factory=Addresses)
    check_room: Callable[[], None] = lambda: None
    """Raises when no more questions can be taken."""
    arrive: Callable[[], AbstractContextManager[None]] = nullcontext
    """The same, and counts the question until it is taken."""
    tokens_required: bool = False
    """Whether every contract requires a session token, not only the native one."""

    async def admit(self, scope: Scope, contract: Contract, book: str | None = "") -> Caller:
        """`book` is None where no book has the name; to a key for other books, an existing one looks alike.

        Callers without a key do not learn which books there are.
        """
        address = self.addresses.of(scope)
        try:
            caller = await self._caller(Headers(scope=scope), address, contract, book)
        except AccessError:
            # Counted apart, so that guessing keys does not slow down a valid caller at the same address.
            await self._count(scope, f"refused/{rate_limit_address(address)}")
            raise
        bucket = _rate_limit_bucket(caller)
        await self._count(scope, bucket)
        # FairThreads shares its threads between callers by this.
        CALLER.set(bucket)
        if book is None or not _is_among(caller.books, book):
            raise BookUnknown
        return replace(caller, book=book)

    async def check_host(self, scope: Scope) -> None:
        """Use it for paths that need no key. Raises OriginRefused."""
        if await self.keyring.may_be_open():
            _check_local(Headers(scope=scope))

    async def _caller(self, headers: Headers, address: str, contract: Contract, book: str | None) -> Caller:
        token = headers.get(SESSION_HEADER)
        if await self.keyring.is_open():
            _check_local(headers)
            return Caller(OPEN, KeyKind.SECRET, frozenset(KeyScope), address, contract, self.tokens, token)
        key = await self._key(headers, book or "")
        is_public = key.kind is KeyKind.PUBLISHABLE
        by_id = is_public and contract in _BY_ID and not self.tokens_required
        caller = Caller(key.id, key.kind, key.scopes, address, contract, self.tokens, token, by_id)
        return replace(caller, books=key.books)

    async def _key(self, headers: Headers, book: str) -> ApiKey:
        api_key = _sent_key(headers)
        if api_key is None:
            return await self._key_of_page(headers, book)
        key = await self.keyring.find(api_key)
        if key.kind is KeyKind.PUBLISHABLE and not _is_from(headers, key):
            raise OriginRefused
        return key

    async def _key_of_page(self, headers: Headers, book: str) -> ApiKey:
        """Pages written for another server send no key, so an anonymous key is found by their origin."""
        keys = [key for key in await self.keyring.anonymous() if _is_from(headers, key)]
        if not keys:
            raise KeyMissing
        return next((key for key in keys if _is_among(key.books, book)), keys[0])

    async def _count(self, scope: Scope, bucket: str) -> None:
        status = await self.limits.hit(bucket)
        scope["state"]["rate_limit_status"] = status
        if status.retry_after is not None:
            raise TooManyRequests(retry_after=status.retry_after)


def _is_among(books: Collection[str], book: str) -> bool:
    """Whether a key that is limited to these books may use the book."""
    return not books or (book or DEFAULT_BOOK) in books


def _rate_limit_bucket(caller: Caller) -> str:
    """Counts by address too where many callers share a key: a publishable one, or none on an open server."""
    if caller.kind is KeyKind.PUBLISHABLE or caller.key == OPEN:
        return f"{caller.key}/{rate_limit_address(caller.address)}"
    return caller.key


def _sent_key(headers: Headers) -> str | None:
    keys = {value for value in map(_bearer, headers.getlist("authorization")) if value is not None}
    keys.update(value.strip() for value in headers.getlist("x-api-key"))
    if len(keys) > 1:
        # A proxy in front of us might have checked the other key.
        raise KeyInvalid("Several different keys were sent.")
    return keys.pop() if keys else None


def _bearer(header: str) -> str | None:
    scheme, _, value = header.strip().partition(" ")
    return value.strip() if scheme.lower() == "bearer" else None


def _is_from(headers: Headers, key: ApiKey) -> bool:
    """Whether a page of one of the key's origins sent the request."""
    origins = headers.getlist("origin")
    return origins[0] in key.origins if len(origins) == 1 else not origins and _is_own_page(headers, key)


def _is_own_page(headers: Headers, key: ApiKey) -> bool:
    """Browsers send no Origin with same-origin GET requests, so Host and Sec-Fetch-Site are checked."""
    hosts = headers.getlist("host")
    is_same = headers.getlist("sec-fetch-site") == ["same-origin"]
    return is_same and len(hosts) == 1 and hosts[0] in {origin.partition("://")[2] for origin in key.origins}


def _check_local(headers: Headers) -> None:
    """Refuses pages of other sites, also those whose host was rebound to this machine (DNS rebinding)."""
    hosts = headers.getlist("host")
    is_local = len(hosts) == 1 and is_loopback_host(hosts[0])
    if not is_local or not all(map(is_loopback_origin, headers.getlist("origin"))):
        raise OriginRefused("This server runs without keys and answers its own machine only.")
