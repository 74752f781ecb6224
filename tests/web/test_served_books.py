"""Several books on one server: each below its name, each with sessions of its own."""

from __future__ import annotations

import asyncio
import re
import shutil
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from pydantic import SecretStr
from starlette.testclient import TestClient

from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.model import KeyKind
from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.web.auth.keyring import make_key
from glossator.wiring import ingest_tools_of
from glossator.wiring.books import remove_book, rename_book
from glossator.wiring.engine import keys_of, wire_engine
from support.proof_contracts import QUESTION, READ, SESSION_CONTRACTS, SessionContract
from support.proof_keys import ORIGIN, add_keys, shows
from support.serve_process import is_soon
from support.web_app import serving

OWN_OF_A_REPLY = re.compile(r'"(timestamp|request_id|trace_id)":"[^"]*"')
HARBOUR = "# Topics\n\nA topic is a named quay of the harbour. Ships bring cargo to it, and every warehouse receives a share.\n"


@pytest.fixture(scope="module")
def two_books(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the small book, and a book called harbour."""
    both = tmp_path_factory.mktemp("both") / "home"
    shutil.copytree(home, both, ignore=shutil.ignore_patterns("readers"))
    put(both, "harbour", tmp_path_factory.mktemp("books") / "harbour")
    return both


def put(home: Path, name: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "topics.md").write_text(HARBOUR)
    tools = ingest_tools_of(Settings(home=home, book=name), SilentProgress(), say=lambda message: None)
    ingest(folder, site_of(folder, title="The harbour"), tools)


@pytest.fixture(scope="module")
def server(
    two_books: Path, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    records = tmp_path_factory.mktemp("records") / "records.sqlite"
    with serving(two_books, embedder, records) as client:
        yield client


def asked(contract: SessionContract, session_id: str | None = None) -> dict[str, Any]:
    user = "ada" if contract.user_field == "user_id" else None
    return contract.asks(QUESTION, session_id, user, {})


def below(book: str, request: dict[str, Any]) -> dict[str, Any]:
    return {**request, "url": f"/b/{book}{request['url']}"}


@pytest.mark.parametrize("contract", SESSION_CONTRACTS, ids=lambda contract: contract.contract)
def test_every_contract_answers_from_the_book_that_is_named(server: TestClient, contract: SessionContract):
    of_harbour = server.request(**below("harbour", asked(contract)))
    assert of_harbour.status_code == 200, of_harbour.text
    assert "named quay" in of_harbour.text
    for request in (asked(contract), below("default", asked(contract))):
        of_default = server.request(**request)
        assert "named stream" in of_default.text
        assert "named quay" not in of_default.text


def test_the_addresses_without_sessions_stand_below_a_name_too(server: TestClient):
    query = server.post("/b/harbour/contracts/pipeline/query", json={"question": QUESTION})
    assert "named quay" in query.json()["answer"]
    message = {"messages": [{"role": "user", "content": QUESTION}], "model": "glossator"}
    assert "named quay" in server.post("/b/harbour/openai/v1/chat/completions", json=message).text
    assert server.get("/b/harbour/llms.txt").text.startswith("# The harbour")
    assert server.get("/b/harbour/v1/chapters").json() != server.get("/v1/chapters").json()
    assert server.get("/b/harbour/v1/search", params={"q": QUESTION}).json()["total_results"] == 1
    assert server.get("/b/harbour/desk/").status_code == 200
    assert server.get("/b/harbour/contracts/threads/health").json()["status"] == "healthy"
    call: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call["params"] = {"name": "search_book", "arguments": {"query": QUESTION}}
    accept = {"accept": "application/json, text/event-stream"}
    assert "named quay" in server.post("/b/harbour/mcp", json=call, headers=accept).text


def test_the_contract_at_the_root_stands_at_the_root_of_a_book(
    two_books: Path, embedder: Embedder, tmp_path: Path
):
    with serving(two_books, embedder, tmp_path / "records.sqlite", root_contract="threads") as client:
        assert "named quay" in client.post("/b/harbour/chat/run", json={"message": QUESTION}).text


@pytest.mark.parametrize("contract", SESSION_CONTRACTS, ids=lambda contract: contract.contract)
def test_an_unknown_book_is_not_found_in_the_words_of_the_contract(
    server: TestClient, contract: SessionContract
):
    reply = server.request(**below("nowhere", asked(contract)))
    unknown_session = server.request(**contract.does(READ, str(uuid.uuid4()), None, {}))
    assert reply.status_code == 404
    assert reply.json().keys() == unknown_session.json().keys()
    assert server.get("/b/nowhere/else").status_code == 404


@pytest.mark.parametrize("contract", SESSION_CONTRACTS, ids=lambda contract: contract.contract)
def test_a_session_of_another_book_looks_unknown(server: TestClient, contract: SessionContract):
    session_id = str(uuid.uuid4())
    if not contract.opens_named:
        session_id = server.request(**below("harbour", asked(contract))).json()["session"]["id"]
    else:
        assert server.request(**below("harbour", asked(contract, session_id))).status_code == 200

    reading, unknown = (contract.does(READ, session, None, {}) for session in (session_id, str(uuid.uuid4())))
    assert contract.questions(server.request(**below("harbour", reading)).json()) == [QUESTION]
    of_other, of_nobody = server.request(**reading), server.request(**unknown)
    assert of_other.status_code == 404
    assert without_own(of_other.text) == without_own(of_nobody.text)
    assert server.request(**asked(contract, session_id)).status_code == 404


def without_own(text: str) -> str:
    return OWN_OF_A_REPLY.sub("", text)


def test_the_same_idempotency_key_asks_each_book(server: TestClient):
    key = {"idempotency-key": str(uuid.uuid4())}
    request: dict[str, Any] = {"json": {"question": QUESTION}, "headers": key}
    assert "named stream" in server.post("/v1/ask", **request).text
    first = server.post("/b/harbour/v1/ask", **request).json()
    assert "named quay" in first["text"]
    assert server.post("/b/harbour/v1/ask", **request).json()["id"] == first["id"]


def test_what_readers_ask_is_counted_for_each_book(two_books: Path, embedder: Embedder, tmp_path: Path):
    with serving(two_books, embedder, tmp_path / "records.sqlite") as client:
        for _ in range(2):
            client.post("/b/harbour/v1/ask", json={"question": "How does photosynthesis work in ferns?"})
        client.post("/v1/ask", json={"question": QUESTION})

        def exchanges(base: str) -> int:
            return client.get(f"{base}/v1/admin/overview").json()["overview"]["exchanges"]

        assert (exchanges("/b/harbour"), exchanges("")) == (2, 1)
        of_harbour, of_default = (
            client.get(f"{base}/v1/admin/gaps?least_sessions=1").text for base in ("/b/harbour", "")
        )
        assert "photosynthesis" in of_harbour
        assert "photosynthesis" not in of_default
        assert "photosynthesis" in client.get("/b/harbour/desk/views/questions").text
        assert "photosynthesis" not in client.get("/desk/views/questions").text


def test_a_running_server_follows_when_books_come_and_go(two_books: Path, embedder: Embedder, tmp_path: Path):
    records = tmp_path / "records.sqlite"
    home = tmp_path / "home"
    shutil.copytree(two_books, home, ignore=shutil.ignore_patterns("readers"))
    settings = Settings(home=home, database_url=SecretStr(f"sqlite:///{records}"))

    def is_served(book: str) -> Callable[[], bool]:
        return lambda: client.get(f"/b/{book}/v1/chapters").status_code == 200

    with serving(home, embedder, records) as client:
        assert not is_served("port")()
        put(home, "port", tmp_path / "port")
        assert is_soon(is_served("port"))
        session = client.post("/b/port/v1/ask", json={"question": QUESTION}).json()["session"]["id"]
        asyncio.run(rename_book(settings.of_book("port"), "quay"))
        assert is_soon(is_served("quay"))
        assert client.get(f"/b/quay/v1/sessions/{session}").status_code == 200
        assert is_soon(lambda: client.get("/b/port/v1/chapters").status_code == 404)
        assert asyncio.run(remove_book(settings.of_book("quay"))).sessions == 1
        assert is_soon(lambda: client.get("/b/quay/v1/chapters").status_code == 404)
        assert is_served("harbour")()


def test_without_a_key_nobody_learns_which_books_there_are(
    two_books: Path, embedder: Embedder, tmp_path: Path
):
    records = tmp_path / "records.sqlite"
    (secret,) = add_keys(f"sqlite:///{records}", KeyKind.SECRET)
    with serving(two_books, embedder, records) as client:
        replies = [client.get(f"/b/{book}/v1/chapters") for book in ("harbour", "nowhere")]
        assert [reply.status_code for reply in replies] == [401, 401]
        assert without_own(replies[0].text) == without_own(replies[1].text)
        assert client.get("/b/nowhere/v1/chapters", headers=shows(secret)).status_code == 404
        assert client.get("/b/harbour/v1/chapters", headers=shows(secret)).status_code == 200


def test_a_made_up_name_is_no_time_series(server: TestClient):
    server.get("/b/madeup/v1/chapters")
    server.get("/b/harbour/v1/chapters")
    metrics = server.get("/metrics").text
    assert 'route="/b/{book}/v1/chapters"' in metrics
    assert "madeup" not in metrics


def test_all_books_share_the_models_and_the_limits(two_books: Path, embedder: Embedder):
    wired = wire_engine(Settings(home=two_books), embedder)
    default, harbour = wired.engine, wired.of_book("harbour")
    assert harbour is wired.of_book("harbour")
    assert harbour.book.assistant.reader is default.book.assistant.reader
    assert harbour.book.assistant.embedder is default.book.assistant.embedder
    assert harbour.turn_runner.limiter is default.turn_runner.limiter
    assert harbour.book.assistant.index is not default.book.assistant.index
    asyncio.run(wired.aclose())


@pytest.mark.parametrize("kind", KeyKind)
def test_to_a_key_for_one_book_the_others_look_unknown(
    kind: KeyKind, two_books: Path, embedder: Embedder, tmp_path: Path
):
    records = tmp_path / "records.sqlite"
    (of_harbour,) = add_keys(f"sqlite:///{records}", kind, books=["harbour"])
    (of_default,) = add_keys(f"sqlite:///{records}", kind, books=["default"])
    with serving(two_books, embedder, records) as client:

        def asks(base: str, key: str) -> Response:
            return client.post(f"{base}/v1/ask", json={"question": QUESTION}, headers=shows(key))

        assert asks("/b/harbour", of_harbour).status_code == 200
        assert asks("", of_default).status_code == 200
        assert asks("/b/default", of_default).status_code == 200
        unknown = asks("/b/nowhere", of_harbour)
        assert unknown.status_code == 404
        for refused in (asks("", of_harbour), asks("/b/default", of_harbour), asks("/b/harbour", of_default)):
            assert without_own(refused.text) == without_own(unknown.text)


def test_a_key_for_one_book_erases_a_reader_there_alone(two_books: Path, embedder: Embedder, tmp_path: Path):
    records = tmp_path / "records.sqlite"
    (of_all,) = add_keys(f"sqlite:///{records}", KeyKind.SECRET)
    (of_harbour,) = add_keys(f"sqlite:///{records}", KeyKind.SECRET, books=["harbour"])
    with serving(two_books, embedder, records) as client:
        for base in ("", "/b/harbour"):
            body = {"question": QUESTION, "user": "ada"}
            client.post(f"{base}/v1/ask", json=body, headers=shows(of_all))
        erased = [
            client.delete(f"{base}/v1/users/ada", headers=shows(key)).json()["erased"]["sessions"]
            for base, key in (("/b/harbour", of_harbour), ("", of_all))
        ]
        assert erased == [1, 1]


def test_a_page_without_a_key_gets_the_anonymous_key_of_its_book(
    two_books: Path, embedder: Embedder, tmp_path: Path
):
    records = tmp_path / "records.sqlite"
    settings = Settings(database_url=SecretStr(f"sqlite:///{records}"))

    async def add() -> None:
        async with keys_of(settings) as keys:
            for book in ("default", "harbour"):
                made = make_key(
                    KeyKind.PUBLISHABLE, datetime.now(UTC), origins=[ORIGIN], is_anonymous=True, books=[book]
                )
                await keys.add(made.key)

    asyncio.run(add())
    with serving(two_books, embedder, records) as client:
        for base in ("", "/b/harbour"):
            reply = client.post(f"{base}/v1/ask", json={"question": QUESTION}, headers={"origin": ORIGIN})
            assert reply.status_code == 200
