"""The tables, their column types, and the text that both databases can store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    literal_column,
    text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MAX_ID_LENGTH = 255


def storable(text: str) -> str:
    """PostgreSQL stores no NUL, and neither database stores a lone surrogate: both are replaced."""
    return text.replace("\0", _REPLACEMENT).encode("utf-8", "replace").decode("utf-8")


def is_storable_id(text: str) -> bool:
    """False for an id under which nothing can have been stored, so that it is unknown without a query."""
    return 0 < len(text) <= _MAX_ID_LENGTH and storable(text) == text


Row = Any
"""A result row; its columns are those of the statement that returned it, so it has no static type."""
NAME = String(255)
"""An identifier that a client may choose; the length limit lets it be indexed."""
NUMBER = BigInteger().with_variant(Integer(), "sqlite")


class Moment(TypeDecorator[datetime]):
    """A time in UTC. SQLite stores it as text that sorts by time and that its date functions accept."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        impl: TypeEngine[Any] = String(32) if dialect.name == "sqlite" else DateTime(timezone=True)
        return dialect.type_descriptor(impl)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).isoformat(" ", "microseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return datetime.fromisoformat(value) if isinstance(value, str) else value


class Json(UserDefinedType[str]):
    """A JSON object or array, already serialized: stored and returned as text."""

    cache_ok = True

    def get_col_spec(self, **options: Any) -> str:
        return "JSON"


metadata = MetaData()

# A session's id is unique per owner only: a reader who picks an id that another reader uses neither reaches
# that session nor learns of it. It is taken in all books and contracts. Foreign keys refer to `number`, which
# is never reused.
sessions = Table(
    "sessions",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    Column("id", NAME, nullable=False),
    Column("owner_key", NAME, nullable=False),
    Column("owner_user", NAME, nullable=False),
    Column("contract", NAME, nullable=False),
    Column("state", NAME, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("archived_at", Moment),
    Column("topic_summary", Text, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("context_mode", Text, nullable=False),
    Column("active_filters", Json, nullable=False),
    Column("exchanges", Integer, nullable=False),
    Column("lease_turn", NAME),
    Column("lease_until", Moment),
    Column("name", String(36)),
    Column("book", NAME, nullable=False, server_default=""),
    UniqueConstraint("owner_key", "owner_user", "id", name="sessions_owner"),
    Index("sessions_id", "id"),
    Index("sessions_updated", "updated_at"),
    Index("sessions_name", "name"),
    Index("sessions_created", "created_at"),
    Index("sessions_user", "owner_user"),
    sqlite_autoincrement=True,
)

UNFINISHED = "status IN ('accepted', 'streaming')"

exchanges = Table(
    "exchanges",
    metadata,
    Column("id", NAME, primary_key=True),
    Column("session", NUMBER, ForeignKey("sessions.number", ondelete="CASCADE"), nullable=False),
    Column("number", Integer),
    Column("status", NAME, nullable=False),
    Column("question", Text, nullable=False),
    Column("selection", Json),
    Column("mode", Text, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("answered_at", Moment),
    Column("answer", Text),
    Column("document", Json),
    Column("sections", Json),
    Column("outcome", NAME),
    Column("confidence", Float),
    Column("confidence_level", NAME),
    Column("is_flagged", Boolean, nullable=False),
    Column("latency_ms", Float),
    Column("writer", Text),
    Column("model", Text),
    Column("index_generation", Integer),
    UniqueConstraint("session", "number", name="exchanges_session"),
    Index("exchanges_answered", "answered_at"),
    Index("exchanges_asked", "asked_at"),
    Index("exchanges_unfinished", "id", sqlite_where=text(UNFINISHED), postgresql_where=text(UNFINISHED)),
    Index(
        "exchanges_flagged",
        "answered_at",
        sqlite_where=text("is_flagged"),
        postgresql_where=text("is_flagged"),
    ),
)

feedback = Table(
    "feedback",
    metadata,
    Column("exchange_id", NAME, ForeignKey("exchanges.id", ondelete="CASCADE"), primary_key=True),
    Column("helpful", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("given_at", Moment, nullable=False),
)

unanswered_questions = Table(
    "unanswered_questions",
    metadata,
    Column("exchange_id", NAME, ForeignKey("exchanges.id", ondelete="CASCADE"), primary_key=True),
    Column("session", NUMBER, ForeignKey("sessions.number", ondelete="CASCADE"), nullable=False),
    Column("question", Text, nullable=False),
    Column("outcome", NAME, nullable=False),
    Column("confidence", Float),
    Column("nearest_title", Text),
    Column("nearest_url", Text),
    Column("nearest_chunk_id", Text),
    Column("asked_at", Moment, nullable=False),
    Index("unanswered_asked", "asked_at"),
    Index("unanswered_session", "session"),
)

# Each cited section once per answer, because counting citations in the documents would read all of them.
cited_sections = Table(
    "cited_sections",
    metadata,
    Column("exchange_id", NAME, ForeignKey("exchanges.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("page", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("cited_at", Moment, nullable=False),
    Index("cited_sections_at", "cited_at"),
)

# The row is inserted before its exchange, so that of two simultaneous requests the second waits only here.
idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("key", NAME, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column(
        "exchange_id",
        NAME,
        ForeignKey("exchanges.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        nullable=False,
    ),
    Column("created_at", Moment, nullable=False),
    Index("idempotency_exchange", "exchange_id"),
    Index("idempotency_created", "created_at"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", NAME, primary_key=True),
    Column("kind", NAME, nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", NAME, nullable=False),
    Column("scopes", Json, nullable=False),
    Column("origins", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    Column("is_anonymous", Boolean, nullable=False, server_default=false()),
    Column("books", Json, nullable=False, server_default="[]"),
)

cleared_question = {"question": "", "selection": None}
"""Overwrites a question that was never answered: only complete exchanges are kept."""
is_unfinished = literal_column(f"exchanges.{UNFINISHED}", Boolean)
is_complete = literal_column("exchanges.status = 'complete'", Boolean)
