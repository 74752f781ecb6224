"""Stores a completed turn in one transaction, and converts values to and from the JSON of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError
from sqlalchemy import Connection, bindparam, insert, select, update

from glossator.adapters.records.tables import (
    Moment,
    Row,
    cited_sections,
    exchanges,
    is_complete,
    is_unfinished,
    sessions,
    storable,
    unanswered_questions,
)
from glossator.errors import RecordsOutdated, TurnLost
from glossator.model import (
    HISTORY_EXCHANGES,
    Answer,
    Filters,
    KeptExchange,
    Selection,
    SessionState,
    Topic,
    TurnStatus,
)

_MAX_TOPICS = 50

_turn = select(exchanges.c.session, exchanges.c.asked_at).where(
    exchanges.c.id == bindparam("turn"), is_unfinished
)
_complete_session = (
    update(sessions)
    .where(
        sessions.c.number == _turn.with_only_columns(exchanges.c.session).scalar_subquery(),
        sessions.c.lease_turn == bindparam("turn"),
    )
    .values(
        exchanges=sessions.c.exchanges + 1,
        updated_at=bindparam("at", type_=Moment),
        state=SessionState.ACTIVE.value,
        archived_at=None,
        lease_turn=None,
        lease_until=None,
    )
    .returning(
        sessions.c.number,
        sessions.c.id,
        sessions.c.created_at,
        sessions.c.exchanges,
        sessions.c.topic_summary,
        _turn.with_only_columns(exchanges.c.asked_at).scalar_subquery().label("asked_at"),
    )
)
_complete_exchange = (
    update(exchanges)
    .where(exchanges.c.id == bindparam("turn"), is_unfinished)
    .returning(exchanges.c.question, exchanges.c.selection, exchanges.c.mode)
)
_topics = (
    select(exchanges.c.question, exchanges.c.sections)
    .where(exchanges.c.session == bindparam("session"), is_complete)
    .order_by(exchanges.c.number.desc())
    .limit(_MAX_TOPICS)
)
_summarize_session = (
    update(sessions)
    .where(sessions.c.number == bindparam("session"))
    .values(topic_summary=bindparam("summary"))
)
_insert_unanswered = insert(unanswered_questions)
_insert_cited = insert(cited_sections)


@dataclass(frozen=True, slots=True)
class TurnCompletion:
    turn_id: str
    answer: Answer
    at: datetime
    columns: Mapping[str, Any]
    cited: Sequence[Mapping[str, Any]]
    summarize: Callable[[Sequence[Topic]], str]

    @classmethod
    def of(
        cls, turn_id: str, answer: Answer, at: datetime, summarize: Callable[[Sequence[Topic]], str]
    ) -> TurnCompletion:
        """Computes the columns before the transaction begins, to keep it short."""
        cited = list(_cited_columns(turn_id, answer, at))
        return cls(turn_id, without_trace(answer), at, answer_columns(answer, at), cited, summarize)

    def store(self, connection: Connection) -> KeptExchange:
        session = connection.execute(_complete_session, {"turn": self.turn_id, "at": self.at}).one_or_none()
        if session is None:
            raise TurnLost
        exchange = connection.execute(_complete_exchange, self._exchange_columns(session)).one()
        if session.exchanges >= HISTORY_EXCHANGES:
            self._update_summary(connection, session)
        if self.answer.is_gap:
            connection.execute(_insert_unanswered, self._unanswered_columns(session, exchange.question))
        if self.cited:
            connection.execute(_insert_cited, self.cited)
        return self._kept_exchange(session, exchange)

    def _exchange_columns(self, session: Row) -> dict[str, Any]:
        latency = (self.at - session.asked_at).total_seconds() * 1000
        return {
            **self.columns,
            "turn": self.turn_id,
            "number": session.exchanges,
            "latency_ms": latency,
        }

    def _update_summary(self, connection: Connection, session: Row) -> None:
        rows = connection.execute(_topics, {"session": session.number}).all()
        topics = [Topic(row.question, strings_from_json(row.sections)) for row in reversed(rows)]
        summary = storable(self.summarize(topics))
        if summary != session.topic_summary:
            connection.execute(_summarize_session, {"session": session.number, "summary": summary})

    def _unanswered_columns(self, session: Row, question: str) -> dict[str, Any]:
        nearest = self.answer.suggestions[0] if self.answer.suggestions else None
        return {
            "exchange_id": self.turn_id,
            "session": session.number,
            "question": question,
            "outcome": self.answer.outcome.value,
            "confidence": self.columns["confidence"],
            "nearest_title": storable(nearest.title) if nearest else None,
            "nearest_url": storable(nearest.url) if nearest else None,
            "nearest_chunk_id": storable(nearest.chunk_id) if nearest else None,
            "asked_at": session.asked_at,
        }

    def _kept_exchange(self, session: Row, exchange: Row) -> KeptExchange:
        return KeptExchange(
            id=self.turn_id,
            session_id=session.id,
            session_created_at=session.created_at,
            question=exchange.question,
            answer=self.answer,
            asked_at=session.asked_at,
            answered_at=self.at,
            selection=selection_from_json(exchange.selection),
            mode=exchange.mode,
        )


def answer_columns(answer: Answer, at: datetime) -> dict[str, Any]:
    sections = tuple(dict.fromkeys(citation.section for citation in answer.citations))
    return {
        "status": TurnStatus.COMPLETE.value,
        "answered_at": at,
        "answer": storable(answer.text),
        "document": answer_to_json(answer),
        "sections": strings_to_json(sections),
        "outcome": answer.outcome.value,
        "confidence": answer.confidence.score if answer.confidence else None,
        "confidence_level": answer.confidence.level.value if answer.confidence else None,
        "is_flagged": not answer.grounding.is_fully_grounded,
        "writer": answer.writer,
        "model": answer.model,
        "index_generation": answer.index.generation if answer.index else None,
    }


def _cited_columns(turn_id: str, answer: Answer, at: datetime) -> Iterator[dict[str, Any]]:
    """One row per section of the book, however often it is quoted."""
    citations = (citation for citation in answer.citations if not citation.is_selection)
    sections = dict.fromkeys(
        (citation.page, citation.section, citation.section_url) for citation in citations
    )
    for number, (page, title, url) in enumerate(sections, 1):
        yield {
            "exchange_id": turn_id,
            "number": number,
            "page": storable(page),
            "title": storable(title),
            "url": storable(url),
            "cited_at": at,
        }


Value = TypeVar("Value")

_ANYTHING = TypeAdapter[Any](Any)
_ANSWER = TypeAdapter(Answer)
_SELECTION = TypeAdapter(Selection)
_FILTERS = TypeAdapter(Filters)
_STRINGS = TypeAdapter(tuple[str, ...])
_MAPPING = TypeAdapter(dict[str, object])


def answer_to_json(answer: Answer) -> str:
    """Leaves out the trace, which is logged but never stored."""
    return _to_json(_ANSWER, without_trace(answer))


def answer_from_json(document: str) -> Answer:
    return _from_json(_ANSWER, document)


def without_trace(answer: Answer) -> Answer:
    return replace(answer, trace=()) if answer.trace else answer


def selection_to_json(selection: Selection | None) -> str | None:
    return None if selection is None else _to_json(_SELECTION, selection)


def selection_from_json(document: str | None) -> Selection | None:
    return None if document is None else _from_json(_SELECTION, document)


def filters_to_json(filters: Filters) -> str:
    """Writes only the filters that are set; `{}` if none is."""
    return _to_json(_ANYTHING, dict(filters.items()))


def filters_from_json(document: str) -> Filters:
    return _from_json(_FILTERS, document)


def strings_to_json(strings: tuple[str, ...]) -> str:
    return _to_json(_STRINGS, strings)


def strings_from_json(document: str) -> tuple[str, ...]:
    return _from_json(_STRINGS, document)


def mapping_to_json(mapping: Mapping[str, object]) -> str:
    return _to_json(_MAPPING, dict(mapping))


def mapping_from_json(document: str) -> dict[str, object]:
    return _from_json(_MAPPING, document)


def _to_json(adapter: TypeAdapter[Value], value: Value) -> str:
    try:
        document = adapter.dump_json(value).decode()
    except PydanticSerializationError:
        # A lone surrogate, which a language model can be made to write.
        return _storable_json(value)
    return _storable_json(value) if "\\u0000" in document else document


def _storable_json(value: object) -> str:
    return _ANYTHING.dump_json(_storable(_ANYTHING.dump_python(value))).decode()


def _storable(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case dict():
            pairs = cast("dict[str, Any]", value).items()
            return {storable(key): _storable(inner) for key, inner in pairs}
        case list() | tuple():
            return [_storable(inner) for inner in cast("Sequence[Any]", value)]
        case _:
            return value


def _from_json(adapter: TypeAdapter[Value], document: str) -> Value:
    try:
        return adapter.validate_json(document)
    except ValidationError as error:
        raise RecordsOutdated from error
