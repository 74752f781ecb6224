"""Middleware around the whole server: gives every request a trace, counts and times it, and logs one line.

Handlers add to the line with `note`. Questions are logged only if the operator wants that. Paths are never
logged, because they hold ids; the route's template is.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, cast

import structlog
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glossator.model import Answer
from glossator.web.middleware.metrics import Metrics, ServedRequest
from glossator.web.middleware.spans import TraceSpans, end_span, trace_of_span
from glossator.web.trace import begin_trace, parse_traceparent, trace_id

if TYPE_CHECKING:
    from opentelemetry.trace import Span

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_BOOK = re.compile(r"^/b/[^/]+")
_CLIENT_LEFT, _FAILED = 499, 500
"""The status of a request without a reply: the client disconnected (499, as in nginx), or we failed."""


def note(**facts: object) -> None:
    """Adds to this request's log line; `question` is left out unless the operator wants it."""
    if record := _RECORD.get():
        record.facts.update(facts)


def note_answer(answer: Answer) -> None:
    level = answer.confidence.level if answer.confidence else None
    note(outcome=answer.outcome, confidence=level, writer=answer.writer, exchange=answer.id)
    if record := _RECORD.get():
        record.timings = dict(answer.timings)


@dataclass(slots=True)
class _Record:
    """What is known of a request while it is served."""

    method: str
    begun: float = field(default_factory=perf_counter)
    facts: dict[str, object] = field(default_factory=dict[str, object])
    timings: dict[str, float] = field(default_factory=dict[str, float])
    status: int | None = None
    sent: int = 0
    is_complete: bool = False
    has_left: bool = False

    def served(self, route: str) -> ServedRequest:
        return ServedRequest(
            contract=str(self.facts.get("contract", "")),
            route=route,
            method=self.method,
            status=self.status or (_CLIENT_LEFT if self.has_left else _FAILED),
            seconds=perf_counter() - self.begun,
            has_left=self.has_left,
        )


_RECORD: ContextVar[_Record | None] = ContextVar("glossator_record", default=None)


class Observe:
    """Only CORS is further out: `Cors(Observe(app, metrics), keyring)`."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        *,
        log_questions: bool = False,
        spans: TraceSpans | None = None,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._log_questions = log_questions
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
                await self._app(scope, _recording_receive(record, receive), _recording_send(record, send))
            except Exception as error:  # noqa: BLE001  the server above could only close the connection
                # Whoever sent a complete reply has logged the error already.
                if not record.is_complete:
                    structlog.get_logger().error("unexpected", exc_info=error)
            finally:
                self._report(record, _route(scope), span)

    @contextmanager
    def _traced(self, scope: Scope) -> Generator[Span | None]:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if self._spans is not None:
            with self._spans.begin(headers) as span:
                begin_trace(trace_of_span(span))
                yield span
        else:
            begin_trace(parse_traceparent(dict(headers).get(b"traceparent", b"")))
            yield None

    def _report(self, record: _Record, route: str, span: Span | None) -> None:
        served = record.served(route)
        self._metrics.end(served)
        facts = {name: value for name, value in record.facts.items() if value is not None}
        if not self._log_questions:
            facts.pop("question", None)
        if served.has_left:
            facts["hang_up"] = True
        if span is not None:
            stages = {f"{name}_ms": milliseconds for name, milliseconds in record.timings.items()}
            end_span(span, served.method, route, served.status, facts | stages)
        basics = _basics(served, record.sent)
        # First for their order in the line, and last because no fact may overwrite them.
        structlog.get_logger().info("request", **(basics | facts | basics))


def _recording_receive(record: _Record, receive: Receive) -> Receive:
    async def receive_and_record() -> Message:
        message = await receive()
        if message["type"] == "http.disconnect" and not record.is_complete:
            record.has_left = True
        return message

    return receive_and_record


def _recording_send(record: _Record, send: Send) -> Send:
    trace = (b"x-trace-id", trace_id().encode())

    async def send_and_record(message: Message) -> None:
        if message["type"] == "http.response.start":
            record.status = message["status"]
            message["headers"] = [*message.get("headers", ()), trace]
        elif message["type"] == "http.response.body":
            record.sent += len(message.get("body", b""))
            record.is_complete = not message.get("more_body", False)
        await send(message)

    return send_and_record


def _route(scope: Scope) -> str:
    """The route's template; `*` where no route was found, or the guard refused before routing."""
    route = cast("object", scope.get("route"))
    # Without the name: everybody can make one up, and each would be a time series of its own.
    prefix = _BOOK.sub("/b/{book}", scope.get("root_path", ""))
    match route:
        case Mount():
            return f"{prefix}/*"
        case Route():
            return f"{prefix}{route.path}"
        case _:
            return "*"


def _basics(served: ServedRequest, sent: int) -> dict[str, object]:
    return {
        "method": served.method,
        "route": served.route,
        "status": served.status,
        "ms": round(served.seconds * 1000, 1),
        "bytes": sent,
    }
