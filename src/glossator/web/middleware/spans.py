"""A span for each request, if the operator configured an OpenTelemetry SDK."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from glossator.extras import has_extra

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_PROPAGATED = (b"traceparent", b"tracestate", b"baggage")


class TraceSpans:
    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @classmethod
    def configured(cls) -> TraceSpans | None:
        """None without an SDK, where spans would go nowhere; an SDK brings what the extra `otel` has."""
        if not has_extra("otel"):
            return None
        from opentelemetry import trace

        provider = trace.get_tracer_provider()
        if isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider):
            return None
        return cls(provider.get_tracer("glossator"))

    @contextmanager
    def begin(self, headers: list[tuple[bytes, bytes]]) -> Generator[Span]:
        """Continues the caller's trace, if the headers carry one."""
        from opentelemetry import propagate
        from opentelemetry.trace import SpanKind

        carrier = {name.decode(): value.decode("latin-1") for name, value in headers if name in _PROPAGATED}
        # An exception's message may hold a reader's words; the log leaves them out.
        with self._tracer.start_as_current_span(
            "request",
            context=propagate.extract(carrier),
            kind=SpanKind.SERVER,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            yield span


def trace_of_span(span: Span) -> str:
    return f"{span.get_span_context().trace_id:032x}"


def end_span(span: Span, method: str, route: str, status: int, facts: Mapping[str, object]) -> None:
    span.update_name(f"{method} {route}")
    span.set_attribute("http.request.method", method)
    span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)
    for name, value in facts.items():
        if isinstance(value, str | bool | int | float):
            span.set_attribute(f"glossator.{name}", value)
    if status >= 500:
        from opentelemetry.trace import Status, StatusCode

        span.set_status(Status(StatusCode.ERROR))
