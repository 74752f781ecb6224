"""Proof that a session is the caller's own, for keys that everybody can read in a page."""

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
"""When the session was created, and when the token was issued; in microseconds since 1970."""
_LENGTH = 64
"""Of a token: 16 bytes of times and 32 of signature, in base64 without padding."""
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
    """Signed; good for an hour after it was issued, and until twelve hours after its session was created.

    A token does not name its subject, its signature covers it: whoever shows one says what it is for.
    """

    def __init__(self, secret: bytes, clock: Callable[[], datetime] = _now) -> None:
        if len(secret) < _LEAST_SECRET:
            raise SettingsError(f"The secret that signs session tokens needs at least {_LEAST_SECRET} bytes.")
        self._secret = secret
        self._clock = clock

    def issue(self, subject: Subject, created_at: datetime) -> str:
        """However often one is issued for a session, none is good after its twelve hours."""
        packed = _TIMES.pack(_to_number(created_at), _to_number(self._clock()))
        return base64.urlsafe_b64encode(packed + self._signature(packed, subject)).decode()

    def verify(self, token: object, subject: Subject) -> datetime | None:
        """When the session was created that the token is for; None where it is not a valid one.

        The caller must look only for a session that was created then: a later one may have the same id.
        """
        raw = _raw(token)
        packed, signature = raw[: _TIMES.size], raw[_TIMES.size :]
        if not hmac.compare_digest(signature, self._signature(packed, subject)):
            return None
        created_at, issued_at = map(_to_time, _TIMES.unpack(packed))
        now = self._clock()
        return created_at if now - issued_at <= _IDLE and now - created_at <= _AT_MOST else None

    def name_of(self, address: str) -> str:
        """What a reader's address is called where it is kept; nobody without the secret finds it out."""
        return hmac.digest(self._secret, b"glossator address" + address.encode(), "sha256").hex()[:32]

    def _signature(self, packed: bytes, subject: Subject) -> bytes:
        owner = subject.owner
        parts = (owner.key, owner.user or "", subject.contract.value, subject.session_id)
        # Hashes are of one length, so that no two subjects are the same bytes.
        named = b"".join(hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest() for part in parts)
        return hmac.digest(self._secret, _PURPOSE + named + packed, "sha256")


def _to_number(time: datetime) -> int:
    return (time - _EPOCH) // _MICROSECOND


def _to_time(number: int) -> datetime:
    return _EPOCH + number * _MICROSECOND


def _raw(token: object) -> bytes:
    """Nothing for what cannot be a token; that has no signature, so it is refused like a forged one."""
    if not isinstance(token, str) or len(token) != _LENGTH:
        return b""
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True)
    except (NotBase64, ValueError):
        return b""


def kept_secret(path: Path) -> bytes:
    """The secret in that file, made by whoever comes first; readable by its owner only."""
    with _file_errors(path):
        if not path.exists():
            _make_secret(path)
        secret = path.read_bytes()
    if len(secret) != _SECRET_BYTES:
        raise SettingsError(f"{path} does not hold a secret: remove it, and a new one is made.")
    return secret


def _make_secret(path: Path) -> None:
    """Linked into place whole, so that of two processes the second takes what the first has made."""
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
        raise SettingsError(f"The secret in {path} cannot be kept ({error.strerror}).") from error
