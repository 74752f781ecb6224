"""The trace id of a request: it is in the reply, in the headers and in every log line."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar

_TRACE: ContextVar[str] = ContextVar("glossator_trace", default="")

_TRACEPARENT = re.compile(rb"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?")
_INVALID = {b"ff", b"0" * 32, b"0" * 16}
"""A version and two ids that W3C Trace Context declares invalid."""


def trace_id() -> str:
    """The current request's id: 32 hexadecimal digits, as in W3C traceparent; empty outside a request."""
    return _TRACE.get()


def begin_trace(parent: str | None = None) -> str:
    """Sets the trace id of the current request: the caller's own, or a new one."""
    identifier = parent or secrets.token_hex(16)
    _TRACE.set(identifier)
    return identifier


def parse_traceparent(traceparent: bytes) -> str | None:
    """The trace id in a `traceparent` header; None if the header is not valid."""
    match = _TRACEPARENT.fullmatch(traceparent)
    if not match or not _INVALID.isdisjoint(match.groups()):
        return None
    # Only versions after 00 may have more fields.
    if match[1] == b"00" and match[4]:
        return None
    return match[2].decode()
