"""The tables of the first designs as views; 0005 makes them anew."""

from __future__ import annotations

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    pass
