"""Who gets in with a key: a small contract behind the guard, asked as a server, a page and a stranger would."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx2
import pytest
from starlette.responses import Response
from starlette.types import Receive, Send
from starlette.types import Scope as Request

from glossator.model import Contract, KeyKind, Scope
from glossator.sessions.limits import ConcurrencyLimiter
from glossator.web.auth.keyring import anonymous_key
from glossator.web.middleware.guard import ContractTerms, Guard
from support.access_app import LOCAL, NOW, PAGE, House, bearer, render


@pytest.fixture
def house() -> House:
    return House(may_open=False)


def test_a_key_is_needed_and_the_contract_says_so_in_its_own_body(house: House):
    house.keys.make()
    reply = house.get()
    assert reply.status_code == 401
    assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert reply.json() == {
        "small": "unauthorized",
        "says": "A key is needed: send it as `Authorization: Bearer …`.",
    }


@pytest.mark.parametrize("name", ["Authorization", "X-API-Key"])
def test_a_key_is_sent_in_a_header(house: House, name: str):
    key = house.keys.make()
    value = f"Bearer {key}" if name == "Authorization" else key
    reply = house.get(headers={name: value})
    assert reply.status_code == 200
    assert reply.json()["key"] == key.split("_")[1]


@pytest.mark.parametrize("form", ["bearer {}", "BEARER   {}  ", "Bearer\t{}"])
def test_the_word_before_a_key_is_written_as_one_likes(house: House, form: str):
    key = house.keys.make()
    expected = 401 if "\t" in form else 200
    assert house.get(headers={"Authorization": form.format(key)}).status_code == expected


def test_a_key_in_the_address_is_not_looked_at(house: House):
    key = house.keys.make()
    for name in ("key", "api_key", "token", "access_token", "Authorization"):
        assert house.get(f"/small/ask?{name}={key}").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer ")],
        [("Authorization", "")],
        [("Authorization", "Basic c2s6eA==")],
        [("Authorization", "Bearer sk_aaaaaaaaaa_wrong")],
        [("Authorization", b"Bearer \xff\xfe\x80")],
        [("Authorization", "Bearer " + "x" * 60_000)],
        [("Authorization", "Bearer sk_a_b, Bearer sk_c_d")],
        [("X-API-Key", "")],
        [("X-API-Key", b"\xe2\x82\xac")],
        [("Authorization", "Bearer a"), ("Authorization", "Bearer b")],
    ],
)
def test_what_is_no_key_opens_nothing_and_is_not_repeated(
    house: House, headers: list[tuple[str, str | bytes]]
):
    house.keys.make()
    reply = house.get(headers=[(name, value) for name, value in headers])
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert reply.json()["says"] in {
        "A key is needed: send it as `Authorization: Bearer …`.",
        "The key is not valid.",
        "Several different keys were sent.",
    }


def test_two_different_keys_in_one_request_are_refused_though_both_are_good(house: House):
    one, other = house.keys.make(), house.keys.make()
    for headers in (
        [("Authorization", f"Bearer {one}"), ("Authorization", f"Bearer {other}")],
        [("Authorization", f"Bearer {one}"), ("X-API-Key", other)],
    ):
        assert house.get(headers=headers).status_code == 401
    assert house.get(headers=[("Authorization", f"Bearer {one}"), ("X-API-Key", one)]).status_code == 200


def test_a_password_for_a_proxy_does_not_stand_in_the_way_of_a_key(house: House):
    key = house.keys.make()
    headers = [("Authorization", "Basic c2s6eA=="), ("X-API-Key", key)]
    assert house.get(headers=headers).status_code == 200


def test_a_key_revoked_while_the_server_runs_is_refused_within_a_second(house: House):
    key = house.keys.make()

    async def revoked() -> None:
        async with house.client() as client:
            assert (await client.get("/small/ask", headers=bearer(key))).status_code == 200
            await house.keys.revoke(key.split("_")[1], NOW)
            house.hands.time += 1.1
            assert (await client.get("/small/ask", headers=bearer(key))).status_code == 401

    asyncio.run(revoked())


def test_a_key_goes_on_while_the_database_is_down_and_an_unknown_start_is_a_503(house: House):
    key = house.keys.make()
    house.keys.is_down = True
    reply = house.get(headers=bearer(key))
    assert (reply.status_code, reply.json()["small"]) == (503, "database_unavailable")
    assert int(reply.headers["Retry-After"]) >= 1
    house.keys.is_down = False
    house.hands.time += 1.1
    assert house.get(headers=bearer(key)).status_code == 200
    house.keys.is_down = True
    house.hands.time += 1.1
    assert house.get(headers=bearer(key)).status_code == 200
    assert house.get(headers=bearer("sk_a_b")).status_code == 401


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        ([Scope.ASK], {"ask"}),
        ([Scope.READ], {"search"}),
        ([Scope.OPERATE], {"admin"}),
        ([], {"ask", "search"}),
        (list(Scope), {"ask", "search", "admin"}),
    ],
)
def test_a_secret_key_opens_what_its_scopes_name(house: House, scopes: list[Scope], allowed: set[str]):
    key = house.keys.make(scopes=scopes)
    for path in ("ask", "search", "admin"):
        reply = house.get(f"/small/{path}", headers=bearer(key))
        assert reply.status_code == (200 if path in allowed else 403)
        if path not in allowed:
            assert reply.json() == {"small": "forbidden", "says": "This key may not do that."}


def test_a_publishable_key_asks_from_its_own_pages_only(house: House):
    key = house.keys.make(KeyKind.PUBLISHABLE, origins=[PAGE, "http://localhost:3000"])
    for origin in (PAGE, "http://localhost:3000"):
        assert house.get(headers=bearer(key, Origin=origin)).status_code == 200
    for path in ("search", "admin"):
        assert house.get(f"/small/{path}", headers=bearer(key, Origin=PAGE)).status_code == 403


@pytest.mark.parametrize(
    "origins",
    [
        [],
        [""],
        ["null"],
        ["*"],
        ["http://book.example"],
        ["https://book.example/"],
        ["https://book.example:443"],
        ["https://BOOK.example"],
        ["https://book.example.evil.example"],
        ["https://evil-book.example"],
        ["https://book.example", "https://book.example"],
        ["https://book.example, https://evil.example"],
    ],
)
def test_a_publishable_key_is_refused_elsewhere(house: House, origins: list[str]):
    key = house.keys.make(KeyKind.PUBLISHABLE)
    headers = [("Authorization", f"Bearer {key}"), *(("Origin", origin) for origin in origins)]
    reply = house.get(headers=headers)
    assert reply.status_code == 403
    assert reply.json() == {"small": "forbidden", "says": "This key may not be used from this page."}


def test_a_page_of_the_server_itself_reads_without_naming_its_origin(house: House):
    key = house.keys.make(KeyKind.PUBLISHABLE)
    own = bearer(key, Host="book.example", **{"Sec-Fetch-Site": "same-origin"})
    assert house.get(headers=own).status_code == 200
    for other in (
        {"Host": "other.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://other.example"},
    ):
        assert house.get(headers={**own, **other}).status_code == 403


def test_a_publishable_key_reaches_a_session_with_its_token_only(house: House):
    key = house.keys.make(KeyKind.PUBLISHABLE)
    page = bearer(key, Origin=PAGE)
    opened = house.post("/small/sessions/one", headers=page).json()
    assert opened["opening"] == "always"
    token = opened["token"]
    with_token = {**page, "X-Glossator-Session": token}
    assert house.get("/small/sessions/one", headers=with_token).json()["key"] == key.split("_")[1]
    for headers in (page, {**page, "X-Glossator-Session": "x"}):
        reply = house.get("/small/sessions/one", headers=headers)
        assert (reply.status_code, reply.json()["small"]) == (404, "not_found")
    # The same for one that is there and one that is not.
    assert house.get("/small/sessions/two", headers=with_token).content == reply.content
    again = house.post("/small/sessions/one", headers=with_token).json()
    assert again["opening"] == "if_unknown"
    assert house.get(
        "/small/sessions/one", headers={**page, "X-Glossator-Session": again["token"]}
    ).is_success


def test_a_token_is_for_the_key_and_the_user_that_it_was_given_to(house: House):
    key, other = house.keys.make(KeyKind.PUBLISHABLE), house.keys.make(KeyKind.PUBLISHABLE)
    token = house.post("/small/sessions/one", headers=bearer(key, Origin=PAGE)).json()["token"]
    proof = {"Origin": PAGE, "X-Glossator-Session": token}
    assert house.get("/small/sessions/one", headers=bearer(key, **proof)).status_code == 200
    assert house.get("/small/sessions/one", headers=bearer(other, **proof)).status_code == 404
    assert house.get("/small/sessions/one?user=ann", headers=bearer(key, **proof)).status_code == 404
    assert house.post("/small/sessions/one", headers=bearer(other, **proof)).json()["opening"] == "always"


def test_a_secret_key_needs_no_token_but_the_scope(house: House):
    reader, turn_runner = house.keys.make(), house.keys.make(scopes=[Scope.ASK])
    assert house.get("/small/sessions/one?user=ann", headers=bearer(reader)).json()["user"] == "ann"
    assert house.post("/small/sessions/one", headers=bearer(turn_runner)).json() == {
        "opening": "if_unknown",
        "token": None,
    }
    assert house.get("/small/sessions/one", headers=bearer(turn_runner)).status_code == 403


def test_a_page_without_a_key_is_taken_as_the_key_that_stands_for_its_origin(house: House):
    house.keys.make(KeyKind.PUBLISHABLE, origins=["https://other.example"], is_anonymous=True)
    key = house.keys.make(KeyKind.PUBLISHABLE, is_anonymous=True)
    reply = house.get(headers={"Origin": PAGE})
    assert (reply.status_code, reply.json()["key"]) == (200, key.split("_")[1])
    assert reply.json()["scopes"] == ["ask"]
    assert house.get("/small/search", headers={"Origin": PAGE}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Origin", "https://elsewhere.example")],
        [("Origin", "null")],
        [("Origin", PAGE), ("Origin", PAGE)],
        [("Origin", PAGE), ("Authorization", "Bearer pk_aaaaaaaaaa_wrong")],
        [("Origin", PAGE), ("X-API-Key", "")],
        [("Sec-Fetch-Site", "same-origin")],
        [("Sec-Fetch-Site", "cross-site"), ("Host", "book.example")],
    ],
)
def test_nothing_but_the_origin_of_a_page_stands_for_a_key(house: House, headers: list[tuple[str, str]]):
    house.keys.make(KeyKind.PUBLISHABLE, is_anonymous=True)
    assert house.get(headers=headers).status_code == 401


def test_a_key_that_is_not_anonymous_stands_for_no_origin(house: House):
    house.keys.make(KeyKind.PUBLISHABLE)
    assert house.get(headers={"Origin": PAGE}).status_code == 401


def test_a_page_of_this_very_server_names_no_origin_when_it_reads(house: House):
    house.keys.make(KeyKind.PUBLISHABLE, is_anonymous=True)
    own = {"Sec-Fetch-Site": "same-origin", "Host": "book.example"}
    assert house.get(headers=own).status_code == 200


def test_readers_without_a_key_are_counted_by_their_address():
    house = House(may_open=False, per_minute=2, trusted_proxies=("127.0.0.1",))
    house.keys.make(KeyKind.PUBLISHABLE, is_anonymous=True)

    def from_address(address: str) -> int:
        return house.get(headers={"Origin": PAGE, "X-Forwarded-For": address}).status_code

    assert [from_address("203.0.113.1") for _ in range(3)] == [200, 200, 429]
    assert from_address("203.0.113.2") == 200


def test_origins_in_the_settings_stand_for_a_key_that_nobody_can_send():
    house = House(may_open=True, given=[anonymous_key([PAGE], NOW)])
    assert house.get(headers={"Origin": PAGE}).json()["key"] == "anonymous"
    assert house.get().status_code == 401
    for guess in ("pk_anonymous_", "pk_anonymous_x", "anonymous"):
        assert house.get(headers=bearer(guess, Origin=PAGE)).status_code == 401


class Waiting:
    """A contract whose questions never come to their place, so that all of them are on their way."""

    def __init__(self) -> None:
        self.reached = 0
        self.go = asyncio.Event()

    async def __call__(self, scope: Request, receive: Receive, send: Send) -> None:
        self.reached += 1
        await self.go.wait()
        await Response()(scope, receive, send)


def test_of_a_burst_only_as_many_reach_the_contract_as_the_caller_has_room_for(house: House):
    key = house.keys.make()

    async def burst() -> None:
        limiter, contract = ConcurrencyLimiter(running=2, waiting=2), Waiting()
        access = replace(house.access, check_room=limiter.check_room, arrive=limiter.arrive)
        guard = Guard(contract, access, ContractTerms(Contract.NATIVE, render, 100, asks=frozenset({"/ask"})))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(guard), base_url=LOCAL) as client:
            asking = [
                asyncio.create_task(client.post("/ask", content=b"x", headers=bearer(key))) for _ in range(10)
            ]
            while contract.reached + limiter.refused < len(asking):
                await asyncio.sleep(0)
            assert (contract.reached, limiter.refused) == (4, 6)
            contract.go.set()
            replies = await asyncio.gather(*asking)
            assert sorted(reply.status_code for reply in replies) == [200] * 4 + [503] * 6
            assert (await client.post("/ask", content=b"x", headers=bearer(key))).status_code == 200

    asyncio.run(burst())
