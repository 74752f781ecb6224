"""A small server with the parts that see, and what they saw."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from glossator.model import (
    Answer,
    Confidence,
    ConfidenceMetrics,
    Grounding,
    Level,
    Outcome,
    Policy,
)
from glossator.model.answer import BookIndex
from glossator.web.middleware import log
from glossator.web.middleware.metrics import Metrics
from glossator.web.middleware.observe import Observe, note, note_answer
from glossator.web.problem import install_error_handlers
from glossator.web.sse import EventStream, frame
from glossator.web.trace import trace_id


def answer() -> Answer:
    metrics = ConfidenceMetrics(
        0.9, 0.9, 0.9, 1, 0.0, Level.HIGH, should_answer=True, has_sufficient_context=True
    )
    return Answer(
        id="e1",
        outcome=Outcome.ANSWERED,
        text="Over topics.",
        claims=(),
        citations=(),
        confidence=Confidence(0.9, Level.HIGH, should_answer=True, policy=Policy.CALIBRATED, metrics=metrics),
        grounding=Grounding(is_fully_grounded=True),
        suggestions=(),
        disclaimer=None,
        writer="extractive",
        model=None,
        index=BookIndex(generation=7, book="Robots"),
        timings={"retrieve": 12.0, "write": 3.0, "total": 16.0},
        trace=(),
    )


class Observed:
    """What a test looks at afterwards."""

    def __init__(self, client: TestClient, metrics: Metrics, written: io.StringIO) -> None:
        self.client = client
        self.metrics = metrics
        self._written = written

    @property
    def written(self) -> str:
        return self._written.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.written.splitlines()]

    @property
    def line(self) -> Mapping[str, Any]:
        (only,) = [line for line in self.lines if line["event"] == "request"]
        return only

    @property
    def counted(self) -> str:
        return bytes(self.metrics.render().body).decode()


@contextmanager
def observed(*, secrets: tuple[str, ...] = (), **options: Any) -> Generator[Observed]:
    written, metrics = io.StringIO(), Metrics()
    log_questions = options.get("log_questions", False)
    with logging_to(written, secrets=secrets, log_questions=log_questions):
        app = Observe(_app(), metrics, **options)
        yield Observed(TestClient(app, raise_server_exceptions=False), metrics, written)


@contextmanager
def logging_to(stream: io.StringIO, **options: Any) -> Generator[None]:
    root, hook = logging.getLogger(), threading.excepthook
    handlers, level = list(root.handlers), root.level
    log.configure(log.Logging(stream=stream, is_json=options.pop("is_json", True), **options))
    try:
        yield
    finally:
        structlog.reset_defaults()
        logging.captureWarnings(False)
        root.handlers[:], threading.excepthook = handlers, hook
        root.setLevel(level)


def _app() -> Starlette:
    contract = FastAPI()
    install_error_handlers(
        contract, lambda problem: JSONResponse({"trace_id": problem.trace_id}, problem.status)
    )

    @contract.get("/session/{session_id}/history")
    async def history(session_id: str) -> str:
        note(contract="threads", key="k1")
        return trace_id()

    @contract.post("/ask")
    async def ask() -> Response:
        note(contract="threads", question="why do nodes talk")
        return EventStream(_frames())

    @contract.get("/fail")
    async def fail() -> Response:
        raise LookupError("what a reader wrote")

    return Starlette(
        routes=[
            Route("/livez", lambda request: PlainTextResponse("alive")),
            Mount("/contracts/threads", contract),
        ]
    )


async def _frames() -> AsyncGenerator[bytes]:
    """The answer is made in a task of its own, as the engine does it."""

    async def work() -> None:
        note_answer(answer())

    await asyncio.create_task(work())
    yield frame(trace_id().encode())
