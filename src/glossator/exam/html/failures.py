"""The worst replies, so that an author sees what to mend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from glossator.answer.question_generation import SectionPlace
from glossator.exam.question import CitedPlace, ExamReply
from glossator.exam.run import shortened
from glossator.exam.summary import NAMES
from glossator.exam.twins import CheckedTwin

_MOST = 25

Cell = Callable[[ExamReply], str]


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    about: str
    is_one: Callable[[ExamReply], bool]
    columns: Mapping[str, Cell]
    surest_first: bool = True


def failures(replies: Sequence[ExamReply]) -> Iterator[str]:
    counted = [reply for reply in replies if not reply.is_told_elsewhere]
    for table in _tables():
        some = sorted(filter(table.is_one, counted), key=_confidence, reverse=table.surest_first)
        if some:
            yield _shown(table, some)


def _tables() -> list[_Table]:
    return [
        _Table(
            "Answered, though the book does not tell",
            "The surest come first. Either the assistant was misled, or the book does tell it somewhere.",
            lambda one: one.is_answered and not one.question.is_answerable,
            {"question": _asked, "what it answered from": _got},
        ),
        _Table(
            "Refused, though the book tells",
            "The least sure come first.",
            lambda one: not one.is_answered and one.question.is_answerable,
            {"question": _asked, "where the answer stands": _expected, "what was nearest": _nearest},
            surest_first=False,
        ),
        _Table(
            "Answered without what carries the answer",
            "The surest come first. The words beside the question stand in the book, and not in the answer.",
            lambda one: one.is_answered and one.has_fact is False,
            {"question": _asked, "what the book says": _facts, "what was answered": _said},
        ),
        _Table(
            "Answered from another place",
            "Often two sections tell the same, or a heading promises more than its section holds.",
            lambda one: (
                one.is_answered
                and one.question.is_answerable
                and one.has_fact is not False
                and not one.is_right
            ),
            {"question": _asked, "where the answer stands": _expected, "what was cited": _got},
        ),
    ]


def believed(twins: Sequence[CheckedTwin]) -> Iterator[str]:
    """The lies that would have been shown, and the true sentences that would not."""
    yield _sentences("Lies that were believed", [(one.lie, one) for one in twins if one.is_believed])
    yield _sentences(
        "True sentences that were not", [(one.faithful, one) for one in twins if not one.is_shown]
    )


def _sentences(title: str, some: Sequence[tuple[str, CheckedTwin]]) -> str:
    if not some:
        return ""
    rows = "".join(
        f"<tr><td>{escape(sentence)}</td><td>{escape(twin.swap)}</td>"
        f"<td>{escape(twin.section)} <code>{escape(twin.page)}</code></td></tr>"
        for sentence, twin in some[:_MOST]
    )
    return (
        f'<h2>{title} <span class="soft">({len(some)})</span></h2><div class="scroll"><table><thead><tr>'
        "<th>sentence</th><th>swapped in the lie</th><th>where it stands</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{_more(some)}"
    )


def _shown(table: _Table, replies: Sequence[ExamReply]) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join(_row(reply, table.columns.values()) for reply in replies[:_MOST])
    return (
        f'<h2>{escape(table.title)} <span class="soft">({len(replies)})</span></h2>'
        f'<p class="lead">{escape(table.about)}</p>'
        f'<div class="scroll"><table><thead><tr>{heads}<th class="n">confidence</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{_more(replies)}"
    )


def _more(some: Sequence[object]) -> str:
    return f'<p class="soft">and {len(some) - _MOST} more.</p>' if len(some) > _MOST else ""


def _row(reply: ExamReply, cells_of: Iterable[Cell]) -> str:
    cells = "".join(f"<td>{cell(reply)}</td>" for cell in cells_of)
    sure = "–" if reply.confidence is None else f"{reply.confidence:.2f}"
    return f'<tr>{cells}<td class="n">{sure}</td></tr>'


def _confidence(reply: ExamReply) -> float:
    return reply.confidence or 0.0


def _asked(reply: ExamReply) -> str:
    question = reply.question
    made = question.note or (f"without “{question.places[0].title}”" if question.without else "")
    note = f'<span class="soft">{escape(made)}</span>' if made else ""
    return f'{escape(question.text)} <span class="tag">{escape(NAMES[question.kind])}</span>{note}'


def _expected(reply: ExamReply) -> str:
    return "<br>".join(_place(place) for place in reply.question.places[:3])


def _place(place: SectionPlace) -> str:
    return _link(place.title, place.url, place.page)


def _got(reply: ExamReply) -> str:
    cited = reply.citations[0] if reply.citations else reply.nearest
    return _cited(cited) if cited else "–"


def _nearest(reply: ExamReply) -> str:
    return _cited(reply.nearest) if reply.nearest else "–"


def _facts(reply: ExamReply) -> str:
    return "<br>".join(escape(shortened(fact)) for fact in reply.question.facts[:2])


def _said(reply: ExamReply) -> str:
    return escape(shortened(reply.text))


def _cited(cited: CitedPlace) -> str:
    return f'{_link(cited.section, cited.url, cited.page)}<span class="soft">{escape(cited.quote)}</span>'


def _link(title: str, url: str, page: str) -> str:
    """A page that is published nowhere is named by its file."""
    if url.startswith(("https://", "http://")):
        return f'<a href="{escape(url)}">{escape(title)}</a>'
    return f"{escape(title)} <code>{escape(page)}</code>"
