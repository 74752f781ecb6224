"""Every test of the records runs on both databases and in memory, unless it is about one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from support.records_database import (
    database_url,
    empty_database_url,
    empty_postgres_url,
    empty_sqlite_url,
    postgres_server,
    postgres_template,
    postgres_url,
    sqlite_template,
    sqlite_url,
)
from support.records_story import Records, opened

__all__ = [
    "database_url",
    "empty_database_url",
    "empty_postgres_url",
    "empty_sqlite_url",
    "postgres_server",
    "postgres_template",
    "postgres_url",
    "sqlite_template",
    "sqlite_url",
]

Story = Callable[[Records], Awaitable[None]]


@pytest.fixture(params=["memory", "sqlite_url", "postgres_url"])
def play(request: pytest.FixtureRequest) -> Callable[[Story], None]:
    """Runs a story on new records."""
    url = None if request.param == "memory" else request.getfixturevalue(request.param)

    async def run(story: Story) -> None:
        async with opened(url) as records:
            await story(records)

    return lambda story: asyncio.run(run(story))
