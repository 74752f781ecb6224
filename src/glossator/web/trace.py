"""The id under which a request is found again: in the reply, in the headers and in every line of the log."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar

_TRACE: ContextVar[str] = ContextVar("glossator_trace", default="")

_TRACEPARENT = re.compile(rb"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?")
_INVALID = {b"ff", b"0" * 32, b"0" * 16}
"""A version and two ids that the standard keeps for saying that there is none."""


def trace_id() -> str:
    """Of the request that is being served; 32 hexadecimal digits, as W3C traceparent has them."""
    return _TRACE.get()


def begin_trace(given: str | None = None) -> str:
    identifier = given or secrets.token_hex(16)
    _TRACE.set(identifier)
    return identifier


def trace_of(traceparent: bytes) -> str | None:
    """The id of the caller's own trace; None where the header is not one."""
    found = _TRACEPARENT.fullmatch(traceparent)
    if not found or not _INVALID.isdisjoint(found.groups()):
        return None
    # Only versions to come may say more.
    if found[1] == b"00" and found[4]:
        return None
    return found[2].decode()
