"""What the servers have counted of a reader's requests, together or alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

import httpx2

from support.proof_server import is_soon
from support.replicas_stage import Replicas, from_elsewhere

_ALONE, _AGAIN = "limits not shared", "limits shared again"
_TRIES = 5


def asked_together(replicas: Replicas, clients: Sequence[httpx2.Client], many: int) -> list[httpx2.Response]:
    """The replies to one reader's requests, which go to the servers by turns.

    To a server on a busy machine Redis may seem slow; then it counts alone for a moment, as it should: again.
    """
    replies = list[httpx2.Response]()
    for _ in range(_TRIES):
        assert is_soon(lambda: not any(counts_alone(replicas, clients)))
        before, reader = replicas.logged(_ALONE), from_elsewhere()
        replies = [client.get("/v1/questions", headers=reader) for client in islice(cycle(clients), many)]
        if replicas.logged(_ALONE) == before:
            break
    return replies


def left_after(reply: httpx2.Response) -> int:
    return int(reply.headers["ratelimit-remaining"])


def counts_alone(replicas: Replicas, clients: Sequence[httpx2.Client]) -> Iterator[bool]:
    """Whether each server does, by its log; it tries again when somebody asks for something."""
    for client in clients:
        client.get("/v1/questions", headers=from_elsewhere())
    for lines in replicas.logged(_ALONE, _AGAIN):
        yield bool(lines) and lines[-1]["event"] == _ALONE
