"""Makes API keys, and finds the key that a request sent."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlsplit

from glossator.errors import KeyInvalid, RecordsError, RecordsUnavailable, SettingsError
from glossator.model import ApiKey, KeyKind, Scope, check_book_name
from glossator.ports import KeyStore

PREFIX = {KeyKind.SECRET: "sk", KeyKind.PUBLISHABLE: "pk"}
_ALPHABET = "abcdefghjkmnpqrstvwxyz23456789"
"""The letters and digits of ids, without those that look like others."""
_ID_LENGTH = 10
_SECRET_BYTES = 32
_NAME_LENGTH = 100
_DEFAULT_SCOPES = frozenset({Scope.ASK, Scope.READ})
ANONYMOUS = "anonymous"
"""The id of the key made from the settings; ids from `make_key` are one letter longer."""
_UNKNOWN_DIGEST = hashlib.sha256(b"").hexdigest()
"""Compared with an unknown key, so that it takes as long as a known one."""

_REFRESH_SECONDS = 0.5
"""Age of the keys from which a request starts a refresh, and does not wait for it."""
_STALE_SECONDS = 1.0
"""Age of the keys from which requests wait for the refresh."""
_WAIT_SECONDS = 0.25
"""How long a refresh may take before the keys read last are used."""


@dataclass(frozen=True, slots=True)
class MadeKey:
    key: ApiKey
    shown: str = field(repr=False)
    """The key itself, which is stored nowhere."""


def make_key(
    kind: KeyKind,
    at: datetime,
    *,
    name: str = "",
    scopes: Collection[Scope] = (),
    origins: Sequence[str] = (),
    is_anonymous: bool = False,
    books: Sequence[str] = (),
) -> MadeKey:
    """Raises SettingsError for options that a key of this kind cannot have."""
    identifier = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))
    shown = f"{PREFIX[kind]}_{identifier}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    key = ApiKey(
        id=identifier,
        kind=kind,
        name=_checked_name(name),
        digest=digest_of(shown),
        scopes=_checked_scopes(kind, scopes),
        origins=checked_origins(kind, origins),
        created_at=at,
        is_anonymous=_checked_anonymous(kind, is_anonymous),
        books=tuple(dict.fromkeys(map(check_book_name, books))),
    )
    return MadeKey(key, shown)


def anonymous_key(origins: Sequence[str], at: datetime) -> ApiKey:
    """A publishable key that is never sent: pages of these origins are treated as having it."""
    made = make_key(KeyKind.PUBLISHABLE, at, name="from the settings", origins=origins, is_anonymous=True)
    return replace(made.key, id=ANONYMOUS)


def digest_of(shown: str) -> str:
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()


def _checked_name(name: str) -> str:
    if len(name) > _NAME_LENGTH or not name.isprintable():
        raise SettingsError(f"A key's name is at most {_NAME_LENGTH} characters on one line.")
    return name


def _checked_scopes(kind: KeyKind, scopes: Collection[Scope]) -> frozenset[Scope]:
    if kind is KeyKind.SECRET:
        return frozenset(scopes) or _DEFAULT_SCOPES
    if scopes and set(scopes) != {Scope.ASK}:
        raise SettingsError("A publishable key may only ask: do not set its scopes.")
    return frozenset({Scope.ASK})


def checked_origins(kind: KeyKind, origins: Sequence[str]) -> tuple[str, ...]:
    if kind is KeyKind.SECRET and origins:
        raise SettingsError("Only publishable keys have origins: a secret key never stands in a page.")
    if kind is KeyKind.PUBLISHABLE and not origins:
        raise SettingsError("A publishable key needs at least one origin, such as https://book.example.")
    return tuple(dict.fromkeys(origin_of(text) for text in origins))


def _checked_anonymous(kind: KeyKind, is_anonymous: bool) -> bool:
    if is_anonymous and kind is KeyKind.SECRET:
        raise SettingsError("Only a publishable key can let its origins ask without a key.")
    return is_anonymous


_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_USUAL_PORTS = {"http": 80, "https": 443}


def origin_of(text: str) -> str:
    """The origin as a browser writes it: scheme and host in lower case, without a default port."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _not_an_origin(text) from error
    scheme, host = parts.scheme, parts.netloc.lower().removesuffix(f":{port}")
    is_whole = text.lower() == f"{scheme}://{parts.netloc}".lower()
    if scheme not in _USUAL_PORTS or not is_whole or not _HOST.fullmatch(host):
        raise _not_an_origin(text)
    return f"{scheme}://{host}" if port in (None, _USUAL_PORTS[scheme]) else f"{scheme}://{host}:{port}"


