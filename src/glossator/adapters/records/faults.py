"""Where what a database and its driver say becomes a reason of ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from glossator.errors import RecordsUnavailable

_COME_AGAIN = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})
"""PostgreSQL: lost against another transaction, or the server is going down or coming up."""


@contextmanager
def records_errors() -> Generator[None]:
    """The message is for operators: a reader hears the sentence of its kind, and nothing of hosts."""
    try:
        yield
    except Exception as error:
        if not _is_foreign(error):
            raise
        raise RecordsUnavailable(f"The database cannot be used: {_reason(error)}.") from error


def may_do_better(error: DBAPIError) -> bool:
    """Whether the same transaction may succeed at once: nothing of it was done."""
    if error.connection_invalidated or isinstance(error, IntegrityError):
        # A constraint that fails here lost a race, such as against the deletion of the session.
        return True
    original = error.orig
    if isinstance(original, sqlite3.Error):
        return original.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return getattr(original, "sqlstate", None) in _COME_AGAIN


def _is_foreign(error: Exception) -> bool:
    """Errors of the PostgreSQL driver are known by their home: whoever uses SQLite need not load it."""
    if isinstance(error, (DBAPIError, NoConnectionFree, OSError, sqlite3.Error)):
        return True
    return type(error).__module__.startswith("asyncpg.")


def _reason(error: BaseException) -> str:
    """The driver's own words, without the statement."""
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, DataError):
        # It repeats the value that it did not like.
        return type(error.orig).__name__
    if isinstance(error, DBAPIError) and error.orig is not None:
        error = error.orig
    innermost = error.__cause__ or error
    first, _, _ = str(innermost).partition("\n")
    return first.rstrip(".") or type(innermost).__name__
