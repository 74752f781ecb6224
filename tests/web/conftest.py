"""The whole server in this process, on the small book and a real SQLite file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from glossator.ports import Embedder
from support.web_app import serving


@pytest.fixture(scope="session")
def client(home: Path, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Open, as on a loopback address; shared by all tests of a process, so sessions are the tests' own."""
    records = tmp_path_factory.mktemp("records") / "records.sqlite"
    with serving(home, embedder, records) as opened:
        yield opened


@pytest.fixture
def make_client(home: Path, embedder: Embedder, tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """A server of one's own, with other settings."""
    with ExitStack() as stack:

        def make(**settings: object) -> TestClient:
            return stack.enter_context(serving(home, embedder, tmp_path / "records.sqlite", **settings))

        yield make
