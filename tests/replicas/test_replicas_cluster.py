"""A cluster of three Qdrant nodes of which any one may be killed: answers go on, and nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest

from glossator.adapters.index.server_store import ServerIndexStore
from glossator.settings import Settings
from glossator.wiring import server_of
from support.replicas_cluster import NODES, Cluster, qdrant_cluster
from support.replicas_readers import reading
from support.replicas_stage import Dependencies, Replicas, client_of, replicas

pytestmark = [pytest.mark.slow, pytest.mark.qdrant]

SHARDS, REPLICAS = 3, 2
READERS = [6, pytest.param(100, marks=pytest.mark.nightly)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with qdrant_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="module")
def stage(
    tmp_path_factory: pytest.TempPathFactory, cluster: Cluster, dependencies: Dependencies
) -> Iterator[Replicas]:
    folder = tmp_path_factory.mktemp("on-a-cluster")
    spread = {"qdrant_url": cluster.url, "qdrant_shards": SHARDS, "qdrant_replicas": REPLICAS}
    with replicas(folder, **{**dependencies.settings, **spread}) as made:
        made.start(1)
        made.balance()
        yield made


@pytest.mark.parametrize("many", READERS)
def test_whichever_node_is_killed_answers_go_on_and_nothing_is_lost(
    stage: Replicas, cluster: Cluster, many: int, counted: Counter[str]
) -> None:
    for name, shards in (("book_content-1", SHARDS), ("book_content-catalog", 1)):
        placed = Counter(shard["shard_id"] for shard in cluster.shards_of(name))
        assert placed == dict.fromkeys(range(shards), REPLICAS)

    with reading(stage.balancer.url, many=many) as readers:
        for node in cluster.nodes:
            cluster.wait_until_whole()
            node.kill()
            counted["nodes killed under readers"] += 1
            assert is_whole(stage.book.settings)
            stage.book.ingest_next()
            assert is_whole(stage.book.settings)
            node.start()
        cluster.wait_until_whole()

    assert len(stage.book.editions) > NODES
    with client_of(stage.balancer.url) as client:
        for reader in readers:
            reader.check_generations(stage.book)
            reader.check_kept(client)
    counted["answers heard while nodes were killed"] += sum(len(reader.heard) for reader in readers)


def is_whole(settings: Settings) -> bool:
    assert settings.qdrant_url
    server = server_of(settings, settings.qdrant_url, timeout=30)
    with closing(server.client):
        return ServerIndexStore(server).is_whole()
