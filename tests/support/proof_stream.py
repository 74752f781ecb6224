"""A reader of the native API's events, over a real line."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

EVENTS = {"accept": "text/event-stream"}


@dataclass(frozen=True)
class StreamEvent:
    """One event."""

    name: str
    data: dict[str, Any]
    id: str | None = None


HEARTBEAT = StreamEvent("heartbeat", {})


def stream(
    client: httpx2.Client, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Generator[StreamEvent]:
    """Each event as it comes, heartbeats too. Closed, it hangs up."""
    with client.stream("POST", "/v1/ask", json=body, headers={**EVENTS, **(headers or {})}) as reply:
        if reply.status_code != 200:
            raise AssertionError(f"{reply.status_code} {reply.read().decode()}")
        fields = dict[str, str]()
        for line in reply.iter_lines():
            if line.startswith(":"):
                yield HEARTBEAT
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif fields:
                yield StreamEvent(fields["event"], json.loads(fields["data"]), fields.get("id"))
                fields = {}
