"""Migrates the tables to the schema of this version, with Alembic."""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from glossator.adapters.records.tables import metadata
from glossator.errors import RecordsError, RecordsOutdated

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
"""Oldest first."""
VERSION_TABLE = "glossator_version"
VIEWS = ("conversation_threads", "conversations", "chat_sessions", "chat_messages")
SECONDS_TO_MIGRATE = 60

_FOLDER = Path(__file__).parent / "migrations"
_ALEMBIC = threading.Lock()
"""Alembic keeps its context in module globals, so only one migration may run at a time."""


def upgrade(connection: Connection) -> None:
    """Runs in the caller's transaction; the caller also makes sure that no other process migrates."""
    revision = revision_of(connection)
    if revision == REVISIONS[-1]:
        return
    if revision is None:
        _refuse_foreign(connection)
    elif revision not in REVISIONS:
        raise RecordsOutdated("The database was made by a newer Glossator: update this one.")
    _run(connection)


def revision_of(connection: Connection) -> str | None:
    """None where there are no tables yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    revision: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608
    return revision


def _refuse_foreign(connection: Connection) -> None:
    inspector = inspect(connection)
    names = {*inspector.get_table_names(), *inspector.get_view_names()}
    if taken := sorted(names & {*metadata.tables, *VIEWS}):
        raise RecordsError(
            f"The database has a table {taken[0]} that Glossator did not make: give it a database of its own."
        )


def _run(connection: Connection) -> None:
    # Most starts need no migration and do not wait for this import.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection, "version_table": VERSION_TABLE})
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    with _ALEMBIC:
        command.upgrade(config, "head")
