"""Who gets in without a key: to a server that has none, and to what is for everybody."""

from __future__ import annotations

import asyncio

import pytest

from support.access_app import LOCAL, NOW, PAGE, House, bearer, raw

PUBLIC = "http://api.book.example"


@pytest.fixture
def house() -> House:
    return House(may_open=False)


@pytest.mark.parametrize("base_url", [LOCAL, "http://localhost:8000", "http://[::1]:8000"])
def test_a_server_without_keys_answers_its_own_machine(base_url: str):
    reply = House().get(base_url=base_url)
    assert reply.status_code == 200
    assert reply.json() == {"key": "open", "address": "127.0.0.1", "scopes": ["ask", "operate", "read"]}


def test_a_server_without_keys_ignores_the_key_that_a_client_must_send():
    assert House().get(headers=bearer("sk-anything")).status_code == 200


@pytest.mark.parametrize(
    ("base_url", "headers"),
    [
        (PUBLIC, {}),
        ("http://127.0.0.1.book.example", {}),
        (LOCAL, {"Origin": PAGE}),
        (LOCAL, {"Origin": "null"}),
        (PUBLIC, {"Origin": LOCAL}),
    ],
)
def test_a_server_without_keys_answers_no_page_from_elsewhere(base_url: str, headers: dict[str, str]):
    reply = House().get(base_url=base_url, headers=headers)
    assert reply.status_code == 403
    assert "without keys" in reply.json()["says"]


def test_a_server_without_keys_wants_to_know_its_name():
    sent = asyncio.run(raw(House(), headers=[]))
    assert sent[0]["status"] == 403


def test_a_page_on_this_machine_may_ask_a_server_without_keys():
    assert House().get(headers={"Origin": "http://localhost:3000"}).status_code == 200


def test_the_first_key_locks_a_running_server():
    house = House()
    assert house.get().status_code == 200
    key = house.keys.make()
    house.hands.time += 1.1
    assert house.get().status_code == 401
    assert house.get(headers=bearer(key)).status_code == 200


def test_a_server_that_others_reach_is_not_opened_by_revoking_its_last_key(house: House):
    key = house.keys.make()
    asyncio.run(house.keys.revoke(key.split("_")[1], NOW))
    assert house.get().status_code == 401


@pytest.mark.parametrize("path", ["/small/health", "/small/docs", "/small/openapi.json"])
def test_health_and_the_description_are_for_everybody_and_uncounted(house: House, path: str):
    house.keys.make()
    reply = house.get(path, base_url=PUBLIC)
    assert reply.status_code == 200
    assert "RateLimit-Limit" not in reply.headers


@pytest.mark.parametrize(
    "path",
    [
        "/small/health/",
        "/small//health",
        "/small/HEALTH",
        "/small/health/../ask",
        "/small/unknown",
        "/small/",
    ],
)
def test_nothing_else_is(house: House, path: str):
    house.keys.make()
    assert house.get(path).status_code == 401


def test_the_same_is_true_of_a_contract_at_the_root():
    house = House(may_open=False, prefix="/")
    house.keys.make()
    assert house.get("/health").status_code == 200
    assert house.get("/ask").status_code == 401
    assert house.get("/small/health").status_code == 401


def test_unknown_paths_and_methods_come_in_the_contracts_shape_with_a_key(house: House):
    key = house.keys.make()
    assert house.get("/small/unknown", headers=bearer(key)).json()["small"] == "not_found"
    assert house.post("/small/ask", headers=bearer(key)).json()["small"] == "method_not_allowed"


def test_what_is_not_http_does_not_get_around_the_guard(house: House):
    async def knocked() -> list[str]:
        told = list[str]()

        async def receive():
            return {"type": "websocket.connect"}

        async def send(message):
            told.append(message["type"])

        scope = {
            "type": "websocket",
            "path": "/small/ask",
            "headers": [],
            "root_path": "",
            "subprotocols": [],
        }
        await house.app(scope, receive, send)
        return told

    assert asyncio.run(knocked()) == ["websocket.close"]
