"""Background upkeep of sessions: ends abandoned turns, archives, deletes and summarizes sessions."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from glossator.errors import RecordsError
from glossator.model import RetentionReport, Topic
from glossator.ports import RetentionStore
from glossator.sessions.turns import now

_RETENTION_HOUR = 2
"""Hour of the day, UTC."""


@dataclass(frozen=True, slots=True)
class RetentionSweeper:
    retention_store: RetentionStore
    on_sweep: Callable[[RetentionReport], None] = lambda report: None
    """Called with the report of every sweep."""
    every: float = 10.0
    """Seconds between two checks for abandoned turns."""
    clock: Callable[[], datetime] = now

    async def run(self) -> None:
        """Runs until cancelled; if the database is down, the next check tries again."""
        due = self.clock()
        while True:
            with suppress(RecordsError):
                if self.clock() >= due:
                    self.on_sweep(await self.retention_store.sweep(self.clock()))
                    due = next_retention(self.clock())
                else:
                    await self.retention_store.end_abandoned(self.clock())
            await asyncio.sleep(self.every)


def next_retention(after: datetime) -> datetime:
    """The next 02:00 UTC."""
    today = after.replace(hour=_RETENTION_HOUR, minute=0, second=0, microsecond=0)
    return today if today > after else today + timedelta(days=1)


_MAX_LENGTH = 200

_NOTHING_CITED = "Questions that the book does not answer"


def summarize(topics: Sequence[Topic]) -> str:
    """What a session was about: the titles of the cited sections, most cited first.

    At most 200 characters; only a first title that is longer is cut.
    """
    counted = Counter(section for topic in topics for section in topic.sections if section.strip())
    summary = _joined([section for section, _ in counted.most_common()])
    return summary or _NOTHING_CITED


def _joined(titles: Sequence[str]) -> str:
    summary = ""
    for title in titles:
        longer = f"{summary}; {title}" if summary else title[:_MAX_LENGTH]
        if len(longer) > _MAX_LENGTH:
            break
        summary = longer
    return summary
