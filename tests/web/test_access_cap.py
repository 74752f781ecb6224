"""What they may bring, and what reaches the contract and comes back."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from support.access_app import BODY_BYTES, House, bearer, raw


@pytest.fixture
def house() -> House:
    return House(may_open=False)


def test_a_stream_comes_through_piece_by_piece(house: House):
    key = house.keys.make()
    started = list[str]()

    async def streamed() -> None:
        messages = await raw(
            house, path="/small/stream", headers=[(b"authorization", f"Bearer {key}".encode())]
        )
        started.extend(message["type"] for message in messages)
        assert [message["body"] for message in messages[1:4]] == [
            b"data: 0\n\n",
            b"data: 1\n\n",
            b"data: 2\n\n",
        ]

    asyncio.run(streamed())
    assert started.count("http.response.body") >= 3


def test_a_body_within_the_cap_arrives_whole(house: House):
    key = house.keys.make()
    for size in (0, 1, BODY_BYTES):
        assert house.post(content=b"x" * size, headers=bearer(key)).json() == {"bytes": size}


def test_a_body_over_the_cap_is_refused_before_it_is_parsed(house: House):
    key = house.keys.make()
    for path in ("/small/echo", "/small/json", "/small/unknown"):
        reply = house.post(path, content=b"{" * (BODY_BYTES + 1), headers=bearer(key))
        assert (reply.status_code, reply.json()) == (
            413,
            {"small": "too_large", "says": "The request is too large."},
        )


def test_a_body_without_a_length_is_counted_while_it_comes_and_not_for_ever(house: House):
    key = house.keys.make()

    async def endless():
        while True:
            yield b"x" * 100_000

    async def sent() -> httpx2.Response:
        async with house.client() as client, asyncio.timeout(20):
            return await client.post("/small/echo", content=endless(), headers=bearer(key))

    assert asyncio.run(sent()).status_code == 413


@pytest.mark.parametrize("length", ["99999999999999999999999", "9" * 5000, str(BODY_BYTES + 1)])
def test_a_body_that_says_it_is_too_long_is_not_read(house: House, length: str):
    key = house.keys.make()
    headers = [(b"authorization", f"Bearer {key}".encode()), (b"content-length", length.encode())]
    messages = asyncio.run(raw(house, method="POST", path="/small/echo", headers=headers, body=None))
    assert messages[0]["status"] == 413


@pytest.mark.parametrize("length", ["", "-5", "0x10", "٣", "1e9"])
def test_a_length_that_is_no_number_is_not_believed(house: House, length: str):
    key = house.keys.make()
    headers = [(b"authorization", f"Bearer {key}".encode()), (b"content-length", length.encode())]
    body = b"x" * (BODY_BYTES + 1)
    messages = asyncio.run(raw(house, method="POST", path="/small/echo", headers=headers, body=body))
    assert messages[0]["status"] == 413


def test_a_body_that_ends_in_the_middle_is_none(house: House):
    """A caller who leaves looks like one whose chunks are malformed; the latter must hear of it."""
    key = house.keys.make()
    headers = [(b"authorization", f"Bearer {key}".encode())]
    messages = asyncio.run(raw(house, method="POST", path="/small/echo", headers=headers, leaves=True))
    assert messages[0]["status"] == 400


def test_requests_do_not_share_what_the_guard_knows(house: House):
    """Even where a server hands the same state to all of them."""
    one, other = house.keys.make(), house.keys.make()
    shared = dict[str, object]()

    async def both() -> list[list[dict[str, Any]]]:
        return await asyncio.gather(
            *(
                raw(house, path="/small/ask", headers=[(b"x-api-key", key.encode())], state=shared)
                for key in (one, other)
            )
        )

    replies = asyncio.run(both())
    assert one.split("_")[1].encode() in replies[0][1]["body"]
    assert other.split("_")[1].encode() in replies[1][1]["body"]
    assert shared == {}
