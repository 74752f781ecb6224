"""Templates into HTML: all that is put into one is escaped, but for drawings of our own."""

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

from glossator.insights.gap_table import outcomes_told
from glossator.model import Answer, Citation, Outcome
from glossator.text.markdown import marks

# What became of a question, as coarse as a chart can show it.


class OutcomeKind(StrEnum):
    """Also the class that it is drawn with."""

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


def counted(value: int, one: str, many: str | None = None) -> str:
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def percent(share: float | None) -> str:
    """Whole, but never a whole that is not one: 99.7 % is not 100."""
    if share is None:
        return "–"
    about = "under 1" if 0 < share < 0.01 else "over 99" if 0.99 < share < 1 else f"{share * 100:.0f}"
    # The sign stays on the line of its number.
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
    """In UTC; the page says so once."""
    return f"{day(when)}, {when:%H:%M}"


def is_published(url: str) -> bool:
    """Whether it leads to a page: of the book's own site, or of this one where the book stands beside us."""
    return url.startswith(("https://", "http://")) or (url.startswith("/") and not url.startswith("//"))


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of an answer as it was written: text, code, or the mark of a citation."""

    text: str
    citation: Citation | None = None
    is_code: bool = False


def words(answer: Answer) -> Iterator[AnswerPiece]:
    """As plain text, whatever stands in it; its marks lead to what they cite."""
    by_number = {citation.n: citation for citation in answer.citations}
    for number, part in enumerate(_FENCE.split(answer.text)):
        if number % 2:
            yield AnswerPiece(part, is_code=True)
        else:
            yield from _marked(part, by_number)


def _marked(text: str, citations: Mapping[int, Citation]) -> Iterator[AnswerPiece]:
    begin = 0
    for mark in marks(text):
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
    "words": words,
    "kind": kind_of,
    "name": NAMES.__getitem__,
    "outcome": WORDS.__getitem__,
    "told": outcomes_told,
    "published": is_published,
    "drawn": Markup,
}


# The page that everybody may fetch: it holds nothing of anybody, and fetches the rest with a key.

VIEWS = (
    ("overview", "Overview"),
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
"""In the order in which one overrules the other."""
PATHS = frozenset({"/", "/desk.css", "/desk.js"})

_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
"""The page names them by what is in them."""


def shell(pages: DashboardPages) -> APIRouter:
    router = APIRouter()
    style = b"\n".join(_read(f"style/{name}.css") for name in _STYLES)
    script = _read("desk.js")
    version = hashlib.sha256(style + script).hexdigest()[:12]

    @router.get("/")
    async def page() -> Response:
        return pages.show("shell.html", views=VIEWS, version=version)

    @router.get("/desk.css")
    async def looks() -> Response:
        return Response(style, media_type="text/css", headers=_FOR_EVER)

    @router.get("/desk.js")
    async def moves() -> Response:
        return Response(script, media_type="text/javascript", headers=_FOR_EVER)

    return router


def _read(name: str) -> bytes:
    return files("glossator.web.dashboard").joinpath("files", *name.split("/")).read_bytes()
