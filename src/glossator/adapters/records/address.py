"""Where the database is. A url may hold a password: it is never repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from glossator.errors import SettingsError

_SQLITE = ("sqlite", "sqlite+aiosqlite")
_POSTGRES = ("postgresql", "postgres", "postgresql+asyncpg")
_NOT_FOR_THE_DRIVER = ("channel_binding",)
"""What providers put into their urls and only libpq knows."""


@dataclass(frozen=True, slots=True)
class SqliteAddress:
    path: Path


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    dsn: str = field(repr=False)


def address_of(url: str) -> SqliteAddress | PostgresAddress:
    scheme = url.partition(":")[0].lower()
    if scheme in _SQLITE:
        return _sqlite(url)
    if scheme in _POSTGRES:
        return _postgres(url)
    raise SettingsError("The url of the database begins with sqlite:/// or postgresql://.")


def _sqlite(url: str) -> SqliteAddress:
    """Three slashes before a path from here, four before one from the root."""
    _, _, path = url.partition(":///")
    path = unquote(path.partition("?")[0])
    if not path or path == ":memory:":
        raise SettingsError("SQLite needs a file: sqlite:///path/to/file.")
    return SqliteAddress(Path(path))


def _postgres(url: str) -> PostgresAddress:
    try:
        parts = urlsplit(url)
        # Only looked at because it raises: an unescaped character in a password is found here.
        _ = parts.port
    except ValueError:
        raise SettingsError(
            "The url of the database cannot be read: are the characters of its password escaped?"
        ) from None
    options = [pair for pair in parse_qsl(parts.query) if pair[0] not in _NOT_FOR_THE_DRIVER]
    return PostgresAddress(urlunsplit(parts._replace(scheme="postgresql", query=urlencode(options))))
