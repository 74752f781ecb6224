"""What readers see when something that an answer needs fails, in every way that a network can make it fail.

`GLOSSATOR_TEST_FAULTS=8` tries every fault in every contract, over real sockets.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from httpx2 import Response

from glossator.model import Contract
from glossator.ports import Embedder
from glossator.resilience.circuit_breaker import Dependency
from glossator.web.contracts.course import SENTENCES
from glossator.web.problem import ProblemKind
from support.faulty_proxy import Fault
from support.matrix_stage import QUESTION, Backstage, Stage, comes_true
from support.proof_size import repeats
from support.records_database import postgres_server
from support.web_app import events_of

__all__ = ["postgres_server"]

pytestmark = pytest.mark.qdrant

INDEX, RECORDS, WRITER, EMBEDDER = (
    Dependency.INDEX,
    Dependency.RECORDS,
    Dependency.WRITER,
    Dependency.EMBEDDER,
)
FAULTS = [
    Fault.REFUSED,
    Fault.TIMEOUT,
    Fault.ERROR,
    Fault.GARBAGE,
    Fault.NONSENSE,
    Fault.DRIP,
    Fault.CUT,
]
FAULTS_OF_CONTRACTS = [Fault.RESET, *FAULTS][: repeats("FAULTS", 1)]
IS_OVER_SOCKETS = "GLOSSATOR_TEST_FAULTS" in os.environ

ASKED = {
    Contract.NATIVE: ("/v1/ask", {"question": QUESTION}),
    Contract.THREADS: ("/contracts/threads/chat/run", {"message": QUESTION, "similarity_threshold": 0}),
    Contract.CITATIONS: ("/contracts/citations/chat", {"query": QUESTION, "session_id": str(uuid4())}),
    Contract.GROUNDING: ("/contracts/grounding/chat", {"query_text": QUESTION}),
    Contract.COURSE: ("/contracts/course/chat", {"user_id": "reader", "message": QUESTION}),
    Contract.PIPELINE: ("/contracts/pipeline/query", {"question": QUESTION}),
    Contract.OPENAI: (
        "/openai/v1/chat/completions",
        {"model": "glossator", "messages": [{"role": "user", "content": QUESTION}]},
    ),
}
SAID = {
    Contract.NATIVE: {
        INDEX: "index_unavailable",
        RECORDS: "database_unavailable",
        WRITER: "writer_unavailable",
        EMBEDDER: "embedder_unavailable",
    },
    Contract.THREADS: dict.fromkeys(Dependency, "SERVICE_UNAVAILABLE"),
    Contract.CITATIONS: {
        INDEX: "retrieval_unavailable",
        RECORDS: "agent_unavailable",
        WRITER: "agent_unavailable",
        EMBEDDER: "embedding_failed",
    },
    Contract.GROUNDING: {
        INDEX: "retrieval_unavailable",
        RECORDS: "storage_unavailable",
        WRITER: "agent_unavailable",
        EMBEDDER: "embedding_unavailable",
    },
    Contract.COURSE: {
        INDEX: SENTENCES[ProblemKind.INDEX],
        RECORDS: SENTENCES[ProblemKind.RECORDS],
        WRITER: SENTENCES[ProblemKind.WRITER],
        EMBEDDER: SENTENCES[ProblemKind.EMBEDDER],
    },
    Contract.PIPELINE: {INDEX: "database", WRITER: "llm", EMBEDDER: "network"},
    Contract.OPENAI: {
        INDEX: "index_unavailable",
        WRITER: "writer_unavailable",
        EMBEDDER: "embedder_unavailable",
    },
}
"""The pipeline and the OpenAI contract keep no records, and so do not miss them."""

CODE = {Contract.NATIVE: "code", Contract.CITATIONS: "error_code"}
"""The field that names what went wrong; `error` in the other contracts."""


@pytest.fixture(scope="module")
def backstage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, home: Path, embedder: Embedder
) -> Backstage:
    folder = tmp_path_factory.mktemp("matrix")
    return Backstage(
        folder,
        home,
        embedder,
        lambda: request.getfixturevalue("postgres_server"),
        is_over_sockets=IS_OVER_SOCKETS,
    )


@pytest.fixture(scope="module", params=list(Dependency))
def stage(request: pytest.FixtureRequest, backstage: Backstage) -> Iterator[Stage]:
    with backstage.set(request.param) as made:
        yield made


def only(*dependencies: Dependency) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("stage", dependencies, indirect=True)


def asked(stage: Stage, contract: Contract) -> Response:
    path, body = ASKED[contract]
    return stage.client.post(path, json=body)


def assert_said(reply: Response, contract: Contract, dependency: Dependency) -> None:
    body = reply.json()
    code = body["error"]["code"] if contract is Contract.OPENAI else body[CODE.get(contract, "error")]
    assert (reply.status_code, code) == (503, SAID[contract][dependency])
    assert body.get("retryable", True) is True
    assert int(reply.headers["Retry-After"]) >= 1
    assert "CANARY" not in reply.text, "what a dependency itself says is for nobody's eyes"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_is_said_in_time_and_is_over_when_it_is_over(stage: Stage, fault: Fault) -> None:
    with stage.failing(fault):
        # It is the dependency's own time that ran out, not that of the whole answer: the reply names it.
        assert_said(stage.ask(), Contract.NATIVE, stage.dependency)
        assert comes_true(lambda: is_left_alone(stage)), "after a few more, nobody waits for it any more"


def is_left_alone(stage: Stage) -> bool:
    before = stage.proxy.connections
    assert_said(stage.ask(), Contract.NATIVE, stage.dependency)
    return stage.breaker_state > 0 and stage.proxy.connections == before


@pytest.mark.parametrize("contract", ASKED)
@pytest.mark.parametrize("fault", FAULTS_OF_CONTRACTS)
def test_every_contract_says_it_in_its_own_words(
    stage: Stage, fault: Fault, contract: Contract, counted: Counter[str]
) -> None:
    with stage.failing(fault):
        reply = asked(stage, contract)
        if stage.dependency in SAID[contract]:
            assert_said(reply, contract, stage.dependency)
        else:
            assert reply.status_code == 200
    assert comes_true(lambda: asked(stage, contract).status_code == 200)
    counted["cells"] += 1


STREAMS = {
    Contract.NATIVE: ("/v1/ask", {"question": QUESTION}),
    Contract.THREADS: ("/contracts/threads/chat/stream", {"message": QUESTION, "similarity_threshold": 0}),
    Contract.CITATIONS: ("/contracts/citations/chat/stream", {"query": QUESTION}),
}


@only(INDEX, WRITER, EMBEDDER)
@pytest.mark.parametrize("contract", STREAMS)
def test_a_stream_ends_with_the_failure(stage: Stage, contract: Contract) -> None:
    path, body = STREAMS[contract]
    with stage.failing(Fault.RESET):
        reply = stage.client.post(path, json=body, headers={"Accept": "text/event-stream"})
        assert reply.status_code == 200
        event, data, _ = events_of(reply)[-1]
        assert "error" in (event, data["type"])
        assert data[CODE.get(contract, "error")] == SAID[contract][stage.dependency]
        assert "CANARY" not in reply.text


@only(RECORDS)
@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.TIMEOUT])
def test_without_the_database_what_need_not_be_remembered_is_still_answered(
    stage: Stage, fault: Fault
) -> None:
    session = stage.ask().json()["session"]["id"]
    with stage.failing(fault):
        forgotten = stage.ask(remember=False)
        assert (forgotten.status_code, forgotten.json()["outcome"]) == (200, "answered")
        assert asked(stage, Contract.PIPELINE).status_code == 200
        assert stage.client.get("/v1/search", params={"q": QUESTION}).status_code == 200
        assert stage.client.get("/v1/chapters").status_code == 200
        assert_said(stage.ask(), Contract.NATIVE, RECORDS)
        assert_said(stage.ask(session={"id": session}), Contract.NATIVE, RECORDS)
        assert_said(stage.client.get(f"/v1/sessions/{session}"), Contract.NATIVE, RECORDS)
    assert stage.ask(session={"id": session}).status_code == 200


@only(INDEX)
def test_without_the_index_a_selection_is_still_explained(stage: Stage) -> None:
    with stage.failing(Fault.REFUSED):
        reply = stage.ask(selection={"text": "A topic is a named stream of messages.", "only": True})
        assert reply.status_code == 200
        assert reply.json()["outcome"].startswith("answered")
        assert_said(stage.client.get("/v1/search", params={"q": QUESTION}), Contract.NATIVE, INDEX)


@only(EMBEDDER)
def test_without_the_embedder_small_talk_and_contents_still_work(stage: Stage) -> None:
    with stage.failing(Fault.REFUSED):
        for question in ("Hello!", "What chapters are there?"):
            assert stage.ask(question=question).status_code == 200


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.TIMEOUT])
def test_without_the_model_a_second_writer_answers(backstage: Backstage, fault: Fault) -> None:
    with backstage.set(WRITER, fallback_writer=True) as stage:
        assert comes_true(lambda: stage.ask().json().get("writer") == "language_model")
        with stage.proxy.failing(fault):
            assert stage.ask().json()["writer"] == "extractive"
            assert comes_true(lambda: stage.ask().status_code == 200 and stage.breaker_state > 0)
        assert comes_true(lambda: stage.ask().json().get("writer") == "language_model")


def test_readiness_names_what_is_down(stage: Stage) -> None:
    with stage.failing(Fault.REFUSED):
        assert comes_true(lambda: down(stage) == {stage.dependency})
    assert comes_true(lambda: down(stage) == set())
    assert stage.client.get("/readyz").status_code == 200


def down(stage: Stage) -> set[str]:
    told = stage.client.get("/readyz").json()["dependencies"]
    return {name for name, probe in told.items() if probe["status"] == "down"}
