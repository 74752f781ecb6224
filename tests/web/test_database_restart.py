"""A PostgreSQL that is stopped and started again: what it keeps is there, and the server comes back to it by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.wiring.server import app_of
from support.matrix_stage import comes_true
from support.records_database import postgres_of_our_own

QUESTION = "What is a topic?"


@pytest.fixture
def postgres() -> Iterator[Any]:
    with postgres_of_our_own() as server:
        yield server


@pytest.mark.slow
def test_a_database_that_was_restarted_is_used_again_within_a_second_or_two(
    home: Path, embedder: Embedder, postgres: Any
) -> None:
    settings = Settings(home=home, database_url=postgres.get_uri(), requests_per_minute=100_000)
    with TestClient(app_of(settings, embedder=embedder), base_url="http://127.0.0.1:8000") as client:
        first = client.post("/v1/ask", json={"question": QUESTION}).json()
        asked = {"question": QUESTION, "session": {"id": first["session"]["id"]}}

        postgres.stop()
        refused = [client.post("/v1/ask", json=asked) for _ in range(settings.breaker_failures + 1)]
        assert {reply.status_code for reply in refused} == {503}
        assert refused[-1].headers["Retry-After"] == "1", "so soon it is tried again"

        postgres.start()
        assert comes_true(lambda: client.post("/v1/ask", json=asked).status_code == 200)
        kept = client.get(f"/v1/sessions/{first['session']['id']}").json()["exchanges"]
        assert [exchange["question"] for exchange in kept] == [QUESTION, QUESTION]
