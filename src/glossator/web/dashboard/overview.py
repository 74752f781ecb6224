"""The overview: how many questions were asked and how they were answered, over time."""

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
    """How many of one kind, out of how many."""

    name: str
    kind: str
    count: int
    whole: int
    before: int | None = None
    """The count in the previous period; None where nothing was asked in it."""

    @property
    def share(self) -> float | None:
        return self.count / self.whole if self.whole else None

    @property
    def change(self) -> str:
        change = self.count - (self.before or 0)
        return f"+{change:,}" if change > 0 else f"−{-change:,}" if change < 0 else "±0"


@dataclass(frozen=True, slots=True)
class DayRange:
    """A day or a week of the chart."""

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
    """Questions by outcome; together they are all questions."""
    flagged: Count
    levels: Sequence[Count]
    feedback: Sequence[Count]
    spans: Sequence[DayRange]

    @property
    def about_the_book(self) -> Count:
        """Answered questions, out of all that were not small talk."""
        counts = {figure.kind: figure.count for figure in self.kinds}
        answered = counts[OutcomeKind.ANSWERED] + counts[OutcomeKind.CAUTION]
        return Count("answered", OutcomeKind.ANSWERED, answered, answered + counts[OutcomeKind.REFUSED])

    @property
    def plainly(self) -> Count:
        return self._of_the_book(OutcomeKind.ANSWERED)

    @property
    def cautiously(self) -> Count:
        return self._of_the_book(OutcomeKind.CAUTION)

    @property
    def refused(self) -> Count:
        return self._of_the_book(OutcomeKind.REFUSED)

    def _of_the_book(self, kind: OutcomeKind) -> Count:
        counts = {figure.kind: figure.count for figure in self.kinds}
        return Count(NAMES[kind], kind, counts[kind], self.about_the_book.whole)

    @property
    def judged(self) -> int:
        return self.now.helpful + self.now.unhelpful

    @property
    def top(self) -> int:
        """The top of the chart's scale: an even round number."""
        return _rounded_up(max((span.total for span in self.spans), default=0))

    @property
    def chart(self) -> str:
        return bars([_bar(span) for span in self.spans], self.top)

    @property
    def levels_bar(self) -> str:
        return share([_part(figure.kind, figure.count) for figure in self.levels])

    @property
    def feedback_bar(self) -> str:
        return share([_part(figure.kind, figure.count) for figure in self.feedback])


def overview_view(period: Period, now: Overview, both: Overview) -> OverviewView:
    """`both` is this period and the previous one together: their difference is the previous one."""
    current = _totals(now)
    previous = _totals(both) - current

    def counted(name: str, kind: str, whole: int) -> Count:
        return Count(name, kind, current[kind], whole, previous[kind] if previous[ASKED] else None)

    judged, with_level = now.helpful + now.unhelpful, sum(now.levels.values())
    return OverviewView(
        period=period,
        now=now,
        asked=counted("questions", ASKED, now.exchanges),
        kinds=[counted(NAMES[kind], kind, now.exchanges) for kind in OutcomeKind],
        flagged=counted("flagged", FLAGGED, now.exchanges),
        levels=[counted(level, level, with_level) for level in Level],
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
    by_day = {entry.day: entry for entry in days}
    for first, last in period.spans:
        inside = [entry for when, entry in by_day.items() if first <= when <= last]
        counts = sum((by_kind(entry.outcomes) for entry in inside), Counter[OutcomeKind]())
        yield DayRange(first, last, counts, sum(entry.flagged for entry in inside))


def _bar(span: DayRange) -> Bar:
    counts = [f"{span.counts[kind]} {NAMES[kind]}" for kind in OutcomeKind if span.counts.get(kind)]
    if span.flagged:
        counts.append(f"{span.flagged} of them flagged")
    parts = [_part(kind, span.counts.get(kind, 0)) for kind in OutcomeKind]
    return Bar(f"{span.name}: {', '.join(counts) or 'nothing asked'}", parts, _part(FLAGGED, span.flagged))


def _part(kind: str, count: int) -> BarPart:
    return BarPart(f"part {kind}", count)


def _rounded_up(most: int) -> int:
    tops = (step * 10**size for size in count() for step in (2, 3, 4, 5, 6, 8, 10, 12, 15))
    return next(top for top in tops if top >= most and top % 2 == 0)
