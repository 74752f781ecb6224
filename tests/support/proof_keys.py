"""Keys in a server's database, before it starts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from pydantic import SecretStr

from glossator.model import KeyKind, Scope
from glossator.settings import Settings
from glossator.web.auth.keyring import MadeKey, make_key
from glossator.wiring.engine import keys_of

ORIGIN = "https://book.example"


def add_keys(database_url: str, *kinds: KeyKind, books: Sequence[str] = ()) -> list[str]:
    """The keys as their callers show them; secret ones may do everything."""
    made = [_made(kind, books) for kind in kinds]
    return asyncio.run(_added(Settings(database_url=SecretStr(database_url)), made))


async def _added(settings: Settings, made: Sequence[MadeKey]) -> list[str]:
    async with keys_of(settings) as keys:
        for key in made:
            await keys.add(key.key)
    return [key.shown for key in made]


def _made(kind: KeyKind, books: Sequence[str]) -> MadeKey:
    if kind is KeyKind.SECRET:
        return make_key(kind, datetime.now(UTC), scopes=list(Scope), books=books)
    return make_key(kind, datetime.now(UTC), origins=[ORIGIN], books=books)


def shows(key: str) -> dict[str, str]:
    """As a page of the book sends it; a server leaves the origin away, and may as well send it."""
    return {"authorization": f"Bearer {key}", "origin": ORIGIN}
