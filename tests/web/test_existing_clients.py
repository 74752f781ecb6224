"""Pages that were written for the first designs: they know a session's id, and nothing of keys and tokens."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from glossator.errors import SettingsError
from glossator.model import KeyKind
from glossator.settings import load_settings
from glossator.web.auth.caller import is_unguessable
from support.proof_contracts import COURSE, NATIVE, QUESTION, READ, SESSION_CONTRACTS, SessionContract
from support.recorded_examples import add_key, examples_of, play

SITE = "https://book.example"
AS_A_BROWSER = {
    "origin": SITE,
    "referer": f"{SITE}/",
    "accept": "*/*",
    "sec-fetch-mode": "cors",
    "sec-fetch-site": "cross-site",
}
ROOTS = {
    "citations": {"root_contract": "citations", "root_prefix": "/api/v1"},
    "course": {"root_contract": "course", "root_prefix": "/api"},
}
"""Where the pages of a contract call other paths than ours."""
BY_ID = [contract for contract in SESSION_CONTRACTS if contract is not NATIVE]

PATIENT = {"database_seconds": 60.0, "search_seconds": 60.0, "answer_seconds": 120.0}
"""A machine that is busy with other things is not what is tried here."""

MakeClient = Callable[..., TestClient]
Send = Callable[..., httpx2.Response]


@pytest.fixture
def make_page(make_client: MakeClient) -> Callable[..., TestClient]:
    def make(**settings: Any) -> TestClient:
        client = make_client(anonymous_origins=[SITE], **PATIENT, **settings)
        client.headers.update(AS_A_BROWSER)
        return client

    return make


@pytest.mark.parametrize("contract", examples_of("clients"))
def test_a_page_gets_through_its_conversation_by_changing_one_address(make_page: MakeClient, contract: str):
    play(make_page(**ROOTS.get(contract, {})), "clients", contract)


@pytest.mark.parametrize(
    "session_id",
    [
        "3f1c9a52-7b0e-4d68-9a41-c5e2d7086bf3",
        "3F1C9A52-7B0E-4D68-9A41-C5E2D7086BF3",
        "3f1c9a527b0e4d689a41c5e2d7086bf3",
    ],
)
def test_a_random_uuid_cannot_be_guessed(session_id: str):
    assert is_unguessable(session_id)


def test_neither_can_any_that_a_program_makes():
    assert all(is_unguessable(str(uuid.uuid4())) for _ in range(10_000))


@pytest.mark.parametrize(
    "session_id",
    [
        "",
        "1",
        "session-1",
        "7d8f1c6e-c3f0-11f0-9a41-0242ac120002",
        str(uuid.uuid5(uuid.NAMESPACE_DNS, "ada")),
        "00000000-0000-4000-8000-000000000000",
        "11111111-2222-4333-8444-555555555555",
        "3f1c9a52-7b0e-4d68-9a41-c5e2d7086bf3x",
        "x3f1c9a52-7b0e-4d68-9a41-c5e2d7086bf3",
        "3f1c9a52-7b0e4d68-9a41-c5e2d7086bf3",
        "3f1c9a52-7b0e-1d68-9a41-c5e2d7086bf3",
        "3f1c9a52-7b0e-4d68-1a41-c5e2d7086bf3",
        "user@example.org-4d68-9a41-c5e2d7086bf3",
    ],
)
def test_everything_else_might_be(session_id: str):
    assert not is_unguessable(session_id)


@pytest.fixture
def send(make_client: MakeClient) -> Send:
    """A request of a contract, from a page at some address."""
    client = make_client(anonymous_origins=[SITE], trusted_proxies=["192.0.2.0/24"], **PATIENT)

    def sent(request: Mapping[str, Any], address: str = "203.0.113.1") -> httpx2.Response:
        assert client.portal
        return client.portal.call(_sent, client, request, address)

    return sent


async def _sent(client: TestClient, request: Mapping[str, Any], address: str) -> httpx2.Response:
    transport = httpx2.ASGITransport(client.app, client=("192.0.2.1", 50_000))
    headers = {**AS_A_BROWSER, **request["headers"], "x-forwarded-for": address}
    async with httpx2.AsyncClient(transport=transport, base_url="http://book-server.example") as sender:
        return await sender.request(**{**request, "headers": headers})


def _ask(contract: SessionContract, session_id: str | None, user: str = "ada") -> dict[str, Any]:
    return contract.asks(QUESTION, session_id, user, {})


@pytest.mark.parametrize("contract", BY_ID, ids=lambda contract: contract.contract.value)
def test_an_id_that_could_be_guessed_is_another_session_at_another_address(
    send: Send, contract: SessionContract
):
    session_id = (
        str(uuid.uuid1()) if contract.contract != "threads" else "00000000-0000-4000-8000-000000000000"
    )
    assert send(_ask(contract, session_id)).status_code == 200
    read = contract.does(READ, session_id, "ada", {})
    assert contract.questions(send(read).json()) == [QUESTION]
    for verb in contract.verbs:
        assert send(contract.does(verb, session_id, "ada", {}), "203.0.113.2").status_code == 404
    assert send(_ask(contract, session_id), "203.0.113.2").status_code == 200
    assert contract.questions(send(read).json()) == [QUESTION]


@pytest.mark.parametrize("contract", BY_ID, ids=lambda contract: contract.contract.value)
def test_an_id_that_nobody_can_guess_is_enough_at_any_address(send: Send, contract: SessionContract):
    session_id = str(uuid.uuid4())
    reply = send(_ask(contract, session_id))
    assert (reply.status_code, "x-glossator-session" in reply.headers) == (200, False)
    assert send(_ask(contract, session_id), "203.0.113.2").status_code == 200
    read = send(contract.does(READ, session_id, "ada", {}), "203.0.113.3")
    assert contract.questions(read.json()) == [QUESTION, QUESTION]
    for verb in contract.verbs:
        reply = send(contract.does(verb, session_id, "ada", {}), "203.0.113.4")
        assert reply.status_code in {200, 204}, reply.text


@pytest.mark.parametrize("contract", BY_ID, ids=lambda contract: contract.contract.value)
def test_the_native_contract_keeps_its_tokens(send: Send, contract: SessionContract):
    session_id = send(_ask(NATIVE, None)).json()["session"]["id"]
    for verb in NATIVE.verbs:
        assert send(NATIVE.does(verb, session_id, "ada", {})).status_code == 404
    for verb in contract.verbs:
        assert send(contract.does(verb, session_id, "ada", {})).status_code == 404
    mine = str(uuid.uuid4())
    assert send(_ask(contract, mine)).status_code == 200
    for verb in NATIVE.verbs:
        assert send(NATIVE.does(verb, mine, "ada", {})).status_code == 404


def test_a_question_gets_into_no_session_of_another_contract(send: Send):
    opened = send({"method": "POST", "url": "/v1/ask", "json": {"question": QUESTION}, "headers": {}})
    session_id = opened.json()["session"]["id"]
    for contract in (candidate for candidate in BY_ID if candidate is not COURSE):
        assert send(_ask(contract, session_id)).status_code == 404


def test_a_user_who_is_named_must_be_the_sessions_own(send: Send):
    session_id = str(uuid.uuid4())
    assert send(_ask(COURSE, session_id, "ada")).status_code == 200
    assert send(_ask(COURSE, session_id, "eve")).status_code == 404
    for verb in COURSE.verbs:
        assert send(COURSE.does(verb, session_id, "eve", {})).status_code == 404
    assert COURSE.questions(send(COURSE.does(READ, session_id, None, {})).json()) == [QUESTION]


def test_the_id_of_a_session_is_worth_nothing_under_another_key(make_client: MakeClient, tmp_path: Path):
    records = tmp_path / "records.sqlite"
    sites = [f"https://{name}.example" for name in ("one", "other")]
    for site in sites:
        add_key(records, KeyKind.PUBLISHABLE, origins=[site], is_anonymous=True)
    client, session_id = make_client(**PATIENT), str(uuid.uuid4())
    for contract in BY_ID:
        mine, theirs = ({"origin": site} for site in sites)
        assert client.request(**contract.asks(QUESTION, session_id, "ada", mine)).status_code == 200
        for verb in contract.verbs:
            other = client.request(**contract.does(verb, session_id, "ada", theirs))
            unknown = client.request(**contract.does(verb, str(uuid.uuid4()), "ada", theirs))
            assert other.status_code == unknown.status_code == 404
        assert client.request(**contract.does(READ, session_id, "ada", mine)).status_code == 200
        session_id = str(uuid.uuid4())


def test_the_root_contract_stands_under_its_prefix_with_all_that_belongs_to_it(make_page: MakeClient):
    client = make_page(root_contract="course", root_prefix="/api", requests_per_minute=3)
    asked = {"user_id": "ada", "message": QUESTION}
    for path in ("/api/chat", "/chat", "/contracts/course/chat"):
        reply = client.post(path, json=asked)
        assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (200, SITE)
    assert client.post("/api/chat", json=asked).status_code == 429
    assert client.get("/api/health").status_code == 200
    document = client.get("/api/openapi.json").json()
    assert (document["info"]["title"], document["servers"]) == ("Glossator: course", [{"url": "/api"}])
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    preflight = client.options("/api/chat", headers=asks)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, SITE)
    assert client.get("/api", headers={"origin": "https://elsewhere.example"}).status_code in {401, 404, 429}


@pytest.mark.parametrize(
    "prefix", ["api", "/api/", "/", "/v1", "/contracts/threads", "/desk/x", "/a b", "//api"]
)
def test_a_prefix_is_a_path_that_nothing_else_has(prefix: str):
    with pytest.raises(SettingsError, match="GLOSSATOR_ROOT_PREFIX"):
        load_settings(root_contract="course", root_prefix=prefix)


def test_a_prefix_needs_a_contract_to_put_there():
    with pytest.raises(SettingsError, match="needs a root contract"):
        load_settings(root_prefix="/api")


def test_no_address_of_a_reader_is_kept(send: Send, tmp_path: Path):
    assert send(_ask(COURSE, "guessable"), "203.0.113.77").status_code == 200
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("records.sqlite*"))
    assert b"guessable" in kept
    assert b"203.0.113.77" not in kept
