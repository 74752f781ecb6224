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
from datetime import UTC, datetime, timedelta
from pathlib import Path

from glossator.errors import SettingsError

_SLIDING = timedelta(hours=1).total_seconds()
_AT_MOST = timedelta(hours=12).total_seconds()
_TIMES = struct.Struct(">QQ")
"""When the first one was issued, and when this one; in seconds."""
_LENGTH = 64
"""Of a token: 16 bytes of times and 32 of signature, in base64 without padding."""
_PURPOSE = b"glossator session token, first form"
_SECRET_BYTES = 32
_LEAST_SECRET = 16


def _now() -> datetime:
    return datetime.now(UTC)


class Tokens:
    """Signed; good for an hour from the last use, and for twelve from the first.

    A token does not name its session, its signature does: whoever shows one says which session it is for.
    """

    def __init__(self, secret: bytes, clock: Callable[[], datetime] = _now) -> None:
        if len(secret) < _LEAST_SECRET:
            raise SettingsError(f"The secret that signs session tokens needs at least {_LEAST_SECRET} bytes.")
        self._secret = secret
        self._clock = clock

    def is_valid(self, token: str | None, session_id: str) -> bool:
        times = self._times(token, session_id)
        if times is None:
            return False
        first, last = times
        now = self._clock().timestamp()
        return now - last <= _SLIDING and now - first <= _AT_MOST

    def renew(self, token: str | None, session_id: str) -> str:
        """The hour starts anew, the twelve do not; a first one where there is none."""
        now = int(self._clock().timestamp())
        # Also of a token that ran out while its question was being answered, or it would get twelve more.
        times = self._times(token, session_id)
        packed = _TIMES.pack(times[0] if times else now, now)
        return base64.urlsafe_b64encode(packed + self._signature(packed, session_id)).decode()

    def _times(self, token: object, session_id: str) -> tuple[int, int] | None:
        """None where we did not sign it for that session."""
        raw = _raw(token)
        packed, signature = raw[: _TIMES.size], raw[_TIMES.size :]
        is_ours = hmac.compare_digest(signature, self._signature(packed, session_id))
        return _TIMES.unpack(packed) if is_ours else None

    def _signature(self, packed: bytes, session_id: str) -> bytes:
        name = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).digest()
        return hmac.digest(self._secret, _PURPOSE + name + packed, "sha256")


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
