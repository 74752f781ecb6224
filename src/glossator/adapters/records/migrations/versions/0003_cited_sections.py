"""Which sections answers cite, counted from then on and once from all that is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_NAME = sa.String(255)
_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(32), "sqlite")
_AT_ONCE = 500
_SELECTION = "User Selection"

_kept = sa.text(
    "SELECT id, answered_at, CAST(document AS TEXT) AS document FROM exchanges"
    " WHERE status = 'complete' AND id > :after ORDER BY id LIMIT :most"
).columns(answered_at=_MOMENT)


def upgrade() -> None:
    cited = op.create_table(
        "cited_sections",
        sa.Column("exchange_id", _NAME, sa.ForeignKey("exchanges.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("page", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("cited_at", _MOMENT, nullable=False),
    )
    op.create_index("cited_sections_at", "cited_sections", ["cited_at"])
    for rows in _in_kept_answers(op.get_bind()):
        op.bulk_insert(cited, rows)


def _in_kept_answers(connection: sa.Connection) -> Iterator[list[dict[str, Any]]]:
    after = ""
    while some := connection.execute(_kept, {"after": after, "most": _AT_ONCE}).all():
        yield [row for exchange in some for row in _rows(exchange)]
        after = some[-1].id


def _rows(exchange: Any) -> Iterator[dict[str, Any]]:
    citations = json.loads(exchange.document)["citations"]
    found = dict.fromkeys(
        (one["page"], one["section"], one["url"].partition(":~:")[0].removesuffix("#"))
        for one in citations
        if one["page_title"] != _SELECTION
    )
    for number, (page, title, url) in enumerate(found, 1):
        yield {
            "exchange_id": exchange.id,
            "number": number,
            "page": page,
            "title": title,
            "url": url,
            "cited_at": exchange.answered_at,
        }
