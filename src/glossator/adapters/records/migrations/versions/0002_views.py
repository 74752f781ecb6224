"""The tables of the first designs as views, so that SQL which was written for them goes on working."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"

_FOLDER = Path(__file__).parents[1] / "views"


def upgrade() -> None:
    connection = op.get_bind()
    script = (_FOLDER / f"{connection.dialect.name}.sql").read_text("utf-8")
    for statement in filter(str.strip, script.split(";\n")):
        connection.exec_driver_sql(statement)
