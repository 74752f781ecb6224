"""Each of the things that the servers share is killed while readers ask, and comes back: docs/resilience.md holds."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import httpx2
import pytest

from support.proof_keys import shows
from support.proof_server import is_soon
from support.records_database import kill_postgres
from support.replicas_book import QUESTIONS
from support.replicas_limits import asked_together, counts_alone, left_after
from support.replicas_readers import Ask, Reader, reading
from support.replicas_stage import (
    REQUESTS_PER_MINUTE,
    SECRET_KEY,
    SERVERS,
    Dependencies,
    Replicas,
    from_elsewhere,
)

pytestmark = [pytest.mark.slow, pytest.mark.qdrant]

READERS = 6
ASKED = {"question": QUESTIONS[0]}
FORGOTTEN = {**ASKED, "remember": False}
SELECTION = "The lamp of the glass hall is trimmed by the keeper Fritz, who is never late."
SELECTED = {
    "question": "Who trims the lamp of the glass hall?",
    "selection": {"text": SELECTION, "only": True},
    "remember": False,
}


def test_without_postgresql_nothing_is_stored_and_afterwards_nothing_is_missing(
    replicas: Replicas, dependencies: Dependencies, clients: list[httpx2.Client]
) -> None:
    with reading(*urls(replicas), many=READERS, ask=unless("database_unavailable")) as readers:
        kill_postgres(dependencies.postgres)
        try:
            assert is_soon(
                lambda: all(code_of(client, ASKED) == "database_unavailable" for client in clients)
            )
            for client in clients:
                assert post(client, FORGOTTEN).status_code == 200
                assert client.get(
                    "/v1/search", params={"q": QUESTIONS[0]}, headers=shows(SECRET_KEY)
                ).is_success
                assert is_soon(lambda client=client: ready(client) == (200, "degraded"))
        finally:
            dependencies.postgres.start()
        assert is_soon(lambda: all(post(client, ASKED).status_code == 200 for client in clients))

    for reader, client in zip(readers, cycle(clients), strict=False):
        reader.check_none_lost(client)


def test_without_qdrant_selections_are_answered_and_afterwards_the_book_is_whole(
    replicas: Replicas, dependencies: Dependencies, clients: list[httpx2.Client]
) -> None:
    before = [post(client, ASKED).json() for client in clients]
    with reading(*urls(replicas), many=READERS, ask=unless("index_unavailable")) as readers:
        dependencies.qdrant.kill()
        try:
            assert is_soon(lambda: all(code_of(client, ASKED) == "index_unavailable" for client in clients))
            for client in clients:
                assert "Fritz" in post(client, SELECTED).json()["text"]
                assert is_soon(lambda client=client: ready(client) == (503, "not_ready"))
        finally:
            dependencies.qdrant.start()
        assert is_soon(lambda: all(ready(client) == (200, "ready") for client in clients))

    afterwards = [post(client, ASKED).json() for client in clients]
    assert [told(answer) for answer in afterwards] == [told(answer) for answer in before]
    for reader, client in zip(readers, cycle(clients), strict=False):
        reader.check_none_lost(client)
        reader.check_generations(replicas.book)


def test_without_redis_each_server_counts_alone_and_afterwards_they_count_together(
    replicas: Replicas, dependencies: Dependencies, clients: list[httpx2.Client]
) -> None:
    with reading(*urls(replicas), many=READERS) as readers:
        dependencies.redis.stop()
        try:
            assert is_soon(lambda: all(counts_alone(replicas, clients)))
            alone = from_elsewhere()
            replies = [client.get("/v1/questions", headers=alone) for client in clients for _ in range(2)]
            left = [left_after(reply) for reply in replies]
            assert left == [REQUESTS_PER_MINUTE - 1, REQUESTS_PER_MINUTE - 2] * SERVERS
        finally:
            dependencies.redis.start()
        left = [left_after(reply) for reply in asked_together(replicas, clients, SERVERS)]
        assert left == [REQUESTS_PER_MINUTE - 1 - number for number in range(SERVERS)]

    for reader, client in zip(readers, cycle(clients), strict=False):
        reader.check_kept(client)


def unless(code: str) -> Ask:
    """A question is answered, or refused with this code and a time to come back."""

    def ask(reader: Reader, client: httpx2.Client, question: str) -> None:
        body = {"question": question, **({"session": reader.session} if reader.session else {})}
        reply = post(client, body)
        if reply.status_code == 200:
            reader.session = reply.json()["session"]
            reader.heard.append(reply.json())
            return
        assert (reply.status_code, reply.json()["code"], reply.json()["retryable"]) == (503, code, True)
        assert int(reply.headers["retry-after"]) >= 1

    return ask


def urls(replicas: Replicas) -> list[str]:
    return [server.url for server in replicas.servers]


def post(client: httpx2.Client, body: dict[str, Any]) -> httpx2.Response:
    return client.post("/v1/ask", json=body, headers=from_elsewhere())


def code_of(client: httpx2.Client, body: dict[str, Any]) -> str | None:
    return post(client, body).json().get("code")


def ready(client: httpx2.Client) -> tuple[int, str]:
    reply = client.get("/readyz")
    return reply.status_code, reply.json()["status"]


def told(answer: dict[str, Any]) -> tuple[Any, ...]:
    return answer["text"], answer["index"], answer["citations"]
