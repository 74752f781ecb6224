"""Reads the conversations of a server of the first designs from its own tables."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, inspect

from glossator.adapters.records.database import Database, PostgresAddress, SqliteAddress, address_of
from glossator.adapters.records.tables import is_storable_id
from glossator.errors import RecordsError
from glossator.model import Citation, Contract, Selection

TABLES = ("conversations", "conversation_threads", "chat_sessions", "chat_messages")

_READ_SECONDS = 600.0
"""How long reading all tables together may take."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ForeignExchange:
    question: str
    answer: str
    asked_at: datetime
    answered_at: datetime
    citations: tuple[Citation, ...] = ()
    selection: Selection | None = None
    mode: str = "general"
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ForeignSession:
    id: str
    contract: Contract
    user: str | None
    created_at: datetime
    updated_at: datetime
    metadata: Mapping[str, object]
    exchanges: Sequence[ForeignExchange]


@dataclass(slots=True)
class Unimported:
    """The sessions that are not imported: their ids, by reason."""

    by_reason: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, session_id: str, reason: str) -> None:
        self.by_reason.setdefault(reason, []).append(session_id)


async def read_tables(url: str) -> Mapping[str, Sequence[Row]]:
    """Rows of each of TABLES that exists, read only. Raises RecordsError if none exists."""
    match address_of(url):
        case SqliteAddress(path):
            tables = _read_sqlite(path)
        case PostgresAddress():
            tables = await _read_postgres(url)
    if not tables:
        raise RecordsError(f"That database has none of the tables {', '.join(TABLES)}.")
    return tables


def sessions_in(tables: Mapping[str, Sequence[Row]], skipped: Unimported) -> Iterator[ForeignSession]:
    for thread in tables.get("conversation_threads", ()):
        yield from _read_or_skip(skipped, str(thread.get("thread_id")), partial(_thread, thread, skipped))
    for session_id, rows in _by_session(tables.get("conversations", ())).items():
        yield from _read_or_skip(skipped, session_id, partial(_conversation, session_id, rows))
    messages = _by_session(tables.get("chat_messages", ()))
    for chat in tables.get("chat_sessions", ()):
        chat_id = str(chat.get("id"))
        yield from _read_or_skip(skipped, chat_id, partial(_chat, chat, messages.get(chat_id, []), skipped))


def _read_sqlite(path: Path) -> dict[str, Sequence[Row]]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            return {
                table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]  # noqa: S608
                for table in TABLES
                if table in names
            }
    except sqlite3.Error as error:
        raise RecordsError(f"That database cannot be read ({error}).") from error


async def _read_postgres(url: str) -> dict[str, Sequence[Row]]:
    database = Database.open(url, _READ_SECONDS)
    try:
        return await database.read(_rows_of_tables)
    finally:
        await database.aclose()


