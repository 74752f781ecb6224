"""The whole server, for tests: every contract, the guard, the engine, real records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from httpx2 import Response
from starlette.testclient import TestClient

from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.wiring.server import app_of


@contextmanager
def serving(folder: Path, embedder: Embedder | None, records: Path, **settings: Any) -> Iterator[TestClient]:
    given = {
        "home": folder,
        "database_url": f"sqlite:///{records}",
        "secret": "only for the tests of glossator",
        "requests_per_minute": 100_000,
        **settings,
    }
    app = app_of(Settings(**given), embedder=embedder)
    with TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def events_of(reply: Response) -> list[tuple[str, dict[str, Any], str | None]]:
    """Name, data and id of each event; heartbeats are left out."""
    found = list[tuple[str, dict[str, Any], str | None]]()
    for block in reply.text.split("\n\n"):
        parts = [line.partition(": ") for line in block.splitlines() if not line.startswith(":")]
        fields = {name: value for name, _, value in parts}
        if "data" in fields:
            found.append((fields.get("event", "message"), json.loads(fields["data"]), fields.get("id")))
    return found
