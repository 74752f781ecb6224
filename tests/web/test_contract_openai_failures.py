"""The OpenAI contract: every way to fail, in OpenAI's own body; and what is left behind, which is nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from glossator import errors
from glossator.model import KeyKind, Scope
from glossator.web.contracts.openai import ErrorBody, render
from glossator.web.problem import STATUS, Problem, ProblemKind, problem_of
from support.recorded_examples import add_key
from support.writers_server import cut_after, model_server, status

COMPLETIONS, MODELS = "/openai/v1/chat/completions", "/openai/v1/models"
PAGE = "https://book.example"
RARE = "zyxomorphic"
"""Stands in the question; in no book, no setting and no message of ours."""
ANSWER = "lasts four hours of walking"
CODES = {
    ProblemKind.INVALID: (400, "invalid_request_error", "invalid_request"),
    ProblemKind.UNAUTHORIZED: (401, "invalid_request_error", "invalid_api_key"),
    ProblemKind.FORBIDDEN: (403, "invalid_request_error", "insufficient_permissions"),
    ProblemKind.NOT_FOUND: (404, "invalid_request_error", "unknown_url"),
    ProblemKind.NOT_ALLOWED: (405, "invalid_request_error", "method_not_supported"),
    ProblemKind.CONFLICT: (422, "invalid_request_error", "idempotency_mismatch"),
    ProblemKind.TOO_LARGE: (413, "invalid_request_error", "request_too_large"),
    ProblemKind.RATE_LIMITED: (429, "requests", "rate_limit_exceeded"),
    ProblemKind.NO_BOOK: (503, "server_error", "no_book"),
    ProblemKind.INDEX: (503, "server_error", "index_unavailable"),
    ProblemKind.EMBEDDER: (503, "server_error", "embedder_unavailable"),
    ProblemKind.WRITER: (503, "server_error", "writer_unavailable"),
    ProblemKind.RECORDS: (503, "server_error", "database_unavailable"),
    ProblemKind.BUSY: (503, "server_error", "session_busy"),
    ProblemKind.OVERLOADED: (503, "server_error", "overloaded"),
    ProblemKind.STOPPING: (503, "server_error", "stopping"),
    ProblemKind.TIMEOUT: (503, "server_error", "timeout"),
    ProblemKind.INTERNAL: (500, "server_error", "internal_error"),
}

MakeClient = Callable[..., TestClient]


def ask(
    client: TestClient,
    question: str = "What is a topic?",
    headers: dict[str, str] | None = None,
    **sent: Any,
) -> httpx2.Response:
    messages = [{"role": "user", "content": question}]
    return client.post(COMPLETIONS, json={"model": "m", "messages": messages, **sent}, headers=headers)


def code(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def bearer(key: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **headers}


@pytest.mark.parametrize("kind", ProblemKind)
def test_every_kind_of_problem_has_its_status_type_and_code(kind: ProblemKind):
    response = render(Problem(kind, STATUS[kind], "It failed.", retryable=False, trace_id="a" * 32))
    body = json.loads(bytes(response.body))
    assert body == {
        "error": {"message": "It failed.", "type": CODES[kind][1], "param": None, "code": CODES[kind][2]}
    }
    assert response.status_code == CODES[kind][0]
    assert response.headers["x-request-id"] == "a" * 32
    ErrorBody.model_validate(body)


def test_when_to_come_back_is_rounded_up():
    assert render(problem_of(errors.Overloaded(retry_after=1.2))).headers["retry-after"] == "2"


def test_an_unexpected_error_shows_nothing_of_itself():
    response = render(problem_of(RuntimeError("canary")))
    assert response.status_code == 500
    assert b"canary" not in bytes(response.body)


def test_without_a_book_there_is_a_model_and_no_answer(make_client: MakeClient, tmp_path: Path):
    client = make_client(home=tmp_path / "empty")
    assert code(ask(client)) == (503, "no_book")
    assert client.get(MODELS).json()["data"][0]["id"] == "glossator"


def test_a_model_that_refuses_is_told_as_unavailable(make_client: MakeClient):
    with model_server() as server:
        server.will(status(401))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k")
        assert code(ask(client)) == (503, "writer_unavailable")


def test_a_stream_that_breaks_off_ends_with_an_error_and_no_mark_of_the_end(make_client: MakeClient):
    with model_server() as server:
        server.will(cut_after("A topic is a named stream of messages [1]. ", "Publishers send messages "))
        told = ask(make_client(model="m", model_base_url=server.url, model_api_key="k"), stream=True)
    *chunks, error = [json.loads(event.removeprefix("data: ")) for event in told.text.split("\n\n") if event]
    assert chunks[-1]["choices"][0]["delta"] == {"content": "A topic is a named stream of messages. [1]"}
    assert error.keys() == {"error"}
    assert error["error"].keys() == {"message", "type", "param", "code"}
    assert error["error"]["code"] == "writer_unavailable"


def test_every_reply_says_how_much_of_the_limit_is_left_and_the_last_one_when_to_come_back(
    make_client: MakeClient,
):
    client = make_client(requests_per_minute=3)
    replies = [ask(client, stream=True), ask(client, ""), client.get(MODELS)]
    assert [reply.status_code for reply in replies] == [200, 400, 200]
    assert [reply.headers["x-ratelimit-remaining-requests"] for reply in replies] == ["2", "1", "0"]
    assert {reply.headers["x-ratelimit-limit-requests"] for reply in replies} == {"3"}
    assert all(reply.headers["x-ratelimit-reset-requests"].endswith("s") for reply in replies)
    refused = ask(client)
    assert code(refused) == (429, "rate_limit_exceeded")
    assert 1 <= int(refused.headers["retry-after"]) <= 60


def test_without_a_key_there_is_no_answer_and_with_one_of_no_use_neither(
    make_client: MakeClient, tmp_path: Path
):
    asks, reads = (add_key(tmp_path / "records.sqlite", scopes=[scope]) for scope in (Scope.ASK, Scope.READ))
    client = make_client()
    assert code(ask(client)) == (401, "invalid_api_key")
    assert code(ask(client, headers=bearer("wrong"))) == (401, "invalid_api_key")
    assert code(ask(client, headers=bearer(reads))) == (403, "insufficient_permissions")
    assert ask(client, headers=bearer(asks)).status_code == 200
    assert client.get(MODELS).status_code == 401
    assert [client.get(MODELS, headers=bearer(key)).status_code for key in (asks, reads)] == [200, 200]
    assert client.get("/openai/v1/openapi.json").status_code == 200


def test_a_publishable_key_asks_from_its_own_pages(make_client: MakeClient, tmp_path: Path):
    shown = add_key(tmp_path / "records.sqlite", KeyKind.PUBLISHABLE, origins=[PAGE])
    client = make_client()
    assert ask(client, headers=bearer(shown, Origin=PAGE)).status_code == 200
    assert code(ask(client, headers=bearer(shown))) == (403, "insufficient_permissions")


def test_no_word_of_a_question_or_a_conversation_is_found_afterwards(
    make_client: MakeClient,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.DEBUG)
    client = make_client()
    named = {"Idempotency-Key": "once"}
    question = f"How many watt hours does the lithium battery pack of this robot hold, {RARE}?"
    assert ANSWER in ask(client, question, named, user=RARE).text
    assert ANSWER in ask(client, question, named, user=RARE).text
    assert ANSWER in ask(client, question, stream=True).text
    ask(client, f"Who is {RARE}?", stream=True, stream_options={"include_usage": True})
    ask(client, f"{RARE}\u0000")
    ask(client, f"{RARE} " * 1000)
    before = [{"role": "user", "content": RARE}, {"role": "assistant", "content": f"{RARE}. [1]"}]
    ask(client, messages=[*before, {"role": "user", "content": "What is it?"}])
    client.close()
    assert not _holding(RARE, [home, tmp_path])
    assert not _holding(ANSWER, [tmp_path])
    logged = "".join(capsys.readouterr()) + caplog.text
    assert "/openai/v1/chat/completions" in logged
    assert RARE not in logged
    assert ANSWER not in logged


def _holding(words: str, folders: Iterable[Path]) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if words.encode() in path.read_bytes()]