def _rows_of_tables(connection: Connection) -> dict[str, Sequence[Row]]:
    inspector = inspect(connection)
    names = {*inspector.get_table_names(), *inspector.get_view_names()}
    return {
        table: [dict(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table}").mappings()]  # noqa: S608
        for table in TABLES
        if table in names
    }


class _Unimportable(Exception):
    """Says why a session cannot become one of ours."""


def _read_or_skip(
    skipped: Unimported, session_id: str, read: Callable[[], ForeignSession]
) -> Iterator[ForeignSession]:
    try:
        yield read()
    except _Unimportable as reason:
        skipped.add(session_id, str(reason))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        skipped.add(session_id, "its row cannot be read")


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_CHAT_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def _thread(row: Row, skipped: Unimported) -> ForeignSession:
    session_id = str(row["thread_id"]).lower()
    if not _UUID4.fullmatch(session_id):
        raise _Unimportable("its id is no UUID of version 4")
    pairs = list(_pairs(_list(row["messages"]), session_id, skipped))
    return ForeignSession(
        id=session_id,
        contract=Contract.THREADS,
        user=None,
        created_at=_moment(row["created_at"]),
        updated_at=_moment(row["updated_at"]),
        metadata=_object(row.get("metadata")),
        exchanges=[_of_messages(question, answer, "timestamp") for question, answer in pairs],
    )


def _conversation(session_id: str, rows: Sequence[Row]) -> ForeignSession:
    if not _UUID.fullmatch(session_id.lower()):
        raise _Unimportable("its id is no UUID")
    exchanges = [_of_conversation(row) for row in _oldest_first(rows)]
    return ForeignSession(
        id=session_id.lower(),
        contract=Contract.CITATIONS,
        user=None,
        created_at=exchanges[0].asked_at,
        updated_at=exchanges[-1].answered_at,
        metadata={},
        exchanges=exchanges,
    )


def _of_conversation(row: Row) -> ForeignExchange:
    answered_at = _moment(row["created_at"])
    selected = row.get("selected_text")
    return ForeignExchange(
        question=_text(row["query"]),
        answer=_text(row["response"]),
        asked_at=answered_at - timedelta(milliseconds=float(row.get("latency_ms") or 0)),
        answered_at=answered_at,
        citations=tuple(_citation(n, source) for n, source in enumerate(_list(row.get("sources")), 1)),
        selection=Selection(_text(selected), only=True) if selected else None,
        mode=_text(row["mode"]),
    )


def _chat(row: Row, messages: Sequence[Row], skipped: Unimported) -> ForeignSession:
    session_id, user = str(row["id"]), str(row["user_id"] or "")
    if not _CHAT_ID.fullmatch(session_id):
        raise _Unimportable("its id has other signs than letters, digits and . _ : -")
    if not user.strip() or not is_storable_id(user):
        raise _Unimportable("its user has no name, or one that cannot be stored")
    pairs = list(_pairs(_oldest_first(messages), session_id, skipped))
    return ForeignSession(
        id=session_id,
        contract=Contract.COURSE,
        user=user,
        created_at=_moment(row["created_at"]),
        updated_at=_moment(row["updated_at"]),
        metadata=_object(row.get("metadata")),
        exchanges=[_of_messages(question, answer, "created_at") for question, answer in pairs],
    )


def _of_messages(question: Row, answer: Row, time_column: str) -> ForeignExchange:
    sources = _list(_object(answer.get("metadata")).get("sources"))
    pages = enumerate(dict.fromkeys(sources), 1)
    selected = _object(question.get("metadata")).get("selected_text")
    confidence = answer.get("confidence")
    return ForeignExchange(
        question=_text(question["content"]),
        answer=_text(answer["content"]),
        asked_at=_moment(question[time_column]),
        answered_at=_moment(answer[time_column]),
        citations=tuple(_citation(n, {"source_url": page}) for n, page in pages),
        selection=Selection(_text(selected)) if selected else None,
        confidence=None if confidence is None else float(confidence),
    )


def _pairs(messages: Sequence[Row], session_id: str, skipped: Unimported) -> Iterator[tuple[Row, Row]]:
    """Each question with the answer that follows it, because only complete exchanges are stored."""
    question: Row | None = None
    for message in messages:
        if message["role"] == "user":
            if question is not None:
                skipped.add(session_id, "a question has no answer")
            question = message
        elif question is None:
            skipped.add(session_id, "an answer has no question")
        else:
            yield question, message
            question = None
    if question is not None:
        skipped.add(session_id, "a question has no answer")


def _citation(n: int, source: Mapping[str, Any]) -> Citation:
    url, quote = str(source.get("source_url") or ""), str(source.get("chunk_text") or "")
    is_selection = url == "selected_text"
    start = int(source.get("char_start") or 0)
    return Citation(
        n=n,
        chunk_id=f"{url}#0",
        page="" if is_selection else url or "unknown",
        page_title=str(source.get("page_title") or ""),
        chapter="",
        section=str(source.get("section_heading") or ""),
        url="" if is_selection else url,
        quote=quote,
        start=start,
        end=int(source.get("char_end") or start + len(quote)),
        similarity=min(max(float(source.get("relevance_score") or 0.0), 0.0), 1.0),
    )


def _by_session(rows: Sequence[Row]) -> Mapping[str, Sequence[Row]]:
    by_session = dict[str, list[Row]]()
    for row in rows:
        by_session.setdefault(str(row.get("session_id")), []).append(row)
    return by_session


def _oldest_first(rows: Sequence[Row]) -> Sequence[Row]:
    return sorted(rows, key=lambda row: _moment(row["created_at"]))


def _moment(value: object) -> datetime:
    """A time without a zone is in UTC."""
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _object(value: object) -> dict[str, Any]:
    found = _json(value) or dict[str, Any]()
    if not isinstance(found, dict):
        raise TypeError
    return cast("dict[str, Any]", found)


def _list(value: object) -> list[Any]:
    return cast("list[Any]", _json(value) or [])


def _json(value: object) -> object:
    """SQLite and some drivers return JSON columns as text."""
    return json.loads(value) if isinstance(value, str) else value
