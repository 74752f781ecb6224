"""A Qdrant cluster of three nodes on this machine, behind a load balancer; any node may be killed and started again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from support.proof_server import PATIENCE, is_soon
from support.qdrant_server import QdrantNode, free_port
from support.replicas_balancer import Balancer

NODES = 3


@dataclass(frozen=True)
class Cluster:
    nodes: list[QdrantNode]
    balancer: Balancer

    @property
    def url(self) -> str:
        return self.balancer.url

    def shards_of(self, collection: str) -> list[dict[str, Any]]:
        """Every replica of every shard, wherever it is, with its state."""
        told = self._ask(f"/collections/{collection}/cluster")
        return [*told["local_shards"], *told["remote_shards"]]

    def collections(self) -> list[str]:
        return [collection["name"] for collection in self._ask("/collections")["collections"]]

    def wait_until_whole(self) -> None:
        """Every node serves, and every replica has what the others have."""
        assert is_soon(lambda: all(self.balancer.is_ready(node.url) for node in self.nodes))
        assert is_soon(lambda: self._states() == {"Active"}), self._states()

    def _states(self) -> set[str]:
        return {shard["state"] for name in self.collections() for shard in self.shards_of(name)}

    def _ask(self, path: str) -> dict[str, Any]:
        return httpx2.get(f"{self.url}{path}", timeout=PATIENCE, trust_env=False).json()["result"]


@contextmanager
def qdrant_cluster(folder: Path) -> Iterator[Cluster]:
    nodes, first = list[QdrantNode](), ""
    with ExitStack() as opened:
        balancer = opened.enter_context(Balancer().running())
        for number in range(NODES):
            place = folder / f"node-{number}"
            place.mkdir(parents=True)
            port = free_port()
            uri = f"http://127.0.0.1:{port}"
            join = ["--bootstrap", first] if first else []
            clustered = {"QDRANT__CLUSTER__ENABLED": "true", "QDRANT__CLUSTER__P2P__PORT": str(port)}
            node = QdrantNode(place, "--uri", uri, *join, **clustered)
            opened.callback(node.kill)
            node.start()
            nodes.append(node)
            first = first or uri
        balancer.serve(*(node.url for node in nodes))
        cluster = Cluster(nodes, balancer)
        assert is_soon(lambda: all(balancer.is_ready(node.url) for node in nodes))
        yield cluster
