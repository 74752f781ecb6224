"""The worst replies, so that an author sees what to mend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from glossator.answer.ask_itself import Place
from glossator.exam.question import Cited, Reply
from glossator.exam.summary import NAMES

_MOST = 25

Cell = Callable[[Reply], str]


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    about: str
    is_one: Callable[[Reply], bool]
    columns: Mapping[str, Cell]
    surest_first: bool = True


def failures(replies: Sequence[Reply]) -> Iterator[str]:
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
            "Answered from another page",
            "Often two pages tell the same, or a heading promises more than its section holds.",
            _strayed,
            {"question": _asked, "where the answer stands": _expected, "what was cited": _got},
        ),
        _Table(
            "Answered without the expected words",
            "Of the author's own questions.",
            lambda one: one.is_answered and one.has_answer is False,
            {"question": _asked, "expected": lambda one: escape(one.question.answer or ""), "said": _said},
        ),
    ]


def _shown(table: _Table, replies: Sequence[Reply]) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join(_row(reply, table.columns.values()) for reply in replies[:_MOST])
    more = f'<p class="soft">and {len(replies) - _MOST} more.</p>' if len(replies) > _MOST else ""
    return (
        f'<h2>{escape(table.title)} <span class="soft">({len(replies)})</span></h2>'
        f'<p class="lead">{escape(table.about)}</p>'
        f'<div class="scroll"><table><thead><tr>{heads}<th class="n">confidence</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{more}"
    )


def _row(reply: Reply, cells_of: Iterable[Cell]) -> str:
    cells = "".join(f"<td>{cell(reply)}</td>" for cell in cells_of)
    sure = "–" if reply.confidence is None else f"{reply.confidence:.2f}"
    return f'<tr>{cells}<td class="n">{sure}</td></tr>'


def _confidence(reply: Reply) -> float:
    return reply.confidence or 0.0


def _strayed(reply: Reply) -> bool:
    question = reply.question
    return reply.is_answered and question.is_answerable and bool(question.places) and not reply.cites_page


def _asked(reply: Reply) -> str:
    question = reply.question
    made = question.note or (f"without “{question.places[0].title}”" if question.without else "")
    note = f'<span class="soft">{escape(made)}</span>' if made else ""
    return f'{escape(question.text)} <span class="tag">{escape(NAMES[question.kind])}</span>{note}'


def _expected(reply: Reply) -> str:
    return "<br>".join(_place(place) for place in reply.question.places[:3])


def _place(place: Place) -> str:
    return _link(place.title, place.url, place.page)


def _got(reply: Reply) -> str:
    cited = reply.citations[0] if reply.citations else reply.nearest
    return _cited(cited) if cited else "–"


def _nearest(reply: Reply) -> str:
    return _cited(reply.nearest) if reply.nearest else "–"


def _said(reply: Reply) -> str:
    return escape(reply.text[:300])


def _cited(cited: Cited) -> str:
    return f'{_link(cited.section, cited.url, cited.page)}<span class="soft">{escape(cited.quote)}</span>'


def _link(title: str, url: str, page: str) -> str:
    """A page that is published nowhere is named by its file."""
    if url.startswith(("https://", "http://")):
        return f'<a href="{escape(url)}">{escape(title)}</a>'
    return f"{escape(title)} <code>{escape(page)}</code>"
