"""Nothing about a question or an answer of the pipeline contract is written anywhere."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from support.writers_server import model_server, says, status

RARE = "zyxomorphic"
"""Stands in the question; in no book, no setting and no message of ours."""
QUESTION = f"How many watt hours does the lithium battery pack of this robot hold, {RARE}?"
ANSWER = "lasts four hours of walking"
MakeClient = Callable[..., TestClient]


def test_no_word_of_a_question_or_answer_is_found_afterwards(
    make_client: MakeClient,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.DEBUG)
    client = make_client()
    told = _ask(client, QUESTION, "Idempotency-Key", "once")
    assert ANSWER in told["answer"]
    _ask(client, f"Who is {RARE}?")
    _ask(client, RARE)
    _ask(client, f"{RARE}\u0000")
    _ask(client, f"{RARE} " * 1000)
    _ask(client, f"How {RARE} is a topic?", "X-Glossator-Trace", "1")
    client.close()
    assert not _holding(RARE, [home, tmp_path])
    assert not _holding(ANSWER, [tmp_path])
    logged = "".join(capsys.readouterr()) + caplog.text
    assert "QdrantRetrievalAgent" in logged
    assert RARE not in logged
    assert ANSWER not in logged


def test_no_word_of_a_question_is_found_where_a_model_writes_or_fails(
    make_client: MakeClient,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.INFO)
    with model_server() as server:
        server.will(
            says(f"A pack holds 480 watt hours [1]. It is {RARE} [1]."),
            status(400, f"You asked: {RARE}"),
        )
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        assert "480 watt hours" in _ask_once(client, QUESTION)["answer"]
        assert _ask_once(client, QUESTION)["error"] == "llm"
        assert RARE in server.calls[0].asked
    assert not _holding(RARE, [home, tmp_path])
    assert RARE not in "".join(capsys.readouterr()) + caplog.text


def test_the_search_would_have_found_what_is_kept(make_client: MakeClient, tmp_path: Path):
    client = make_client()
    told = client.post("/contracts/grounding/chat", json={"query_text": QUESTION}).json()
    assert ANSWER in told["response_text"]
    assert _holding(RARE, [tmp_path])
    assert _holding(ANSWER, [tmp_path])


def _ask(client: TestClient, question: str, header: str = "Accept", value: str = "*/*") -> dict[str, Any]:
    """Twice, as somebody would who has heard nothing."""
    _ask_once(client, question, header, value)
    return _ask_once(client, question, header, value)


def _ask_once(
    client: TestClient, question: str, header: str = "Accept", value: str = "*/*"
) -> dict[str, Any]:
    sent = {"question": question, "session_id": "reader-7"}
    return client.post("/contracts/pipeline/query", json=sent, headers={header: value}).json()


def _holding(words: str, folders: Iterable[Path]) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if words.encode() in path.read_bytes()]
