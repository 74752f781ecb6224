"""Real databases for the tests of the author's desk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from glossator.ports import Embedder, Reader
from support.insights_story import InsightsSetup, opened_desk
from support.records_database import (
    database_url,
    postgres_server,
    postgres_template,
    postgres_url,
    sqlite_template,
    sqlite_url,
)

__all__ = [
    "database_url",
    "postgres_server",
    "postgres_template",
    "postgres_url",
    "sqlite_template",
    "sqlite_url",
]

Story = Callable[[InsightsSetup], Awaitable[None]]


@pytest.fixture
def at_the_desk(home: Path, embedder: Embedder, reader: Reader, database_url: str) -> Callable[[Story], None]:
    """Runs a story on new records, beside the small book."""

    async def run(story: Story) -> None:
        async with opened_desk(home, embedder, reader, database_url) as insight_store:
            await story(insight_store)

    return lambda story: asyncio.run(run(story))
