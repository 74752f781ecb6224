"""The widget's files, which any page of any site may load."""

from __future__ import annotations

import gzip
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from glossator.model import KeyKind
from support.proof_keys import ORIGIN, add_keys

TYPES = {
    "widget.js": "text/javascript; charset=utf-8",
    "widget.js.map": "application/json",
    "widget.d.ts": "text/plain; charset=utf-8",
}
PLAIN = {"accept-encoding": "identity"}


@pytest.mark.parametrize("name", TYPES)
def test_a_page_anywhere_gets_the_file_that_is_in_the_package(client: TestClient, name: str):
    reply = client.get(f"/{name}", headers={**PLAIN, "origin": "https://somebody.example"})

    assert reply.status_code == 200
    assert reply.content == files("glossator.web.widget").joinpath(name).read_bytes()
    assert reply.headers["content-type"] == TYPES[name]
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["cross-origin-resource-policy"] == "cross-origin"
    assert reply.headers["cache-control"] == "public, max-age=300, stale-while-revalidate=86400"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "accept-encoding" in reply.headers["vary"].lower()


def test_a_key_is_not_needed_and_nothing_is_said_of_limits(make_client, tmp_path: Path):
    add_keys(f"sqlite:///{tmp_path / 'records.sqlite'}", KeyKind.PUBLISHABLE)
    locked = make_client()

    assert locked.post("/v1/ask", json={"question": "What is a topic?"}).status_code == 401
    reply = locked.get("/widget.js", headers={"origin": ORIGIN})
    assert reply.status_code == 200
    assert reply.headers["access-control-allow-origin"] in ("*", ORIGIN)
    assert "ratelimit-limit" not in reply.headers


@pytest.mark.parametrize(
    ("said", "is_small"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5, zstd", True),
        ("X-GZIP", True),
        ("*", True),
        ("*;q=0, gzip", True),
        ("gzip;q=0, *", False),
        ("GZIP ; q=0.000", False),
        ("br", False),
        ("identity", False),
        ("gzipped", False),
        ("", False),
    ],
)
def test_it_is_compressed_for_who_takes_it(client: TestClient, said: str, is_small: bool):
    with client.stream("GET", "/widget.js", headers={"accept-encoding": said}) as reply:
        sent = b"".join(reply.iter_raw())

    assert reply.headers.get("content-encoding") == ("gzip" if is_small else None)
    assert int(reply.headers["content-length"]) == len(sent)
    whole = files("glossator.web.widget").joinpath("widget.js").read_bytes()
    assert (gzip.decompress(sent) if is_small else sent) == whole


@pytest.mark.parametrize("name", TYPES)
def test_who_has_it_already_is_told_so(client: TestClient, name: str):
    small, plain = (
        client.get(f"/{name}", headers={"accept-encoding": said}) for said in ("gzip", "identity")
    )
    assert small.headers["etag"] != plain.headers["etag"]

    for known in (plain.headers["etag"], f'"other", W/{plain.headers["etag"]}', "*"):
        reply = client.get(f"/{name}", headers={**PLAIN, "if-none-match": known})
        assert (reply.status_code, reply.content) == (304, b"")
        assert reply.headers["etag"] == plain.headers["etag"]
        assert reply.headers["cache-control"] == plain.headers["cache-control"]
        assert reply.headers["vary"] == plain.headers["vary"]
    stale = client.get(f"/{name}", headers={**PLAIN, "if-none-match": small.headers["etag"]})
    assert stale.status_code == 200


def test_a_look_at_its_head_says_the_same_and_has_no_body(client: TestClient):
    head, whole = client.head("/widget.js"), client.get("/widget.js")

    assert head.content == b""
    assert {**head.headers, "x-trace-id": ""} == {**whole.headers, "x-trace-id": ""}


def test_it_cannot_be_written(client: TestClient):
    assert client.post("/widget.js").status_code == 405
