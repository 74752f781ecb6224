"""The id under which a request is found again: in the reply, in the headers and in every line of the log."""

from __future__ import annotations

import secrets
from contextvars import ContextVar

_TRACE: ContextVar[str] = ContextVar("glossator_trace", default="")


def trace_id() -> str:
    """Of the request that is being served; 32 hexadecimal digits, as W3C traceparent has them."""
    return _TRACE.get()


def begin_trace(given: str | None = None) -> str:
    identifier = given or secrets.token_hex(16)
    _TRACE.set(identifier)
    return identifier
