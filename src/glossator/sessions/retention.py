"""What is done beside the questions: turns that a crash left are ended, old sessions archived and deleted."""

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
"""Of the day, in UTC."""


@dataclass(frozen=True, slots=True)
class RetentionSweeper:
    retention_store: RetentionStore
    told: Callable[[RetentionReport], None] = lambda swept: None
    every: float = 10.0
    """Seconds between two looks for turns that were left behind."""
    clock: Callable[[], datetime] = now

    async def run(self) -> None:
        """Until it is cancelled; a database that is down is tried again at the next look."""
        due = self.clock()
        while True:
            with suppress(RecordsError):
                if self.clock() >= due:
                    self.told(await self.retention_store.sweep(self.clock()))
                    due = next_retention(self.clock())
                else:
                    await self.retention_store.end_abandoned(self.clock())
            await asyncio.sleep(self.every)


def next_retention(after: datetime) -> datetime:
    """The next two o'clock in the morning."""
    today = after.replace(hour=_RETENTION_HOUR, minute=0, second=0, microsecond=0)
    return today if today > after else today + timedelta(days=1)


# What a session was about, in a line: the sections that were cited, those cited most first.

FROM_EXCHANGE = 5
LONGEST = 200

_NOTHING_CITED = "Questions that the book does not answer"


def summarize(topics: Sequence[Topic]) -> str:
    """Empty before the fifth exchange; at most 200 characters, and never half a title."""
    if len(topics) < FROM_EXCHANGE:
        return ""
    counted = Counter(section for topic in topics for section in topic.sections if section.strip())
    summary = _joined([section for section, _ in counted.most_common()])
    return summary or _NOTHING_CITED


def _joined(titles: Sequence[str]) -> str:
    summary = ""
    for title in titles:
        longer = f"{summary}; {title}" if summary else title[:LONGEST]
        if len(longer) > LONGEST:
            break
        summary = longer
    return summary
