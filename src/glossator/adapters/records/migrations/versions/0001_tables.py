"""Sessions, exchanges, and what belongs to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NAME = sa.String(255)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(32), "sqlite")
_UNFINISHED = sa.text("status IN ('accepted', 'streaming')")
_FLAGGED = sa.text("is_flagged")


def upgrade() -> None:
    _sessions()
    _exchanges()
    _exchange_indexes()
    _of_exchanges()
    _idempotency_keys()
    _api_keys()


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("id", _NAME, nullable=False),
        sa.Column("owner_key", _NAME, nullable=False),
        sa.Column("owner_user", _NAME, nullable=False),
        sa.Column("contract", _NAME, nullable=False),
        sa.Column("state", _NAME, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("archived_at", _MOMENT),
        sa.Column("topic_summary", sa.Text, nullable=False),
        sa.Column("metadata", sa.JSON, nullable=False),
        sa.Column("context_mode", sa.Text, nullable=False),
        sa.Column("active_filters", sa.JSON, nullable=False),
        sa.Column("exchanges", sa.Integer, nullable=False),
        sa.Column("lease_turn", _NAME),
        sa.Column("lease_until", _MOMENT),
        sa.UniqueConstraint("owner_key", "owner_user", "id", name="sessions_owner"),
        sqlite_autoincrement=True,
    )
    op.create_index("sessions_id", "sessions", ["id"])
    op.create_index("sessions_updated", "sessions", ["updated_at"])


def _exchanges() -> None:
    op.create_table(
        "exchanges",
        sa.Column("id", _NAME, primary_key=True),
        sa.Column("session", _NUMBER, sa.ForeignKey("sessions.number", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("status", _NAME, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("selection", sa.JSON),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("asked_at", _MOMENT, nullable=False),
        sa.Column("answered_at", _MOMENT),
        sa.Column("answer", sa.Text),
        sa.Column("document", sa.JSON),
        sa.Column("sections", sa.JSON),
        sa.Column("outcome", _NAME),
        sa.Column("confidence", sa.Float),
        sa.Column("confidence_level", _NAME),
        sa.Column("is_flagged", sa.Boolean, nullable=False),
        sa.Column("latency_ms", sa.Float),
        sa.Column("writer", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("index_generation", sa.Integer),
        sa.UniqueConstraint("session", "number", name="exchanges_session"),
    )


def _exchange_indexes() -> None:
    op.create_index("exchanges_answered", "exchanges", ["answered_at"])
    for name, column, which in (
        ("exchanges_unfinished", "id", _UNFINISHED),
        ("exchanges_flagged", "answered_at", _FLAGGED),
    ):
        op.create_index(name, "exchanges", [column], sqlite_where=which, postgresql_where=which)


def _of_exchanges() -> None:
    op.create_table(
        "feedback",
        _exchange_id(primary_key=True),
        sa.Column("helpful", sa.Boolean, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("given_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "unanswered_questions",
        _exchange_id(primary_key=True),
        sa.Column("session", _NUMBER, sa.ForeignKey("sessions.number", ondelete="CASCADE"), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("outcome", _NAME, nullable=False),
        sa.Column("confidence", sa.Float),
        sa.Column("nearest_title", sa.Text),
        sa.Column("nearest_url", sa.Text),
        sa.Column("nearest_chunk_id", sa.Text),
        sa.Column("asked_at", _MOMENT, nullable=False),
    )
    op.create_index("unanswered_asked", "unanswered_questions", ["asked_at"])
    op.create_index("unanswered_session", "unanswered_questions", ["session"])


def _idempotency_keys() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("key", _NAME, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
        _exchange_id(deferrable=True, initially="DEFERRED"),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_index("idempotency_exchange", "idempotency_keys", ["exchange_id"])
    op.create_index("idempotency_created", "idempotency_keys", ["created_at"])


def _api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", _NAME, primary_key=True),
        sa.Column("kind", _NAME, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", _NAME, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("origins", sa.JSON, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT),
    )


def _exchange_id(
    *, primary_key: bool = False, deferrable: bool | None = None, initially: str | None = None
) -> sa.Column[str]:
    reference = sa.ForeignKey("exchanges.id", ondelete="CASCADE", deferrable=deferrable, initially=initially)
    return sa.Column("exchange_id", _NAME, reference, primary_key=primary_key, nullable=False)
