"""Requests as spans, in the operator's own OpenTelemetry."""

from __future__ import annotations

import pytest

from glossator.web.middleware.spans import TraceSpans
from support.observe_app import observed

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> TraceSpans:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return TraceSpans(provider.get_tracer("glossator"))


def test_a_request_is_a_part_of_its_callers_trace(spans: TraceSpans, exporter: InMemorySpanExporter):
    with observed(spans=spans) as seen:
        parent = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
        reply = seen.client.post("/contracts/threads/ask", headers=parent)
        (span,) = exporter.get_finished_spans()
        assert span.context is not None
        assert (
            f"{span.context.trace_id:032x}" == TRACE == reply.headers["x-trace-id"] == seen.line["trace_id"]
        )
        assert (span.name, span.kind) == ("POST /contracts/threads/ask", SpanKind.SERVER)
        assert span.attributes is not None
        assert span.attributes["glossator.outcome"] == "answered"
        assert span.attributes["glossator.retrieve_ms"] == 12.0


def test_a_request_without_a_trace_begins_one(spans: TraceSpans, exporter: InMemorySpanExporter):
    with observed(spans=spans) as seen:
        reply = seen.client.get("/livez")
        (span,) = exporter.get_finished_spans()
        assert span.context is not None
        assert f"{span.context.trace_id:032x}" == reply.headers["x-trace-id"]


def test_a_span_says_nothing_that_a_reader_wrote(spans: TraceSpans, exporter: InMemorySpanExporter):
    with observed(spans=spans) as seen:
        seen.client.get("/contracts/threads/session/a-readers-own/history?q=what+a+reader+wrote")
        seen.client.post("/contracts/threads/ask")
        seen.client.get("/contracts/threads/fail")
        told = "".join(span.to_json() for span in exporter.get_finished_spans())
        assert exporter.get_finished_spans()[-1].status.status_code is StatusCode.ERROR
        for words in ("reader", "why do nodes talk"):
            assert words not in told


def test_without_an_sdk_there_are_none():
    assert TraceSpans.configured() is None
