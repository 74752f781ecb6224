"""The books that a key may use; an empty list for all of them, as for all earlier keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("books", sa.JSON, nullable=False, server_default="[]"))
