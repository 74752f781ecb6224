"""Questions that repeat, through the whole server: found once, and each still an exchange of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

TOPIC = "What is a topic?"
MakeClient = Callable[..., TestClient]
FORGETFUL: list[tuple[str, dict[str, Any]]] = [
    ("/v1/ask", {"question": TOPIC, "remember": False}),
    ("/contracts/pipeline/query", {"question": TOPIC}),
    ("/contracts/citations/chat", {"query": TOPIC}),
    ("/openai/v1/chat/completions", {"model": "glossator", "messages": [{"role": "user", "content": TOPIC}]}),
]


def counted(client: TestClient) -> tuple[float, float, float]:
    """Hits, misses and bytes."""
    told = client.get("/metrics").text
    names = ('total{result="hit"}', 'total{result="miss"}', "bytes")
    found = (
        re.search(rf"^glossator_result_cache_{re.escape(name)} (\S+)", told, re.MULTILINE) for name in names
    )
    hits, misses, size = (float(number[1]) if number else 0.0 for number in found)
    return hits, misses, size


def ask(client: TestClient, **more: Any) -> dict[str, Any]:
    reply = client.post("/v1/ask", json={"question": TOPIC, **more})
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_an_answer_that_repeats_is_an_exchange_of_its_own_and_recorded(make_client: MakeClient):
    client = make_client()
    first, second = ask(client), ask(client, question=f" {TOPIC} ")
    assert counted(client)[:2] == (1, 1)
    assert (first["text"], first["citations"]) == (second["text"], second["citations"])
    assert first["id"] != second["id"]
    assert first["session"]["id"] != second["session"]["id"]
    for answer in (first, second):
        session = client.get(f"/v1/sessions/{answer['session']['id']}").json()
        assert [exchange["question"] for exchange in session["exchanges"]] == [TOPIC]


@pytest.mark.parametrize(("path", "body"), FORGETFUL, ids=[path for path, _ in FORGETFUL])
def test_what_must_not_be_remembered_is_not_in_the_cache_either(
    make_client: MakeClient, path: str, body: dict[str, Any]
):
    client = make_client()
    for _ in range(2):
        assert client.post(path, json=body).status_code == 200
    assert counted(client) == (0, 2, 0)


@pytest.mark.parametrize("setting", ["result_cache_entries", "result_cache_bytes"])
def test_it_can_be_turned_off(make_client: MakeClient, setting: str):
    client = make_client(**{setting: 0})
    assert ask(client)["text"] == ask(client)["text"]
    assert counted(client) == (0, 0, 0)
