"""Three servers with everything that they share, started once for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from support import replicas_stage
from support.replicas_stage import Dependencies, Replicas


@pytest.fixture(scope="session")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dependencies]:
    with replicas_stage.dependencies(tmp_path_factory.mktemp("dependencies")) as started:
        yield started


@pytest.fixture(scope="session")
def replicas(tmp_path_factory: pytest.TempPathFactory, dependencies: Dependencies) -> Iterator[Replicas]:
    folder = tmp_path_factory.mktemp("replicas")
    with replicas_stage.replicas(folder, **dependencies.settings) as stage:
        stage.start()
        stage.balance()
        yield stage


@pytest.fixture
def clients(replicas: Replicas) -> Iterator[list[httpx2.Client]]:
    """One for each server, past the balancer."""
    with replicas.clients() as opened:
        yield opened
