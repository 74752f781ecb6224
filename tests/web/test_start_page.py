"""The page at `/` of a server that shows no book."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.testclient import TestClient

from glossator.model import Contract, KeyKind
from support.proof_keys import add_keys


def test_it_says_what_this_is_and_every_address_on_it_answers(client: TestClient):
    page = client.get("/")

    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "answers readers’ questions about a book" in page.text
    addresses = re.findall(r'href="([^"]+)"', page.text)
    assert {"v1/docs", "contracts/threads/docs", "livez", "readyz", "desk/"} <= set(addresses)
    for address in addresses:
        assert client.get(f"/{address}").status_code == 200, address


def test_it_needs_no_key_and_names_no_book(make_client, tmp_path: Path):
    add_keys(f"sqlite:///{tmp_path / 'records.sqlite'}", KeyKind.PUBLISHABLE)
    locked = make_client()

    page = locked.get("/")
    assert page.status_code == 200
    assert locked.get("/v1/chapters").status_code == 401
    assert page.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_contract_at_the_root_keeps_its_own_errors(make_client):
    client = make_client(root_contract=Contract.THREADS)

    assert client.get("/").headers["content-type"].startswith("text/html")
    assert client.post("/", json={}).json()["error"] == "NOT_FOUND"
    assert client.get("/health").status_code == 200
