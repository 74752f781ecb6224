"""Tables of the worst replies and twins, so that an author sees what to fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from glossator.exam.question import CitedPlace, ExamReply
from glossator.exam.run import shortened
from glossator.exam.summary import NAMES
from glossator.exam.twins import CheckedTwin
from glossator.question_generation import SectionPlace

_MAX_ROWS = 25

Cell = Callable[[ExamReply], str]


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    about: str
    includes: Callable[[ExamReply], bool]
    columns: Mapping[str, Cell]
    surest_first: bool = True


def failures(replies: Sequence[ExamReply]) -> Iterator[str]:
    counted = [reply for reply in replies if not reply.is_stated_elsewhere]
    for table in _tables():
        failed = sorted(filter(table.includes, counted), key=_confidence, reverse=table.surest_first)
        if failed:
            yield _html_table(table, failed)


def _tables() -> list[_Table]:
    return [
        _Table(
            "Answered, though the book does not tell",
            "The surest come first. Either the assistant was misled, or the book does tell it somewhere.",
            lambda reply: reply.is_answered and not reply.question.is_answerable,
            {"question": _question, "what it answered from": _used},
        ),
        _Table(
            "Refused, though the book tells",
            "The least sure come first.",
            lambda reply: not reply.is_answered and reply.question.is_answerable,
            {"question": _question, "where the answer stands": _expected, "what was nearest": _nearest},
            surest_first=False,
        ),
        _Table(
            "Answered without what carries the answer",
            "The surest come first. The words beside the question stand in the book, and not in the answer.",
            lambda reply: reply.is_answered and reply.has_fact is False,
            {"question": _question, "what the book says": _facts, "what was answered": _answer_text},
        ),
        _Table(
            "Answered from another place",
            "Often two sections tell the same, or a heading promises more than its section holds.",
            lambda reply: (
                reply.is_answered
                and reply.question.is_answerable
                and reply.has_fact is not False
                and not reply.is_right
            ),
            {"question": _question, "where the answer stands": _expected, "what was cited": _used},
        ),
    ]


def twin_failures(twins: Sequence[CheckedTwin]) -> Iterator[str]:
    """The false sentences that the verifier accepts, and the true ones that it rejects."""
    yield _sentences("Lies that were believed", [(twin.lie, twin) for twin in twins if twin.is_believed])
    yield _sentences(
        "True sentences that were not", [(twin.faithful, twin) for twin in twins if not twin.is_shown]
    )


def _sentences(title: str, pairs: Sequence[tuple[str, CheckedTwin]]) -> str:
    if not pairs:
        return ""
    rows = "".join(
        f"<tr><td>{escape(sentence)}</td><td>{escape(twin.swap)}</td>"
        f"<td>{escape(twin.section)} <code>{escape(twin.page)}</code></td></tr>"
        for sentence, twin in pairs[:_MAX_ROWS]
    )
    return (
        f'<h2>{title} <span class="soft">({len(pairs)})</span></h2><div class="scroll"><table><thead><tr>'
        "<th>sentence</th><th>swapped in the lie</th><th>where it stands</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{_more(pairs)}"
    )


def _html_table(table: _Table, replies: Sequence[ExamReply]) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join(_row(reply, table.columns.values()) for reply in replies[:_MAX_ROWS])
    return (
        f'<h2>{escape(table.title)} <span class="soft">({len(replies)})</span></h2>'
        f'<p class="lead">{escape(table.about)}</p>'
        f'<div class="scroll"><table><thead><tr>{heads}<th class="n">confidence</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{_more(replies)}"
    )


def _more(rows: Sequence[object]) -> str:
    return f'<p class="soft">and {len(rows) - _MAX_ROWS} more.</p>' if len(rows) > _MAX_ROWS else ""


def _row(reply: ExamReply, cells_of: Iterable[Cell]) -> str:
    cells = "".join(f"<td>{cell(reply)}</td>" for cell in cells_of)
    confidence = "–" if reply.confidence is None else f"{reply.confidence:.2f}"
    return f'<tr>{cells}<td class="n">{confidence}</td></tr>'


def _confidence(reply: ExamReply) -> float:
    return reply.confidence or 0.0


def _question(reply: ExamReply) -> str:
    question = reply.question
    origin = question.note or (f"without “{question.places[0].title}”" if question.without else "")
    note = f'<span class="soft">{escape(origin)}</span>' if origin else ""
    return f'{escape(question.text)} <span class="tag">{escape(NAMES[question.kind])}</span>{note}'


def _expected(reply: ExamReply) -> str:
    return "<br>".join(_place(place) for place in reply.question.places[:3])


def _place(place: SectionPlace) -> str:
    return _link(place.title, place.url, place.page)


def _used(reply: ExamReply) -> str:
    cited = reply.citations[0] if reply.citations else reply.nearest
    return _cited(cited) if cited else "–"


def _nearest(reply: ExamReply) -> str:
    return _cited(reply.nearest) if reply.nearest else "–"


def _facts(reply: ExamReply) -> str:
    return "<br>".join(escape(shortened(fact)) for fact in reply.question.facts[:2])


def _answer_text(reply: ExamReply) -> str:
    return escape(shortened(reply.text))


def _cited(cited: CitedPlace) -> str:
    return f'{_link(cited.section, cited.url, cited.page)}<span class="soft">{escape(cited.quote)}</span>'


def _link(title: str, url: str, page: str) -> str:
    """An unpublished page is named by its file."""
    if url.startswith(("https://", "http://")):
        return f'<a href="{escape(url)}">{escape(title)}</a>'
    return f"{escape(title)} <code>{escape(page)}</code>"
