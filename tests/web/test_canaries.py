"""Secrets stay secret: planted wherever there is one, they are looked for in every reply and every line of the log,
while everything works and while everything they belong to is down.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from click.testing import CliRunner

from glossator.cli import commands
from glossator.model import KeyKind
from glossator.ports import Embedder
from support.observe_app import logging_to
from support.proof_asking import WAYS
from support.proof_keys import ORIGIN, add_keys
from support.proof_schema import contracts
from support.proof_server import served
from support.web_app import events_of, serving
from support.writers_server import model_server, status

MODEL = "sk-canary-model-3f9a71c2"
DATABASE = "canary/database:8d21@e7"
REDIS = "canary-redis-5b6e0f"
QDRANT = "canary-qdrant-90cc1d"
SIGNING = "canary-signing-secret-44ab"
GUESSED = "sk_canaryidxx_guessed-77d0e1"
PLANTED = [MODEL, DATABASE, REDIS, QDRANT, SIGNING, GUESSED]

NOWHERE = "127.0.0.1:9"
"""Where nobody listens."""
DOWN: dict[str, dict[str, Any]] = {
    "nothing": {},
    "the index": {"qdrant_url": f"http://{NOWHERE}", "qdrant_api_key": QDRANT},
    "the model": {"model": "m", "model_base_url": f"http://{NOWHERE}/v1", "model_api_key": MODEL},
    "the database": {"database_url": f"postgresql://glossator:{quote(DATABASE, safe='')}@{NOWHERE}/records"},
    "redis": {"redis_url": f"redis://:{REDIS}@{NOWHERE}/0"},
}


class Collected:
    """Every byte that came back."""

    def __init__(self) -> None:
        self.replies: list[str] = []

    def add(self, reply: httpx2.Response) -> httpx2.Response:
        headers = "".join(f"{name}: {value}\n" for name, value in reply.headers.multi_items())
        self.replies.append(f"{reply.status_code}\n{headers}\n{reply.text}")
        return reply

    def check(self, secrets: Iterable[str], *others: str) -> None:
        for secret in secrets:
            for form in forms_of(secret):
                assert not [reply for reply in (*self.replies, *others) if form in reply], secret


def forms_of(secret: str) -> set[str]:
    """As it is, in an address, and in a header."""
    return {secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode().rstrip("=")}


def look_everywhere(client: httpx2.Client, heard: Collected, headers: dict[str, str]) -> None:
    """Every page, every way to ask, and what goes wrong with each."""
    for path in ("/livez", "/readyz", "/metrics", "/nowhere", "/v1/nowhere"):
        heard.add(client.get(path, headers=headers))
    for mounted in contracts().values():
        for path in ("/openapi.json", "/docs", "/health", "/nowhere"):
            heard.add(client.get(mounted.prefix + path, headers=headers))
    for way in WAYS:
        heard.add(client.post(way.path, json=way.asks(), headers={**way.headers, **headers}))
        heard.add(client.post(way.path, content=b"{", headers={**way.headers, **headers}))
    for path in (
        "/v1/search?q=node",
        "/v1/chapters",
        "/v1/sections/x",
        "/v1/sessions/x",
        "/v1/admin/overview",
    ):
        heard.add(client.get(path, headers=headers))
    heard.add(client.options("/v1/ask", headers={**headers, "access-control-request-method": "POST"}))


def callers(*keys: str) -> Iterator[dict[str, str]]:
    """Those with a key, those with none, and those who guess."""
    yield {}
    for key in (*keys, GUESSED):
        yield {"authorization": f"Bearer {key}", "origin": ORIGIN}
    yield {"x-api-key": f"pk_{GUESSED}", "origin": ORIGIN, "x-glossator-session": GUESSED}
    yield {"authorization": f"Basic {base64.b64encode(f'u:{GUESSED}'.encode()).decode()}"}


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
@pytest.mark.parametrize("down", DOWN)
def test_no_secret_is_told_or_logged_whatever_is_down(
    home: Path, embedder: Embedder, tmp_path: Path, capfd: pytest.CaptureFixture[str], down: str
) -> None:
    heard, log = Collected(), io.StringIO()
    settings = {"secret": SIGNING, "breaker_failures": 2, "database_seconds": 1.0, **DOWN[down]}

    # Without being told what to hide: nothing of it gets so far.
    with logging_to(log), serving(home, embedder, tmp_path / "records.sqlite", **settings) as client:
        for headers in ({}, {"authorization": f"Bearer {GUESSED}"}):
            look_everywhere(client, heard, headers)

    assert log.getvalue().count('"event": "request"') == len(heard.replies)
    heard.check(PLANTED, log.getvalue(), *map(str, capfd.readouterr()))


OPENED_WITH = {
    "/v1/sessions": {},
    "/contracts/threads/chat/run": {"message": "Hello!"},
    "/contracts/course/chat": {"message": "Hello!", "user_id": "u"},
}


@pytest.mark.parametrize("path", OPENED_WITH)
def test_what_a_page_notes_with_its_session_is_kept_and_not_logged(
    home: Path, embedder: Embedder, tmp_path: Path, path: str
) -> None:
    log, noted = io.StringIO(), {"device": "canary-device-17"}
    refused = {"canary-name-18": "x" * 5000}
    with logging_to(log), serving(home, embedder, tmp_path / "records.sqlite") as client:
        replies = [
            client.post(path, json={**OPENED_WITH[path], "metadata": metadata})
            for metadata in (noted, refused)
        ]
    assert [reply.status_code // 100 for reply in replies] == [2, 4]
    assert b"canary-device-17" in b"".join(file.read_bytes() for file in tmp_path.glob("records.sqlite*"))
    assert "canary" not in log.getvalue() + replies[1].text
    assert log.getvalue().count('"event": "request"') == 2


@pytest.mark.parametrize("code", [400, 401, 500])
def test_a_service_that_repeats_the_key_it_was_shown_is_not_repeated(
    home: Path, embedder: Embedder, tmp_path: Path, capfd: pytest.CaptureFixture[str], code: int
) -> None:
    heard, log = Collected(), io.StringIO()
    with model_server() as model:
        model.will(status(code, f"Incorrect API key provided: {MODEL}."))
        settings = {"model": "m", "model_base_url": model.url, "model_api_key": MODEL}
        with logging_to(log), serving(home, embedder, tmp_path / "records.sqlite", **settings) as client:
            for way in WAYS:
                heard.add(client.post(way.path, json=way.asks(), headers=way.headers))
            heard.add(client.get("/readyz"))
    assert any("503" in reply[:3] or '"error"' in reply for reply in heard.replies)
    heard.check(PLANTED, log.getvalue(), *map(str, capfd.readouterr()))


def test_neither_keys_nor_tokens_are_told_to_others_or_logged_by_a_real_server(
    home: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'records.sqlite'}"
    secret, public = add_keys(url, KeyKind.SECRET, KeyKind.PUBLISHABLE)
    settings = {"database_url": url, "secret": SIGNING, **DOWN["redis"], **DOWN["the model"]}
    heard, mine = Collected(), Collected()

    with served(home, tmp_path, fallback_writer=True, **settings) as server, server.client() as client:
        for headers in callers(secret, public):
            look_everywhere(client, heard, headers)
        tokens = set(use_tokens(client, public, mine))
        heard.add(client.get("/metrics"))
    logged = server.logged()

    assert tokens
    assert '"status": 401' in logged
    assert "limits not shared" in logged
    heard.check([*PLANTED, secret, public, *tokens], logged)
    mine.check([*PLANTED, secret, public])
    Collected().check([*PLANTED, secret, public, *tokens], _bytes_of(tmp_path / "records.sqlite"))


def use_tokens(client: httpx2.Client, key: str, mine: Collected) -> Iterator[str]:
    """As a page does, whole and streamed, rightly and wrongly; yields each token it was given."""
    headers = {"authorization": f"Bearer {key}", "origin": ORIGIN}
    told = mine.add(client.post("/v1/ask", json={"question": "What is a topic?"}, headers=headers)).json()
    session = told["session"]
    yield session["token"]
    for token in (session["token"], session["token"][::-1]):
        proof = {**headers, "x-glossator-session": token}
        for path in (f"/v1/sessions/{session['id']}", f"/v1/sessions/{session['id']}/export"):
            mine.add(client.get(path, headers=proof))
        body = {"question": "What is a node?", "session": {**session, "token": token}}
        reply = mine.add(
            client.post("/v1/ask", json=body, headers={**headers, "accept": "text/event-stream"})
        )
        if reply.status_code == 200:
            yield events_of(reply)[-1][1]["session"]["token"]


def test_neither_does_a_real_server_tell_that_starts_while_everything_is_down(
    home: Path, tmp_path: Path
) -> None:
    heard, settings = (
        Collected(),
        {name: value for variables in DOWN.values() for name, value in variables.items()},
    )

    with (
        served(home, tmp_path, secret=SIGNING, database_seconds=1, **settings) as server,
        server.client() as client,
    ):
        look_everywhere(client, heard, {"authorization": f"Bearer {GUESSED}"})
    logged = server.logged()

    assert "The database does not answer yet" in logged
    assert {reply[:3] for reply in heard.replies} >= {"200", "503"}
    heard.check(PLANTED, logged)


COMMANDS = [["keys", "list"], ["sessions", "list"], ["ask", "What is a topic?"], ["search", "topic"]]
SETTINGS = [
    {"GLOSSATOR_DATABASE_URL": f"postgresql://glossator:{quote(DATABASE, safe='')}@{NOWHERE}/records"},
    {"GLOSSATOR_DATABASE_URL": f"postgresql://glossator:{REDIS}@[::1/records"},
    {"GLOSSATOR_DATABASE_URL": f"mysql://glossator:{REDIS}@{NOWHERE}/records"},
    {"GLOSSATOR_DATABASE_URL": f"{REDIS}"},
    {"GLOSSATOR_REDIS_URL": f"http://:{REDIS}@{NOWHERE}", "GLOSSATOR_PORT": "no port"},
    {"GLOSSATOR_QDRANT_URL": f"http://{NOWHERE}", "GLOSSATOR_QDRANT_API_KEY": QDRANT, "GLOSSATOR_PORT": "-1"},
    {"GLOSSATOR_MODEL_API_KEY": MODEL, "GLOSSATOR_POLICY": "no policy"},
]


@pytest.mark.parametrize("environment", SETTINGS, ids=lambda words: "+".join(words))
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_command_that_cannot_begin_says_why_without_the_secret(
    tmp_path: Path, command: list[str], environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {"GLOSSATOR_HOME": str(tmp_path / "none"), "GLOSSATOR_HOST": "0.0.0.0", **environment}

    with logging_to(io.StringIO()):
        result = CliRunner().invoke(commands, command, env=environment)

    assert result.exit_code != 0
    Collected().check(PLANTED, result.output, result.stderr)


def _bytes_of(path: Path) -> str:
    return path.read_bytes().decode("latin-1")
