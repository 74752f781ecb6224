"""The period of a view: whole days in UTC, counted back from today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from fastapi import Query

Days = Annotated[int, Query(ge=1, le=365)]

CHOICES = (7, 30, 90, 365)
_MAX_DAILY_BARS = 92
"""Longer periods are drawn by week."""


@dataclass(frozen=True, slots=True)
class Period:
    """Today and the days before it."""

    days: int
    today: date

    @property
    def since(self) -> datetime:
        return _midnight(self.first)

    @property
    def before(self) -> datetime:
        """Where the previous period of the same length begins."""
        return _midnight(self.first - timedelta(days=self.days))

    @property
    def first(self) -> date:
        return self.today - timedelta(days=self.days - 1)

    @property
    def middle(self) -> date:
        return self.first + (self.today - self.first) / 2

    @property
    def is_weekly(self) -> bool:
        return self.days > _MAX_DAILY_BARS

    @property
    def spans(self) -> Sequence[tuple[date, date]]:
        """The first and last day of each bar, oldest first: days, or weeks of which the last ends today."""
        step = 7 if self.is_weekly else 1
        lasts = [self.today - timedelta(days=back) for back in range(0, self.days, step)]
        return [(max(last - timedelta(days=step - 1), self.first), last) for last in reversed(lasts)]

    @property
    def choices(self) -> Sequence[int]:
        return sorted({*CHOICES, self.days})


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
