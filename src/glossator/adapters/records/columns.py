"""Kinds of columns that both databases have."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, Integer, String
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

Found = Any
"""A row: what it has is known by the statement that found it."""
NAME = String(255)
"""Of something that others chose: short enough for an index."""
NUMBER = BigInteger().with_variant(Integer(), "sqlite")


class Moment(TypeDecorator[datetime]):
    """A time in UTC; in SQLite as text that sorts as times do and that its date functions understand."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        kept: TypeEngine[Any] = String(32) if dialect.name == "sqlite" else DateTime(timezone=True)
        return dialect.type_descriptor(kept)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).isoformat(" ", "microseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return datetime.fromisoformat(value) if isinstance(value, str) else value


class Json(UserDefinedType[str]):
    """A JSON object or array that we wrote: kept, and given back, as the text it is."""

    cache_ok = True

    def get_col_spec(self, **options: Any) -> str:
        return "JSON"
