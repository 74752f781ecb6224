"""Where conversations and keys are kept."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from glossator.adapters.records.database import Database
from glossator.adapters.records.keys import SqlKeys
from glossator.adapters.records.retention import Retention
from glossator.ports import Keys
from glossator.settings import Settings


def opened(settings: Settings) -> Database:
    """Nothing is sent yet."""
    url = settings.database_url
    default = f"sqlite:///{settings.home.absolute() / 'records.sqlite'}"
    return Database.open(url.get_secret_value() if url else default, settings.database_seconds)


@asynccontextmanager
async def database_of(settings: Settings) -> AsyncGenerator[Database]:
    """With its tables as this version needs them."""
    database = opened(settings)
    try:
        await database.migrate()
        yield database
    finally:
        await database.aclose()


@asynccontextmanager
async def keys_of(settings: Settings) -> AsyncGenerator[Keys]:
    async with database_of(settings) as database:
        yield SqlKeys(database)


def retention_of(settings: Settings) -> Retention:
    return Retention(settings.lifecycles)
