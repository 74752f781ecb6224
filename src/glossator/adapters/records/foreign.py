"""Conversations that were kept by a server of the first designs, read from its own tables."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, NoReturn, cast

from sqlalchemy import Connection, inspect

from glossator.adapters.records.database import Database, PostgresAddress, SqliteAddress, address_of
from glossator.errors import RecordsError
from glossator.model import Citation, Contract, Selection

TABLES = ("conversations", "conversation_threads", "chat_sessions", "chat_messages")

_SECONDS = 600.0
"""For all of it."""

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
    """What does not fit, and why; by the reason, with the ids that it is true of."""

    because: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def name(self, what: str, reason: str) -> None:
        self.because.setdefault(reason, []).append(what)


async def read_tables(url: str) -> Mapping[str, Sequence[Row]]:
    """Whichever of them are there; nothing is written to that database."""
    match address_of(url):
        case SqliteAddress(path):
            found = _read_sqlite(path)
        case PostgresAddress():
            found = await _read_postgres(url)
    if not found:
        raise RecordsError(f"That database has none of the tables {', '.join(TABLES)}.")
    return found


def sessions_in(tables: Mapping[str, Sequence[Row]], left: Unimported) -> Iterator[ForeignSession]:
    for thread in tables.get("conversation_threads", ()):
        yield from _told(left, str(thread.get("thread_id")), lambda one=thread: _thread(one, left))
    for name, rows in _grouped(tables.get("conversations", ())):
        yield from _told(left, name, lambda one=name, some=rows: _conversation(one, some))
    messages = dict(_grouped(tables.get("chat_messages", ())))
    for chat in tables.get("chat_sessions", ()):
        mine = messages.get(str(chat.get("id")), [])
        yield from _told(left, str(chat.get("id")), lambda one=chat, some=mine: _chat(one, some, left))


def _read_sqlite(path: Path) -> dict[str, Sequence[Row]]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            return {
                table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]  # noqa: S608
                for table in TABLES
                if table in there
            }
    except sqlite3.Error as error:
        raise RecordsError(f"That database cannot be read ({error}).") from error


async def _read_postgres(url: str) -> dict[str, Sequence[Row]]:
    database = Database.open(url, _SECONDS)
    try:
        return await database.read(_rows_of_tables)
    finally:
        await database.aclose()


def _rows_of_tables(connection: Connection) -> dict[str, Sequence[Row]]:
    found = inspect(connection)
    there = {*found.get_table_names(), *found.get_view_names()}
    return {
        table: [dict(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table}").mappings()]  # noqa: S608
        for table in TABLES
        if table in there
    }


class _Unfit(Exception):
    """A session that cannot be one of ours."""


def _told(left: Unimported, name: str, read: Callable[[], ForeignSession]) -> Iterator[ForeignSession]:
    try:
        yield read()
    except _Unfit as reason:
        left.name(name, str(reason))
    except (KeyError, TypeError, ValueError, AttributeError):
        left.name(name, "its row cannot be read")


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_NAMED = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def _thread(row: Row, left: Unimported) -> ForeignSession:
    name = str(row["thread_id"]).lower()
    if not _UUID4.fullmatch(name):
        _refuse("its id is no UUID of version 4")
    pairs = list(_pairs(_list(row["messages"]), name, left))
    return ForeignSession(
        id=name,
        contract=Contract.THREADS,
        user=None,
        created_at=_moment(row["created_at"]),
        updated_at=_moment(row["updated_at"]),
        metadata=_object(row.get("metadata")),
        exchanges=[_of_messages(asked, told, "timestamp") for asked, told in pairs],
    )


def _conversation(name: str, rows: Sequence[Row]) -> ForeignSession:
    if not _UUID.fullmatch(name.lower()):
        _refuse("its id is no UUID")
    exchanges = [_of_conversation(row) for row in rows]
    return ForeignSession(
        id=name.lower(),
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
        question=row["query"],
        answer=row["response"],
        asked_at=answered_at - timedelta(milliseconds=float(row.get("latency_ms") or 0)),
        answered_at=answered_at,
        citations=tuple(_citation(n, one) for n, one in enumerate(_list(row.get("sources")), 1)),
        selection=Selection(selected, only=True) if selected else None,
        mode=row["mode"],
    )


def _chat(row: Row, messages: Sequence[Row], left: Unimported) -> ForeignSession:
    name, user = str(row["id"]), str(row["user_id"] or "")
    if not _NAMED.fullmatch(name):
        _refuse("its id has other signs than letters, digits and . _ : -")
    if not user.strip() or len(user) > 255:
        _refuse("its user has no name, or one of more than 255 characters")
    pairs = list(_pairs(messages, name, left))
    return ForeignSession(
        id=name,
        contract=Contract.COURSE,
        user=user,
        created_at=_moment(row["created_at"]),
        updated_at=_moment(row["updated_at"]),
        metadata=_object(row.get("metadata")),
        exchanges=[_of_messages(asked, told, "created_at") for asked, told in pairs],
    )


def _of_messages(asked: Row, told: Row, when: str) -> ForeignExchange:
    about, behind = (_object(one.get("metadata")) for one in (asked, told))
    pages = enumerate(dict.fromkeys(_list(behind.get("sources"))), 1)
    selected = about.get("selected_text")
    confidence = told.get("confidence")
    return ForeignExchange(
        question=asked["content"],
        answer=told["content"],
        asked_at=_moment(asked[when]),
        answered_at=_moment(told[when]),
        citations=tuple(_citation(n, {"source_url": page}) for n, page in pages),
        selection=Selection(selected) if selected else None,
        confidence=None if confidence is None else float(confidence),
    )


def _pairs(messages: Sequence[Row], name: str, left: Unimported) -> Iterator[tuple[Row, Row]]:
    """A question and the answer that follows it; only whole exchanges are kept here."""
    waiting: Row | None = None
    for message in messages:
        if message["role"] == "user":
            if waiting is not None:
                left.name(name, "a question has no answer")
            waiting = message
        elif waiting is None:
            left.name(name, "an answer has no question")
        else:
            yield waiting, message
            waiting = None
    if waiting is not None:
        left.name(name, "a question has no answer")


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


def _grouped(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """By their session, oldest first."""
    ordered = sorted(rows, key=lambda row: (str(row["session_id"]), _moment(row["created_at"])))
    for name, some in groupby(ordered, key=lambda row: str(row["session_id"])):
        yield name, list(some)


def _moment(value: object) -> datetime:
    """Where a table says nothing of a zone, it means UTC."""
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", _json(value) or {})


def _list(value: object) -> list[Any]:
    return cast("list[Any]", _json(value) or [])


def _json(value: object) -> object:
    """SQLite and some drivers have it as text."""
    return json.loads(value) if isinstance(value, str) else value


def _refuse(reason: str) -> NoReturn:
    raise _Unfit(reason)
