"""What readers asked and how it went, over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count

from glossator.model import Level
from glossator.model.insights import DayCount, Overview
from glossator.plot import Bar, BarPart, bars, share
from glossator.web.dashboard.pages import NAMES, OutcomeKind, by_kind, day
from glossator.web.dashboard.period import Period

ASKED, FLAGGED, HELPFUL, UNHELPFUL = "asked", "flagged", "helpful", "unhelpful"


@dataclass(frozen=True, slots=True)
class Count:
    """So many of one kind, and of how many."""

    name: str
    kind: str
    count: int
    whole: int
    before: int | None = None
    """In the period before; None where nothing was asked in it."""

    @property
    def share(self) -> float | None:
        return self.count / self.whole if self.whole else None

    @property
    def change(self) -> str:
        change = self.count - (self.before or 0)
        return f"+{change:,}" if change > 0 else f"−{-change:,}" if change < 0 else "±0"


@dataclass(frozen=True, slots=True)
class DayRange:
    """A day or a week."""

    first: date
    last: date
    counts: Mapping[OutcomeKind, int]
    flagged: int

    @property
    def name(self) -> str:
        return day(self.last) if self.first == self.last else f"{day(self.first)} to {day(self.last)}"

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class OverviewView:
    period: Period
    now: Overview
    asked: Count
    kinds: Sequence[Count]
    """What became of them; together they are all that was asked."""
    flagged: Count
    levels: Sequence[Count]
    feedback: Sequence[Count]
    spans: Sequence[DayRange]

    @property
    def about_the_book(self) -> Count:
        """What was answered, of all that was not small talk."""
        counts = {one.kind: one.count for one in self.kinds}
        answered = counts[OutcomeKind.ANSWERED] + counts[OutcomeKind.CAUTION]
        return Count("answered", OutcomeKind.ANSWERED, answered, answered + counts[OutcomeKind.REFUSED])

    @property
    def top(self) -> int:
        """Of the chart: a round number, whose half is a whole one."""
        return _rounded(max((span.total for span in self.spans), default=0))

    @property
    def chart(self) -> str:
        return bars([_bar(span) for span in self.spans], self.top)

    @property
    def levels_bar(self) -> str:
        return share([_part(one.kind, one.count) for one in self.levels])

    @property
    def feedback_bar(self) -> str:
        return share([_part(one.kind, one.count) for one in self.feedback])


def overview_view(period: Period, now: Overview, both: Overview) -> OverviewView:
    """`both` is this period and the one before together: what was before is the difference."""
    these = _totals(now)
    before = _totals(both) - these

    def counted(name: str, kind: str, whole: int) -> Count:
        return Count(name, kind, these[kind], whole, before[kind] if before[ASKED] else None)

    judged, looked_up = now.helpful + now.unhelpful, sum(now.levels.values())
    return OverviewView(
        period=period,
        now=now,
        asked=counted("questions", ASKED, now.exchanges),
        kinds=[counted(NAMES[kind], kind, now.exchanges) for kind in OutcomeKind],
        flagged=counted("flagged", FLAGGED, now.exchanges),
        levels=[counted(level, level, looked_up) for level in Level],
        feedback=[counted("helpful", HELPFUL, judged), counted("not helpful", UNHELPFUL, judged)],
        spans=list(_spans(period, now.days)),
    )


def _totals(overview: Overview) -> Counter[str]:
    totals = Counter[str]({kind.value: count for kind, count in by_kind(overview.outcomes).items()})
    totals.update({level.value: count for level, count in overview.levels.items()})
    totals.update({ASKED: overview.exchanges, FLAGGED: overview.flagged})
    totals.update({HELPFUL: overview.helpful, UNHELPFUL: overview.unhelpful})
    return totals


def _spans(period: Period, days: Iterable[DayCount]) -> Iterator[DayRange]:
    by_day = {one.day: one for one in days}
    for first, last in period.spans:
        inside = [one for when, one in by_day.items() if first <= when <= last]
        counts = sum((by_kind(one.outcomes) for one in inside), Counter[OutcomeKind]())
        yield DayRange(first, last, counts, sum(one.flagged for one in inside))


def _bar(span: DayRange) -> Bar:
    some = [f"{span.counts[kind]} {NAMES[kind]}" for kind in OutcomeKind if span.counts.get(kind)]
    if span.flagged:
        some.append(f"{span.flagged} of them flagged")
    parts = [_part(kind, span.counts.get(kind, 0)) for kind in OutcomeKind]
    return Bar(f"{span.name}: {', '.join(some) or 'nothing asked'}", parts, _part(FLAGGED, span.flagged))


def _part(kind: str, count: int) -> BarPart:
    return BarPart(f"part {kind}", count)


def _rounded(most: int) -> int:
    tops = (step * 10**size for size in count() for step in (2, 3, 4, 5, 6, 8, 10, 12, 15))
    return next(top for top in tops if top >= most and top % 2 == 0)
