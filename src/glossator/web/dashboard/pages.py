"""The dashboard's pages: templates with their filters, and the shell that loads the views.

Everything in a template is escaped, except for our own charts.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from importlib.resources import files

from fastapi import APIRouter, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from glossator.insights.gap_table import outcomes_text, state_text
from glossator.model import Answer, Citation, Outcome
from glossator.text.markdown import citation_marks


class OutcomeKind(StrEnum):
    """Outcomes as coarse as the charts show them; the values are CSS classes."""

    ANSWERED = "answered"
    CAUTION = "caution"
    REFUSED = "refused"
    ASIDE = "aside"


NAMES = {
    OutcomeKind.ANSWERED: "answered",
    OutcomeKind.CAUTION: "with caution",
    OutcomeKind.REFUSED: "not in the book",
    OutcomeKind.ASIDE: "other",
}
WORDS = {
    Outcome.ANSWERED: "answered",
    Outcome.ANSWERED_WITH_CAUTION: "answered with caution",
    Outcome.NOT_IN_BOOK: "not in the book",
    Outcome.NOT_IN_SELECTION: "not in the selection",
    Outcome.SMALL_TALK: "small talk",
    Outcome.NEEDS_MORE_WORDS: "needs more words",
}
_KINDS = {
    Outcome.ANSWERED: OutcomeKind.ANSWERED,
    Outcome.ANSWERED_WITH_CAUTION: OutcomeKind.CAUTION,
    Outcome.NOT_IN_BOOK: OutcomeKind.REFUSED,
    Outcome.NOT_IN_SELECTION: OutcomeKind.REFUSED,
    Outcome.SMALL_TALK: OutcomeKind.ASIDE,
    Outcome.NEEDS_MORE_WORDS: OutcomeKind.ASIDE,
}


def kind_of(outcome: Outcome) -> OutcomeKind:
    return _KINDS[outcome]


def by_kind(outcomes: Mapping[Outcome, int]) -> Counter[OutcomeKind]:
    counts = Counter[OutcomeKind]()
    for outcome, count in outcomes.items():
        counts[kind_of(outcome)] += count
    return counts


_FENCE = re.compile(r"^```.*\n?", re.MULTILINE)


class DashboardPages:
    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("glossator.web.dashboard"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(_FILTERS)

    def show(self, template: str, **values: object) -> HTMLResponse:
        return HTMLResponse(self._environment.get_template(template).render(values))


def number(value: int) -> str:
    return f"{value:,}"


def counted(value: int, singular: str, plural: str | None = None) -> str:
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def percent(share: float | None) -> str:
    """Rounded, but never to 0 or 100 what is not: 99.7 % becomes "over 99"."""
    if share is None:
        return "–"
    about = "under 1" if 0 < share < 0.01 else "over 99" if 0.99 < share < 1 else f"{share * 100:.0f}"
    # A narrow no-break space keeps the sign on the line of its number.
    return f"{about}\u202f%"


def duration(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "–"
    if milliseconds < 1:
        return "under 1 ms"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def day(when: date) -> str:
    return f"{when.day} {when:%b %Y}"


def moment(when: datetime) -> str:
    """The moment in UTC, as the page's footer says."""
    return f"{day(when)}, {when:%H:%M}"


def is_published(url: str) -> bool:
    """Whether the URL leads to a page, of the book's site or, for a path, of this server."""
    return url.startswith(("https://", "http://")) or (url.startswith("/") and not url.startswith("//"))


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of an answer: text, code, or the mark of a citation."""

    text: str
    citation: Citation | None = None
    is_code: bool = False


def answer_pieces(answer: Answer) -> Iterator[AnswerPiece]:
    """The answer as plain text, with its code blocks and its citation marks as pieces of their own."""
    by_number = {citation.n: citation for citation in answer.citations}
    for number, part in enumerate(_FENCE.split(answer.text)):
        if number % 2:
            yield AnswerPiece(part, is_code=True)
        else:
            yield from _split_at_marks(part, by_number)


def _split_at_marks(text: str, citations: Mapping[int, Citation]) -> Iterator[AnswerPiece]:
    begin = 0
    for mark in citation_marks(text):
        if citation := citations.get(int(mark["n"])):
            yield AnswerPiece(text[begin : mark.start("n") - 1])
            yield AnswerPiece(mark["n"], citation)
            begin = mark.end()
    yield AnswerPiece(text[begin:])


_FILTERS: Mapping[str, Callable[..., object]] = {
    "counted": counted,
    "number": number,
    "percent": percent,
    "day": day,
    "moment": moment,
    "duration": duration,
    "pieces": answer_pieces,
    "kind": kind_of,
    "name": NAMES.__getitem__,
    "outcome": WORDS.__getitem__,
    "outcomes": outcomes_text,
    "gap_state": state_text,
    "published": is_published,
    "drawn": Markup,
}


# The shell: everybody may fetch it, because it holds no data and fetches the views with a key.

VIEWS = (
    ("overview", "Overview"),
    ("questions", "Questions"),
    ("gaps", "Gaps"),
    ("flagged", "Flagged"),
    ("sections", "Sections"),
    ("book", "Book"),
    ("sessions", "Sessions"),
)
_STYLES = (
    "ink",
    "frame",
    "words",
    "controls",
    "drawings",
    "overview",
    "sections",
    "entries",
    "sessions",
    "book",
    "media",
)
"""Later ones override earlier ones."""
SHELL_PATHS = frozenset({"/", "/desk.css", "/desk.js"})

_IMMUTABLE = {"Cache-Control": "public, max-age=31536000, immutable"}
"""The page refers to its files by a hash of their content."""


def shell_routes(pages: DashboardPages) -> APIRouter:
    router = APIRouter()
    style = b"\n".join(_read(f"style/{name}.css") for name in _STYLES)
    script = _read("desk.js")
    version = hashlib.sha256(style + script).hexdigest()[:12]

    @router.get("/")
    async def page() -> Response:
        return pages.show("shell.html", views=VIEWS, version=version)

    @router.get("/desk.css")
    async def stylesheet() -> Response:
        return Response(style, media_type="text/css", headers=_IMMUTABLE)

    @router.get("/desk.js")
    async def javascript() -> Response:
        return Response(script, media_type="text/javascript", headers=_IMMUTABLE)

    return router


def _read(name: str) -> bytes:
    return files("glossator.web.dashboard").joinpath("files", *name.split("/")).read_bytes()
