"""The content-gap report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Query

from glossator.model.desk import GapReport
from glossator.web.desk.period import Period

Least = Annotated[int, Query(ge=1, le=1000)]

_CHOICES = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class GapsView:
    period: Period
    report: GapReport

    @property
    def choices(self) -> Sequence[int]:
        """Of how many sessions at least must have asked."""
        return sorted({*_CHOICES, self.report.least_sessions})

    @property
    def in_gaps(self) -> int:
        return self.report.questions - self.report.held_back
