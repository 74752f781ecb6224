"""Who may ask: keys, and what they open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class KeyKind(StrEnum):
    SECRET = "secret"  # noqa: S105
    """From server to server."""
    PUBLISHABLE = "publishable"
    """In public pages: may only open sessions and ask, from named origins."""


class Scope(StrEnum):
    ASK = "ask"
    READ = "read"
    OPERATE = "operate"


@dataclass(frozen=True, slots=True)
class ApiKey:
    id: str
    """Public: the part of the key between its kind and its secret."""
    kind: KeyKind
    name: str
    digest: str
    """SHA-256 of the whole key, in hexadecimal; the key itself is shown once and never kept."""
    scopes: frozenset[Scope]
    origins: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None = None
    is_anonymous: bool = False
    """Whether a page of its origins that sends no key is taken as having sent this one."""
