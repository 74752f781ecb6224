"""What a page may read of our replies, by the origins of the keys."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from glossator.model import KeyKind
from support.access_app import BODY_BYTES, NOW, PAGE, House, bearer

ASKED = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
}


def _preflight(house: House, origin: str, path: str = "/small/ask") -> httpx2.Response:
    return house.send("OPTIONS", path, headers={"Origin": origin, **ASKED})


@pytest.fixture
def house() -> House:
    house = House(may_open=False)
    house.keys.make(KeyKind.PUBLISHABLE, origins=[PAGE, "http://localhost:3000"])
    house.keys.make(KeyKind.PUBLISHABLE, origins=["https://other.example"])
    return house


@pytest.mark.parametrize("origin", [PAGE, "http://localhost:3000", "https://other.example"])
@pytest.mark.parametrize("path", ["/small/ask", "/nowhere"])
def test_a_page_of_a_key_may_send_what_it_needs_to(house: House, origin: str, path: str):
    reply = _preflight(house, origin, path)
    assert reply.status_code == 204
    assert reply.content == b""
    assert reply.headers["Access-Control-Allow-Origin"] == origin
    assert reply.headers["Access-Control-Max-Age"] == "600"
    assert reply.headers["Access-Control-Allow-Methods"] == "GET, POST, DELETE"
    assert {name.strip().lower() for name in reply.headers["Access-Control-Allow-Headers"].split(",")} == {
        "accept",
        "authorization",
        "content-type",
        "idempotency-key",
        "last-event-id",
        "mcp-protocol-version",
        "mcp-session-id",
        "traceparent",
        "x-api-key",
        "x-glossator-session",
        "x-glossator-trace",
    }
    assert "Origin" in reply.headers["Vary"]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "*", "", "http://book.example", f"{PAGE}:8443"]
)
def test_other_pages_may_not(house: House, origin: str):
    for reply in (_preflight(house, origin), house.get(headers={"Origin": origin})):
        assert reply.status_code in (401, 403)
        assert not [name for name in reply.headers if name.startswith("access-control")]


def test_a_reply_is_readable_by_the_page_that_asked(house: House):
    shown = house.keys.make(KeyKind.PUBLISHABLE)
    reply = house.get(headers=bearer(shown, Origin=PAGE))
    assert reply.status_code == 200
    assert reply.headers["Access-Control-Allow-Origin"] == PAGE
    exposed = {name.strip().lower() for name in reply.headers["Access-Control-Expose-Headers"].split(",")}
    assert {
        "retry-after",
        "ratelimit-remaining",
        "x-ratelimit-reset",
        "x-trace-id",
        "x-glossator-session",
    } <= exposed


def test_so_is_every_refusal():
    house = House(may_open=False, per_minute=3)
    key = house.keys.make(KeyKind.PUBLISHABLE)
    page = bearer(key, Origin=PAGE)
    replies = [
        house.get(headers={"Origin": PAGE}),
        house.get("/small/search", headers=page),
        house.post(content=b"x" * (BODY_BYTES + 1), headers=page),
        house.get("/small/broken", headers=page),
        house.get(headers=page),
        house.get("/nowhere", headers=page),
    ]
    assert [reply.status_code for reply in replies] == [401, 403, 413, 500, 429, 404]
    assert {reply.headers["Access-Control-Allow-Origin"] for reply in replies} == {PAGE}


def test_never_everybody_and_never_with_credentials(house: House):
    for reply in (_preflight(house, PAGE), house.get(headers={"Origin": PAGE})):
        assert reply.headers["Access-Control-Allow-Origin"] == PAGE
        assert "Access-Control-Allow-Credentials" not in reply.headers


def test_a_cache_keeps_replies_apart_by_page(house: House):
    for headers in ({}, {"Origin": PAGE}, {"Origin": "https://evil.example"}):
        assert "Origin" in house.get("/small/health", headers=headers).headers["Vary"]


def test_two_origins_in_one_request_are_none(house: House):
    reply = house.get("/small/health", headers=[("Origin", PAGE), ("Origin", PAGE)])
    assert "Access-Control-Allow-Origin" not in reply.headers


def test_pages_come_and_go_with_their_keys(house: House):
    new = "https://new.example"
    assert _preflight(house, new).status_code == 403
    key = house.keys.make(KeyKind.PUBLISHABLE, origins=[new])
    house.hands.time += 1.1
    assert _preflight(house, new).status_code == 204
    asyncio.run(house.keys.revoke(key.split("_")[1], NOW))
    house.hands.time += 1.1
    assert _preflight(house, new).status_code == 403


def test_pages_of_this_machine_may_read_a_server_without_keys_until_it_has_one():
    house = House()
    local = "http://localhost:3000"
    assert _preflight(house, local).status_code == 204
    assert house.get(headers={"Origin": local}).headers["Access-Control-Allow-Origin"] == local
    assert _preflight(house, PAGE).status_code == 403
    house.keys.make()
    house.hands.time += 1.1
    assert _preflight(house, local).status_code == 403


def test_while_the_keys_cannot_be_read_no_page_is_known():
    house = House()
    house.keys.is_down = True
    for origin in (PAGE, "http://localhost:3000"):
        assert _preflight(house, origin).status_code == 403
        assert house.get(headers={"Origin": origin}).status_code == 503


def test_an_options_request_that_is_no_preflight_goes_to_the_contract(house: House):
    reply = house.send("OPTIONS", "/small/ask", headers={"Origin": PAGE})
    assert (reply.status_code, reply.json()["small"]) == (405, "method_not_allowed")
    assert reply.headers["Access-Control-Allow-Origin"] == PAGE
