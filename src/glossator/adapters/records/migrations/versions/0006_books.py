"""The book that a session is about; empty for the default book, which all earlier ones are about."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("book", sa.String(255), nullable=False, server_default=""))
