"""Around the whole server: every request has a trace, is counted and timed, and leaves one line in the log.

Handlers add to the line with `note`. What a reader wrote stands in it only where the operator wants that; a
path never does, for there are ids in it: its template does.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import cast

import structlog
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.model import Answer
from glossator.web.middleware.metrics import Metrics, Served
from glossator.web.middleware.spans import Span, TraceSpans, end_span, trace_of_span
from glossator.web.trace import begin_trace, trace_id, trace_of

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_LEFT, _FAILED = 499, 500
"""Of a request that got no reply: because the caller left, as other servers write it, or because of us."""


def note(**facts: object) -> None:
    """Adds to the line of this request; `question` is left out unless the operator wants it."""
    if record := _RECORD.get():
        record.facts.update(facts)


def note_answer(answer: Answer) -> None:
    level = answer.confidence.level if answer.confidence else None
    note(outcome=answer.outcome, confidence=level, writer=answer.writer, exchange=answer.id)
    if record := _RECORD.get():
        record.timings = dict(answer.timings)


@dataclass(slots=True)
class _Record:
    """What becomes of a request while it is served."""

    method: str
    begun: float = field(default_factory=perf_counter)
    facts: dict[str, object] = field(default_factory=dict[str, object])
    timings: dict[str, float] = field(default_factory=dict[str, float])
    status: int | None = None
    sent: int = 0
    is_whole: bool = False
    has_left: bool = False

    def served(self, route: str) -> Served:
        return Served(
            contract=str(self.facts.get("contract", "")),
            route=route,
            method=self.method,
            status=self.status or (_LEFT if self.has_left else _FAILED),
            seconds=perf_counter() - self.begun,
            has_left=self.has_left,
        )


_RECORD: ContextVar[_Record | None] = ContextVar("glossator_record", default=None)


class Observe:
    """Outermost but for CORS: `Cors(Observe(app, metrics), keyring)`."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        *,
        names_questions: bool = False,
        spans: TraceSpans | None = None,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._names_questions = names_questions
        self._spans = spans

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = _Record(scope["method"] if scope["method"] in _METHODS else "OTHER")
        _RECORD.set(record)
        self._metrics.begin()
        with self._traced(scope) as span:
            try:
                await self._app(scope, _hearing(record, receive), _saying(record, send))
            except Exception as error:  # noqa: BLE001  nobody above can do better than cut the line
                # Whoever has sent a whole reply has told the log as well.
                if not record.is_whole:
                    structlog.get_logger().error("unexpected", exc_info=error)
            finally:
                self._tell(record, _route(scope), span)

    @contextmanager
    def _traced(self, scope: Scope) -> Generator[Span | None]:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if self._spans is not None:
            with self._spans.begin(headers) as span:
                begin_trace(trace_of_span(span))
                yield span
        else:
            begin_trace(trace_of(dict(headers).get(b"traceparent", b"")))
            yield None

    def _tell(self, record: _Record, route: str, span: Span | None) -> None:
        served = record.served(route)
        self._metrics.end(served)
        facts = {name: value for name, value in record.facts.items() if value is not None}
        if not self._names_questions:
            facts.pop("question", None)
        if served.has_left:
            facts["hang_up"] = True
        if span is not None:
            stages = {f"{name}_ms": milliseconds for name, milliseconds in record.timings.items()}
            end_span(span, served.method, route, served.status, facts | stages)
        known = _known(served, record.sent)
        # First what is known of every request; no fact can overwrite it.
        structlog.get_logger().info("request", **(known | facts | known))


def _hearing(record: _Record, receive: Receive) -> Receive:
    async def hear() -> Message:
        message = await receive()
        if message["type"] == "http.disconnect" and not record.is_whole:
            record.has_left = True
        return message

    return hear


def _saying(record: _Record, send: Send) -> Send:
    trace = (b"x-trace-id", trace_id().encode())

    async def say(message: Message) -> None:
        if message["type"] == "http.response.start":
            record.status = message["status"]
            message["headers"] = [*message.get("headers", ()), trace]
        elif message["type"] == "http.response.body":
            record.sent += len(message.get("body", b""))
            record.is_whole = not message.get("more_body", False)
        await send(message)

    return say


def _route(scope: Scope) -> str:
    """The template of the path, so that there are few; a star where no route was found, or nobody let in."""
    route = cast("object", scope.get("route"))
    prefix: str = scope.get("root_path", "")
    match route:
        case Mount():
            return f"{prefix}/*"
        case Route():
            return f"{prefix}{route.path}"
        case _:
            return "*"


def _known(served: Served, sent: int) -> dict[str, object]:
    return {
        "method": served.method,
        "route": served.route,
        "status": served.status,
        "ms": round(served.seconds * 1000, 1),
        "bytes": sent,
    }
