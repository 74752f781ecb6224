"""Session tokens: they prove that a session is the caller's own, where many share a publishable key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import struct
from binascii import Error as NotBase64
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from glossator.errors import SettingsError
from glossator.model import Contract, Owner

_IDLE = timedelta(hours=1)
_AT_MOST = timedelta(hours=12)
_TIMES = struct.Struct(">qq")
"""When the session was created and when the token was issued, in microseconds since 1970."""
_LENGTH = 64
"""The length of a token: 16 bytes of times and 32 of signature, in base64 without padding."""
_PURPOSE = b"glossator session token, second form"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECRET_BYTES = 32
_LEAST_SECRET = 16


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a token is for: one session, of one owner, in one contract."""

    session_id: str
    owner: Owner
    contract: Contract


class Tokens:
    """A token is valid for one hour, and at most until twelve hours after its session was created.

    It does not contain its subject, but its signature covers it: the caller names the session.
    """

    def __init__(self, secret: bytes, clock: Callable[[], datetime] = _now) -> None:
        if len(secret) < _LEAST_SECRET:
            raise SettingsError(f"The secret that signs session tokens needs at least {_LEAST_SECRET} bytes.")
        self._secret = secret
        self._clock = clock

    def issue(self, subject: Subject, created_at: datetime) -> str:
        """However often tokens are issued for a session, none is valid after its twelve hours."""
        packed = _TIMES.pack(_to_number(created_at), _to_number(self._clock()))
        return base64.urlsafe_b64encode(packed + self._signature(packed, subject)).decode()

    def verify(self, token: object, subject: Subject) -> datetime | None:
        """When the token's session was created; None where the token is not valid.

        Callers must look for a session with that creation time: a later one may have the same id.
        """
        raw = _raw(token)
        packed, signature = raw[: _TIMES.size], raw[_TIMES.size :]
        if not hmac.compare_digest(signature, self._signature(packed, subject)):
            return None
        created_at, issued_at = map(_to_time, _TIMES.unpack(packed))
        now = self._clock()
        return created_at if now - issued_at <= _IDLE and now - created_at <= _AT_MOST else None

    def name_of(self, address: str) -> str:
        """A pseudonym for a stored address; without the secret the address cannot be found out."""
        return hmac.digest(self._secret, b"glossator address" + address.encode(), "sha256").hex()[:32]

    def _signature(self, packed: bytes, subject: Subject) -> bytes:
        owner = subject.owner
        # Without the default book, so that tokens stay valid that were issued before there were others.
        book = (owner.book,) if owner.book else ()
        parts = (owner.key, owner.user or "", subject.contract.value, subject.session_id, *book)
        # Hashes have one length, so that two subjects never give the same bytes.
        hashes = b"".join(hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest() for part in parts)
        return hmac.digest(self._secret, _PURPOSE + hashes + packed, "sha256")


def _to_number(time: datetime) -> int:
    return (time - _EPOCH) // _MICROSECOND


def _to_time(number: int) -> datetime:
    return _EPOCH + number * _MICROSECOND


def _raw(token: object) -> bytes:
    """Empty for what cannot be a token: without a signature it is refused like a forged one."""
    if not isinstance(token, str) or len(token) != _LENGTH:
        return b""
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True)
    except (NotBase64, ValueError):
        return b""


def load_or_create_secret(path: Path) -> bytes:
    """The secret in that file, which the first process creates; readable by its owner only."""
    with _file_errors(path):
        if not path.exists():
            _make_secret(path)
        secret = path.read_bytes()
    if len(secret) != _SECRET_BYTES:
        raise SettingsError(f"{path} does not hold a secret: remove it, and a new one is made.")
    return secret


def _make_secret(path: Path) -> None:
    """Written to a draft and then linked, so that of two processes the second reads the first one's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _file_errors(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsError(f"The secret in {path} cannot be read or written ({error.strerror}).") from error
