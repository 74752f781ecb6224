"""A reader who wants to be forgotten is, wholly; and nobody who may only read deletes anything."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glossator.model import KeyKind, Scope
from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.web.auth.keyring import make_key
from glossator.wiring.engine import keys_of
from support.proof_keys import add_keys, shows
from support.recorded_examples import OPENAPI
from support.web_app import serving

HELLO = "hello"
GROUNDING = "/contracts/grounding/chat"
KNOWS_USERS = re.compile(r'"user(_id)?": \{')
"""A field of a request, in an OpenAPI document."""


def add_key(url: str, *scopes: Scope) -> str:
    made = make_key(KeyKind.SECRET, datetime.now(UTC), scopes=scopes)

    async def add() -> None:
        async with keys_of(Settings(database_url=url)) as keys:  # type: ignore[arg-type]
            await keys.add(made.key)

    asyncio.run(add())
    return made.shown


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    records = tmp_path_factory.mktemp("erasing") / "records.sqlite"
    url = f"sqlite:///{records}"
    [publishable] = add_keys(url, KeyKind.PUBLISHABLE)
    return {
        "records": records,
        "publishable": publishable,
        "asks": add_key(url, Scope.ASK),
        "reads": add_key(url, Scope.READ),
        "default": add_key(url, Scope.ASK, Scope.READ),
        "operates": add_key(url, Scope.OPERATE),
    }


@pytest.fixture(scope="module")
def client(home: Path, embedder: Embedder, shown: dict[str, Any]) -> Iterator[TestClient]:
    with serving(home, embedder, shown["records"]) as opened:
        yield opened


def ask(client: TestClient, key: str, user: str) -> dict[str, Any]:
    reply = client.post("/v1/ask", json={"question": HELLO, "user": user}, headers=shows(key))
    assert reply.status_code == 200, reply.text
    return reply.json()["session"]


def ask_in_grounding(client: TestClient, key: str, user: str) -> str:
    """A question in a session that was opened for the user; requests there name none."""
    opened = client.post(f"{GROUNDING}/session", json={"user_id": user}, headers=shows(key))
    session_id = opened.json()["session_id"]
    asked = {"query_text": HELLO, "conversation_id": session_id}
    assert client.post(GROUNDING, json=asked, headers=shows(key)).status_code == 200
    return session_id


def read_in_grounding(client: TestClient, key: str, session_id: str) -> int:
    return client.get(f"{GROUNDING}/session/{session_id}", headers=shows(key)).status_code


@pytest.mark.parametrize(
    "user", ["ada", "../../etc/ada", "a/d/a", "..", "ada lovelace?&=#%2F", "آدا", "\"ada'"]
)
def test_an_operator_erases_a_reader_under_every_key_and_in_every_contract(
    client: TestClient, shown: dict[str, Any], user: str
) -> None:
    user = f"{user} {uuid.uuid4()}" if user != ".." else user
    for key in (shown["publishable"], shown["default"]):
        ask(client, key, user)
    course = {"user_id": user, "message": HELLO}
    assert (
        client.post("/contracts/course/chat", json=course, headers=shows(shown["default"])).status_code == 200
    )
    opened = client.post("/v1/sessions", json={"user": user}, headers=shows(shown["default"]))
    assert opened.status_code == 201
    # The OpenAI contract takes a user too, and stores nothing.
    said = {"model": "glossator", "messages": [{"role": "user", "content": HELLO}], "user": user}
    completed = client.post("/openai/v1/chat/completions", json=said, headers=shows(shown["default"]))
    assert completed.status_code == 200
    grounding = ask_in_grounding(client, shown["default"], user)
    other = ask(client, shown["default"], f"{user}2")
    others_grounding = ask_in_grounding(client, shown["default"], f"{user}2")
    reply = client.delete("/v1/users", params={"user": user}, headers=shows(shown["operates"]))
    assert reply.json()["user"] == user
    assert reply.json()["erased"] == {"sessions": 5, "exchanges": 4, "feedback": 0, "unanswered": 0}
    assert read_in_grounding(client, shown["default"], grounding) == 404
    assert read_in_grounding(client, shown["default"], others_grounding) == 200
    again = client.delete("/v1/users", params={"user": user}, headers=shows(shown["operates"]))
    assert again.json()["erased"]["sessions"] == 0
    left = client.get(
        f"/v1/sessions/{other['id']}", params={"user": f"{user}2"}, headers=shows(shown["default"])
    )
    assert left.status_code == 200


def test_the_contracts_in_which_a_reader_is_erased_are_all_that_know_users() -> None:
    documents = {path.stem: path.read_text("utf-8") for path in OPENAPI.glob("*.json")}
    assert {name for name, document in documents.items() if KNOWS_USERS.search(document)} == {
        *("native", "course", "grounding", "openai")
    }


@pytest.mark.parametrize("key", ["publishable", "asks", "reads", "default"])
def test_nobody_else_does(client: TestClient, shown: dict[str, Any], key: str) -> None:
    for path in ("/v1/users?user=ada", "/v1/users/ada"):
        assert client.delete(path, headers=shows(shown[key])).status_code == 403


def test_a_readers_own_session_erases_itself_and_no_other_of_that_name(
    client: TestClient, shown: dict[str, Any]
) -> None:
    key, user = shown["publishable"], f"ada {uuid.uuid4()}"
    mine, theirs = ask(client, key, user), ask(client, key, user)
    named = {"user": user, "session": mine["id"]}
    for token in (None, theirs["token"]):
        headers = shows(key) | ({"x-glossator-session": token} if token else {})
        assert client.delete("/v1/users", params=named, headers=headers).status_code == 404
    headers = shows(key) | {"x-glossator-session": mine["token"]}
    reply = client.delete("/v1/users", params=named, headers=headers)
    assert reply.json()["erased"] == {"sessions": 1, "exchanges": 1, "feedback": 0, "unanswered": 0}
    assert client.delete("/v1/users", params=named, headers=headers).status_code == 404
    headers = shows(key) | {"x-glossator-session": theirs["token"]}
    left = client.get(f"/v1/sessions/{theirs['id']}", params={"user": user}, headers=headers)
    assert left.status_code == 200


def test_a_key_that_only_reads_deletes_and_empties_nothing(client: TestClient, shown: dict[str, Any]) -> None:
    headers, name = shows(shown["reads"]), str(uuid.uuid4())
    tried = [
        ("DELETE", f"/v1/sessions/{name}"),
        ("POST", f"/v1/sessions/{name}/reset"),
        ("DELETE", f"/contracts/threads/session/{name}"),
        ("POST", f"/contracts/grounding/chat/session/{name}/reset"),
        ("DELETE", f"/contracts/course/history?session_id={name}&user_id=ada"),
    ]
    assert [client.request(*request, headers=headers).status_code for request in tried] == [403] * 5
    asks = shows(shown["asks"])
    assert [client.request(*request, headers=asks).status_code for request in tried] == [404] * 5
