"""Servers are stopped and replaced one after the other while readers ask: nobody notices."""

from __future__ import annotations

from collections import Counter

import pytest

from support.proof_size import repeats
from support.replicas_readers import reading
from support.replicas_stage import Replicas, client_of

PAUSE = 0.12
"""Seconds for each reader, so that all together leave time for the servers to start."""
READERS = [repeats("READERS", 12), pytest.param(100, marks=pytest.mark.nightly)]


@pytest.mark.slow
@pytest.mark.qdrant
@pytest.mark.parametrize("many", READERS)
def test_a_rolling_restart_fails_no_request_and_loses_no_answer(
    replicas: Replicas, many: int, counted: Counter[str]
) -> None:
    with reading(replicas.balancer.url, many=many, pause=many * PAUSE) as readers:
        for server in [*replicas.servers]:
            replicas.replace(server)
            counted["servers replaced under readers"] += 1

    assert all(backend.connections for backend in replicas.balancer.backends)
    with client_of(replicas.balancer.url) as client:
        for reader in readers:
            reader.check_kept(client)
    counted["answers heard during a rolling restart"] += sum(len(reader.heard) for reader in readers)
