"""Keys that stand for their origins: a page there needs to send none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column(
        "api_keys", sa.Column("is_anonymous", sa.Boolean, nullable=False, server_default=sa.false())
    )
