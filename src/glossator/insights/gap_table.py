"""The content-gap report to take away: as CSV for a spreadsheet, as Markdown for an issue or a page.

Its words are readers' own. Whatever they wrote, it stays what it is: text in one cell.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from urllib.parse import quote

from glossator.model import Outcome, Suggestion
from glossator.model.insights import Gap, GapReport

_WORDS = {
    Outcome.ANSWERED: "answered but unhelpful",
    Outcome.ANSWERED_WITH_CAUTION: "answered with caution",
    Outcome.NOT_IN_BOOK: "not in the book",
    Outcome.NOT_IN_SELECTION: "not in the selection",
    Outcome.SMALL_TALK: "small talk",
    Outcome.NEEDS_MORE_WORDS: "too few words",
}
_COLUMNS = (
    "question",
    "asked",
    "sessions",
    "outcomes",
    "nearest_section",
    "nearest_url",
    "missing_words",
    "last_asked",
    "wordings",
)
_TITLES = (
    "Question",
    "Asked",
    "Sessions",
    "Outcomes",
    "Nearest section",
    "Words the book lacks",
    "Last asked",
)

_FORMULA = re.compile(r"[=+\-@＝＋－＠﹦﹢﹣﹫−]")
_TURNS_AROUND = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Marks that make what follows them run the other way, as far as the end of the line."""
_MEANS_SOMETHING = re.compile(r"[\\`*_\[\]|~$]")
_IN_ADDRESSES = "/:?#[]@!$&'*+,;=%-._~"


def as_csv(report: GapReport) -> str:
    file = StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(_COLUMNS)
    lines.writerows([_harmless(cell) for cell in _cells(gap)] for gap in report.gaps)
    return file.getvalue()


def as_markdown(report: GapReport) -> str:
    rows = [_TITLES, ["---"] * len(_TITLES), *(list(_marked_cells(gap)) for gap in report.gaps)]
    table = [f"| {' | '.join(cells)} |" for cells in rows] if report.gaps else []
    title = f"# What the book does not answer, since {report.since:%Y-%m-%d}"
    return "\n".join([title, "", summary(report), *([""] if table else []), *table, ""])


def summary(report: GapReport) -> str:
    """How much was looked at, and how much of it is not shown."""
    gaps = _counted(len(report.gaps), "gap")
    held_back = f"; {report.held_back:,} held back, asked in fewer than {report.least_sessions} sessions"
    cut = "; older ones were not looked at" if report.is_cut else ""
    looked_at = _counted(report.questions, "question")
    return f"{gaps} in {looked_at}{held_back if report.held_back else ''}{cut}."


def outcomes_told(outcomes: Mapping[Outcome, int]) -> str:
    """The most frequent first, such as `12 not in the book, 2 answered with caution`."""
    frequent = sorted(outcomes.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{count:,} {_WORDS[outcome]}" for outcome, count in frequent)


def on_one_line(words: str) -> str:
    return " ".join(_TURNS_AROUND.sub("", words).split())


def _cells(gap: Gap) -> Iterator[str]:
    yield gap.example
    yield str(gap.count)
    yield str(gap.sessions)
    yield outcomes_told(gap.outcomes)
    yield gap.nearest.title if gap.nearest else ""
    yield gap.nearest.url if gap.nearest else ""
    yield ", ".join(gap.missing)
    yield gap.last_asked.isoformat(timespec="seconds")
    yield " / ".join(gap.questions)


def _harmless(cell: str) -> str:
    """A spreadsheet must not take it for a formula."""
    cell = on_one_line(cell)
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _marked_cells(gap: Gap) -> Iterator[str]:
    yield _plain(gap.example)
    yield f"{gap.count:,}"
    yield f"{gap.sessions:,}"
    yield outcomes_told(gap.outcomes)
    yield _link(gap.nearest) if gap.nearest else ""
    yield _plain(", ".join(gap.missing))
    yield f"{gap.last_asked:%Y-%m-%d}"


def _link(section: Suggestion) -> str:
    return f"[{_plain(section.title)}](<{quote(on_one_line(section.url), safe=_IN_ADDRESSES)}>)"


def _plain(words: str) -> str:
    """Markdown in which nothing is a mark, a link, a tag or the end of a cell."""
    told = on_one_line(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MEANS_SOMETHING.sub(r"\\\g<0>", told)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
