"""A name for each session that no other has, and views that find it by that and by time, with an index."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from glossator.adapters.records.rows import name_of

revision = "0005"
down_revision = "0004"

_NAME = sa.String(36)
_FOLDER = Path(__file__).parents[1] / "views"
_OLD = ("chat_messages", "chat_sessions", "conversations", "conversation_threads", "session_names")
_INDEXES = (
    ("sessions_name", "sessions", "name"),
    ("sessions_created", "sessions", "created_at"),
    ("sessions_user", "sessions", "owner_user"),
    ("exchanges_asked", "exchanges", "asked_at"),
)


def upgrade() -> None:
    connection = op.get_bind()
    for view in _OLD:
        op.execute(f"DROP VIEW IF EXISTS {view}")
    op.add_column("sessions", sa.Column("name", _NAME))
    _give_names(connection)
    for name, table, column in _INDEXES:
        op.create_index(name, table, [column])
    if connection.dialect.name == "postgresql":
        op.create_index("sessions_name_uuid", "sessions", [sa.text("(name::uuid)")])
    script = (_FOLDER / f"{connection.dialect.name}.sql").read_text("utf-8")
    for statement in filter(str.strip, script.split(";\n")):
        connection.exec_driver_sql(statement)


def _give_names(connection: sa.Connection) -> None:
    """The first of an id has it as its name, where it can be one."""
    found = connection.execute(
        sa.text("SELECT number, id, owner_key, owner_user, contract FROM sessions ORDER BY number")
    ).all()
    taken = set[str]()
    for row in found:
        of_owner = name_of(row.id, (row.owner_key, row.owner_user, row.contract))
        name = of_owner.spare if row.id in taken else of_owner.first
        taken.add(row.id)
        connection.execute(
            sa.text("UPDATE sessions SET name = :name WHERE number = :number"),
            {"name": name, "number": row.number},
        )
