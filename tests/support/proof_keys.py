"""Keys in a server's database, before it starts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from pydantic import SecretStr

from glossator.model import KeyKind, Scope
from glossator.settings import Settings
from glossator.web.auth.keyring import MadeKey, make_key
from glossator.wiring.engine import keys_of

ORIGIN = "https://book.example"


def add_keys(database_url: str, *kinds: KeyKind) -> list[str]:
    """The keys as their callers show them; secret ones may do everything."""
    return asyncio.run(_added(Settings(database_url=SecretStr(database_url)), kinds))


async def _added(settings: Settings, kinds: tuple[KeyKind, ...]) -> list[str]:
    made = [_made(kind) for kind in kinds]
    async with keys_of(settings) as keys:
        for one in made:
            await keys.add(one.key)
    return [one.shown for one in made]


def _made(kind: KeyKind) -> MadeKey:
    if kind is KeyKind.SECRET:
        return make_key(kind, datetime.now(UTC), scopes=list(Scope))
    return make_key(kind, datetime.now(UTC), origins=[ORIGIN])


def shows(key: str) -> dict[str, str]:
    """As a page of the book sends it; a server leaves the origin away, and may as well send it."""
    return {"authorization": f"Bearer {key}", "origin": ORIGIN}
