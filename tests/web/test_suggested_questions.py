"""Questions that the server suggests to readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from glossator.model import KeyKind
from support.proof_keys import ORIGIN, add_keys


def ask(client: TestClient, question: str) -> dict[str, Any]:
    return client.post("/v1/ask", json={"question": question, "remember": False}).json()


def test_the_book_answers_every_question_to_begin_with(client: TestClient):
    reply = client.get("/v1/questions").json()

    assert reply["book"]
    assert 1 <= len(reply["questions"]) <= 3
    for question in reply["questions"]:
        assert str(ask(client, question)["outcome"]).startswith("answered"), question


def test_after_an_answer_other_sections_are_suggested(client: TestClient):
    begun = client.get("/v1/questions").json()["questions"]
    answer = ask(client, begun[0])
    chunk_id = answer["citations"][0]["chunk_id"]

    after = client.get("/v1/questions", params={"after": chunk_id}).json()["questions"]
    assert begun[0] not in after
    assert len(after) == len(set(after)) <= 3


def test_a_chunk_that_is_not_in_the_book_is_said_to_be_unknown(client: TestClient):
    reply = client.get("/v1/questions", params={"after": "nowhere.md#0"})
    assert reply.status_code == 404


def test_a_publishable_key_is_enough(make_client, tmp_path: Path):
    keys = add_keys(f"sqlite:///{tmp_path / 'records.sqlite'}", KeyKind.PUBLISHABLE)
    client = make_client()

    assert client.get("/v1/questions").status_code == 401
    headers = {"authorization": f"Bearer {keys[0]}", "origin": ORIGIN}
    assert client.get("/v1/questions", headers=headers).status_code == 200