def _not_an_origin(text: str) -> SettingsError:
    return SettingsError(
        f"{text!r} is not an origin: write https://book.example or http://localhost:3000, "
        "without a path, without * and as the browser sends it (xn--… for other letters)."
    )


class Keyring:
    """All valid keys in memory, never much older than a second while the database answers.

    On a busy server nobody waits for the database, whose queue is long then: the keys are read again before
    they are too old. While the database does not answer, the keys read last stay valid. Once there has been a
    key, keys are needed until the server restarts: revoking the last one must not open it to everybody.
    """

    def __init__(
        self,
        keys: KeyStore,
        *,
        given: Sequence[ApiKey] = (),
        may_open: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`given`: keys from the settings, valid besides those in the database and also while it is down.

        `may_open`: whether requests need no key while there is none; for servers on loopback only.
        """
        self._keys = keys
        self._given = {key.digest: key for key in given}
        self._may_open = may_open
        self._clock = clock
        self._known: Mapping[str, ApiKey] | None = None
        self._had_keys = bool(given)
        self._failure: RecordsError = RecordsUnavailable()
        self._refreshing: asyncio.Task[None] | None = None
        self._refresh_at = self._stale_at = self._stop_waiting_at = clock()

    async def find(self, sent: str) -> ApiKey:
        digest = digest_of(sent)
        key = (await self._current()).get(digest)
        is_match = hmac.compare_digest(digest, key.digest if key else _UNKNOWN_DIGEST)
        if key is None and self._known is None:
            # It may be one of the keys in the database.
            raise self._failure
        if key is None or not is_match:
            raise KeyInvalid
        return key

    async def anonymous(self) -> Sequence[ApiKey]:
        """The keys that pages of their origins need not send, oldest first."""
        return [key for key in (await self._current()).values() if key.is_anonymous]

    async def is_open(self) -> bool:
        await self._current()
        return self._may_open and not self._had_keys

    async def may_be_open(self) -> bool:
        """Like `is_open`, but True while the keys could not be read yet."""
        await self._refresh_if_due()
        return self._may_open and not self._had_keys

    async def has_keys(self) -> bool:
        return bool(await self._current())

    async def origins(self) -> frozenset[str]:
        """The origins whose pages may ask; none while the keys could not be read yet."""
        await self._refresh_if_due()
        known = self._given if self._known is None else self._known
        return frozenset(origin for key in known.values() for origin in key.origins)

    async def _current(self) -> Mapping[str, ApiKey]:
        await self._refresh_if_due()
        if self._known is not None:
            return self._known
        if self._given:
            return self._given
        # It is not known yet whether keys are needed, so every request is refused.
        raise self._failure

    async def _refresh_if_due(self) -> None:
        """All requests share one refresh, which goes on when one of them is cancelled."""
        now = self._clock()
        if now < self._refresh_at:
            return
        if self._refreshing is None:
            self._refreshing = asyncio.create_task(self._refresh())
            self._stop_waiting_at = now + _WAIT_SECONDS
        if self._known is not None and now < self._stale_at:
            return
        timeout = max(0.0, self._stop_waiting_at - now) if self._known is not None else None
        done, _ = await asyncio.wait({self._refreshing}, timeout=timeout)
        for task in done:
            task.result()

    async def _refresh(self) -> None:
        try:
            stored = {key.digest: key for key in await self._keys.all()}
            # The database's comes before the same key from the settings, so that it can be revoked there.
            keys = stored | {digest: key for digest, key in self._given.items() if digest not in stored}
            self._known = {digest: key for digest, key in keys.items() if key.revoked_at is None}
            self._had_keys = self._had_keys or bool(self._known)
        except RecordsError as failure:
            self._failure = failure
        finally:
            now = self._clock()
            self._refresh_at, self._stale_at = now + _REFRESH_SECONDS, now + _STALE_SECONDS
            self._refreshing = None
