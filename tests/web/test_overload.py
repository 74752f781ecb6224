"""Beyond what it can carry the server says so early, in every contract's own words."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

TOPIC = "What is a topic?"
ASKING: list[tuple[str, dict[str, Any]]] = [
    ("/v1/ask", {"question": TOPIC}),
    ("/contracts/threads/chat/run", {"message": TOPIC, "similarity_threshold": 0}),
    ("/contracts/citations/chat", {"query": TOPIC}),
    ("/contracts/grounding/chat", {"query_text": TOPIC}),
    ("/contracts/course/chat", {"message": TOPIC, "user_id": "u"}),
    ("/contracts/pipeline/query", {"question": TOPIC}),
    ("/openai/v1/chat/completions", {"model": "glossator", "messages": [{"role": "user", "content": TOPIC}]}),
]


@pytest.mark.parametrize(("path", "sent"), ASKING, ids=[path for path, _ in ASKING])
def test_who_finds_no_place_is_told_when_to_come_back(
    make_client: Callable[..., TestClient], path: str, sent: dict[str, Any]
) -> None:
    client = make_client(concurrency=1, queue=0)
    with ThreadPoolExecutor(12) as readers:
        replies = list(readers.map(lambda _: client.post(path, json=sent), range(24)))
    assert {reply.status_code for reply in replies} == {200, 503}
    refused = [reply for reply in replies if reply.status_code == 503]
    assert all(int(reply.headers["retry-after"]) >= 1 for reply in refused)
    assert client.post(path, json=sent).status_code == 200, "it is over when it is over"


def test_what_needs_no_place_is_still_done(make_client: Callable[..., TestClient]) -> None:
    client = make_client(concurrency=1, queue=0)
    with ThreadPoolExecutor(12) as readers:
        asking = [readers.submit(client.post, "/v1/ask", json={"question": TOPIC}) for _ in range(12)]
        others = [client.get("/v1/chapters").status_code for _ in range(5)]
        assert others == [200] * 5
        assert {future.result().status_code for future in asking} <= {200, 503}
