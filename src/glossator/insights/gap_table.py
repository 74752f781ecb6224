"""Exports the content-gap report: CSV for a spreadsheet, Markdown for an issue or a page.

The questions are untrusted text from readers. They are escaped, so that each stays plain text in one cell.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from urllib.parse import quote

from glossator.model import Outcome, Suggestion
from glossator.model.insights import Gap, GapReport, GapState

_OUTCOME_NAMES = {
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
    "state",
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
    "Now",
)
_STATE_NAMES = {
    GapState.OPEN: "open",
    GapState.STILL_OPEN: "still open after the last ingest",
    GapState.CLOSED: "closed by the last ingest",
}

_FORMULA = re.compile(r"[=+\-@＝＋－＠﹦﹢﹣﹫−]")
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that reverse the direction of the text after them, to the end of the line."""
_MARKDOWN_MARKS = re.compile(r"[\\`*_\[\]|~$]")
_URL_SAFE = "/:?#[]@!$&'*+,;=%-._~"


def as_csv(report: GapReport) -> str:
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([_without_formula(cell) for cell in _cells(gap)] for gap in report.gaps)
    return file.getvalue()


def as_markdown(report: GapReport) -> str:
    rows = [_TITLES, ["---"] * len(_TITLES), *(list(_markdown_cells(gap)) for gap in report.gaps)]
    table = [f"| {' | '.join(cells)} |" for cells in rows] if report.gaps else []
    title = f"# What the book does not answer, since {report.since:%Y-%m-%d}"
    return "\n".join([title, "", summary(report), *([""] if table else []), *table, ""])


def summary(report: GapReport) -> str:
    """How many gaps and questions there are, and how many are not shown."""
    gaps = _counted(len(report.gaps), "gap")
    held_back = f"; {report.held_back:,} held back, asked in fewer than {report.least_sessions} sessions"
    cut = "; older ones were not looked at" if report.is_cut else ""
    questions = _counted(report.questions, "question")
    return f"{gaps} in {questions}{held_back if report.held_back else ''}{cut}."


def outcomes_text(outcomes: Mapping[Outcome, int]) -> str:
    """Most frequent first, such as `12 not in the book, 2 answered with caution`."""
    frequent = sorted(outcomes.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{count:,} {_OUTCOME_NAMES[outcome]}" for outcome, count in frequent)


def state_text(state: GapState) -> str:
    return _STATE_NAMES[state]


def on_one_line(text: str) -> str:
    return " ".join(_BIDI_CONTROLS.sub("", text).split())


def _cells(gap: Gap) -> Iterator[str]:
    yield gap.example
    yield str(gap.count)
    yield str(gap.sessions)
    yield outcomes_text(gap.outcomes)
    yield gap.nearest.title if gap.nearest else ""
    yield gap.nearest.url if gap.nearest else ""
    yield ", ".join(gap.missing)
    yield gap.last_asked.isoformat(timespec="seconds")
    yield gap.state.value
    yield " / ".join(gap.questions)


def _without_formula(cell: str) -> str:
    """Quotes a cell that a spreadsheet would run as a formula."""
    cell = on_one_line(cell)
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _markdown_cells(gap: Gap) -> Iterator[str]:
    yield escaped(gap.example)
    yield f"{gap.count:,}"
    yield f"{gap.sessions:,}"
    yield outcomes_text(gap.outcomes)
    yield _link(gap.nearest) if gap.nearest else ""
    yield escaped(", ".join(gap.missing))
    yield f"{gap.last_asked:%Y-%m-%d}"
    yield state_text(gap.state)


def _link(section: Suggestion) -> str:
    return f"[{escaped(section.title)}](<{quote(on_one_line(section.url), safe=_URL_SAFE)}>)"


def escaped(text: str) -> str:
    """Markdown that shows the text itself: no mark-up, link, tag or end of a cell."""
    html = on_one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN_MARKS.sub(r"\\\g<0>", html)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
