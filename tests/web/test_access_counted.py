"""How often they get in, and what every reply says of it."""

from __future__ import annotations

import pytest

from glossator.model import KeyKind
from support.access_app import PAGE, House, bearer


@pytest.fixture
def house() -> House:
    return House(may_open=False)


def test_every_reply_says_how_the_caller_stands():
    house = House(may_open=False, per_minute=10)
    key = house.keys.make()
    for number, (method, path) in enumerate(
        [("GET", "ask"), ("GET", "unknown"), ("POST", "json"), ("GET", "broken"), ("GET", "stream")], 1
    ):
        reply = house.send(method, f"/small/{path}", headers=bearer(key))
        assert reply.headers["RateLimit-Limit"] == "10"
        assert reply.headers["RateLimit-Remaining"] == str(10 - number)
        assert reply.headers["RateLimit-Reset"] == "60"


def test_an_unexpected_failure_shows_nothing(house: House):
    reply = house.get("/small/broken", headers=bearer(house.keys.make()))
    assert (reply.status_code, reply.json()["small"]) == (500, "internal")
    assert "must not be shown" not in reply.text


def test_beyond_the_limit_a_caller_is_told_when_to_come_back():
    house = House(may_open=False, per_minute=2)
    key = house.keys.make()
    for _ in range(2):
        assert house.get(headers=bearer(key)).status_code == 200
    house.hands.time += 20.5
    reply = house.get(headers=bearer(key))
    assert (reply.status_code, reply.json()["small"]) == (429, "rate_limited")
    assert (reply.headers["Retry-After"], reply.headers["RateLimit-Remaining"]) == ("40", "0")
    house.hands.time += 40
    assert house.get(headers=bearer(key)).status_code == 200


def test_a_secret_key_is_counted_wherever_it_comes_from_and_each_for_itself():
    house = House(may_open=False, per_minute=1)
    one, other = house.keys.make(), house.keys.make()
    assert house.get(headers=bearer(one)).status_code == 200
    house.peer = ("203.0.113.9", 1)
    assert house.get(headers=bearer(one)).status_code == 429
    assert house.get(headers=bearer(other)).status_code == 200


def test_a_publishable_key_is_counted_by_address():
    house = House(may_open=False, per_minute=1)
    page = bearer(house.keys.make(KeyKind.PUBLISHABLE), Origin=PAGE)
    statuses = list[int]()
    for peer in (
        "203.0.113.1",
        "203.0.113.1",
        "203.0.113.2",
        "2001:db8::1",
        "2001:db8::2",
        "2001:db8:0:1::2",
    ):
        house.peer = (peer, 1)
        statuses.append(house.get(headers=page).status_code)
    assert statuses == [200, 429, 200, 200, 429, 200]


def test_behind_a_trusted_proxy_readers_are_told_apart_by_what_it_says():
    house = House(may_open=False, per_minute=1, trusted_proxies=("127.0.0.1",))
    page = bearer(house.keys.make(KeyKind.PUBLISHABLE), Origin=PAGE)
    statuses = [
        house.get(headers={**page, "X-Forwarded-For": forwarded}).status_code
        for forwarded in ("203.0.113.1", "203.0.113.2", "1.2.3.4, 203.0.113.1")
    ]
    assert statuses == [200, 200, 429]


def test_nobody_escapes_the_limit_by_claiming_other_addresses():
    house = House(may_open=False, per_minute=1)
    page = bearer(house.keys.make(KeyKind.PUBLISHABLE), Origin=PAGE)
    statuses = [
        house.get(headers={**page, "X-Forwarded-For": f"203.0.113.{number}"}).status_code
        for number in range(3)
    ]
    assert statuses == [200, 429, 429]


def test_an_open_server_counts_by_address():
    house = House(per_minute=1)
    assert [house.get().status_code for _ in range(2)] == [200, 429]


def test_who_tries_keys_out_is_slowed_down_and_who_has_one_is_not():
    house = House(may_open=False, per_minute=3)
    key = house.keys.make()
    statuses = [house.get(headers=bearer(f"sk_aaaaaaaaaa_{number}")).status_code for number in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    refused = house.get()
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert house.get(headers=bearer(key)).headers["RateLimit-Remaining"] == "2"
    house.peer = ("203.0.113.9", 1)
    assert house.get(headers=bearer("sk_aaaaaaaaaa_x")).status_code == 401
