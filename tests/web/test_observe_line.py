"""The one line that each request leaves, and the trace by which it is found."""

from __future__ import annotations

import asyncio
import re

import pytest
from starlette.types import Message, Receive, Scope, Send

from glossator.web.middleware.metrics import Metrics
from glossator.web.middleware.observe import Observe, note
from support.observe_app import observed

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_a_request_leaves_one_line_with_the_template_of_its_path_and_no_id():
    with observed() as seen:
        seen.client.get("/contracts/threads/session/abc-123/history")
        line = dict(seen.line)
        assert line.pop("ms") > 0
        assert line.pop("bytes") > 0
        assert re.fullmatch(r"[0-9a-f]{32}", line.pop("trace_id"))
        assert line.pop("timestamp").endswith("Z")
        assert line == {
            "event": "request",
            "level": "info",
            "method": "GET",
            "route": "/contracts/threads/session/{session_id}/history",
            "status": 200,
            "contract": "threads",
            "key": "k1",
        }
        assert "abc-123" not in seen.written


def test_what_came_of_a_question_is_in_the_line_though_another_task_found_it():
    with observed() as seen:
        seen.client.post("/contracts/threads/ask")
        line = seen.line
        assert (line["outcome"], line["confidence"], line["writer"], line["exchange"]) == (
            "answered",
            "high",
            "extractive",
            "e1",
        )


@pytest.mark.parametrize("log_questions", [False, True])
def test_a_question_is_in_the_log_only_where_the_operator_wants_it(log_questions: bool):
    with observed(log_questions=log_questions) as seen:
        seen.client.post("/contracts/threads/ask")
        assert ("why do nodes talk" in seen.written) is log_questions


def test_the_same_trace_is_in_the_reply_the_header_and_the_log():
    with observed() as seen:
        reply = seen.client.get("/contracts/threads/session/1/history")
        assert reply.json() == reply.headers["x-trace-id"] == seen.line["trace_id"]


def test_two_requests_have_two_traces():
    with observed() as seen:
        seen.client.get("/livez")
        seen.client.get("/livez")
        first, second = (line["trace_id"] for line in seen.lines)
        assert first != second


def test_a_caller_who_has_a_trace_keeps_it():
    with observed() as seen:
        reply = seen.client.get("/livez", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
        assert reply.headers["x-trace-id"] == TRACE == seen.line["trace_id"]


@pytest.mark.parametrize(
    "given",
    [
        f"00-{TRACE}-{PARENT}",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01-more",
        f"00-{TRACE}<script>-{PARENT}-01",
    ],
)
def test_what_is_no_trace_is_not_taken_for_one(given: str):
    with observed() as seen:
        reply = seen.client.get("/livez", headers={"traceparent": given})
        assert re.fullmatch(r"[0-9a-f]{32}", reply.headers["x-trace-id"])
        assert reply.headers["x-trace-id"] != TRACE


def test_a_later_version_of_the_standard_may_say_more():
    with observed() as seen:
        reply = seen.client.get("/livez", headers={"traceparent": f"cc-{TRACE}-{PARENT}-01-more"})
        assert reply.headers["x-trace-id"] == TRACE


@pytest.mark.parametrize(
    ("path", "route"),
    [("/nowhere/at/all", "*"), ("/contracts/threads/nowhere", "/contracts/threads/*"), ("/livez", "/livez")],
)
def test_a_path_that_leads_nowhere_is_a_star(path: str, route: str):
    with observed() as seen:
        seen.client.get(path)
        assert seen.line["route"] == route


def test_an_error_nobody_expected_is_told_with_its_place_and_without_its_words():
    with observed() as seen:
        reply = seen.client.get("/contracts/threads/fail")
        assert reply.json() == {"trace_id": seen.line["trace_id"]}
        assert seen.line["status"] == 500
        (unexpected,) = [line for line in seen.lines if line["event"] == "unexpected"]
        assert unexpected["trace_id"] == seen.line["trace_id"]
        assert "observe_app.py" in unexpected["exception"]
        assert unexpected["exception"].endswith("\nLookupError")


def test_a_caller_who_leaves_before_the_reply_is_written_down_as_such():
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.disconnect"

    with observed() as seen:
        asyncio.run(_call(Observe(app, seen.metrics)))
        assert (seen.line["status"], seen.line["hang_up"]) == (499, True)
        assert 'glossator_hang_ups_total{contract=""} 1.0' in seen.counted


def test_an_application_that_raises_leaves_one_traceback_and_its_line():
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise LookupError("what a reader wrote")

    with observed() as seen:
        asyncio.run(_call(Observe(app, seen.metrics)))
        unexpected, line = seen.lines
        assert unexpected["trace_id"] == line["trace_id"]
        assert unexpected["exception"].endswith(
            'in app\n    raise LookupError("what a reader wrote")\nLookupError'
        )
        assert line["status"] == 500


def test_a_request_that_is_given_up_still_has_its_line():
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.Event().wait()

    async def given_up(observe: Observe) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await _call(observe)

    with observed() as seen:
        asyncio.run(given_up(Observe(app, seen.metrics)))
        assert seen.line["route"] == "*"
        assert "glossator_requests_in_flight 0.0" in seen.counted


def test_a_fact_cannot_overwrite_what_the_server_knows():
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        note(status=200, route="/elsewhere")

    with observed() as seen:
        asyncio.run(_call(Observe(app, seen.metrics)))
        assert (seen.line["status"], seen.line["route"]) == (500, "*")


def test_a_note_outside_of_any_request_is_nobodys():
    note(contract="native")
    assert "native" not in bytes(Metrics().render().body).decode()


async def _call(observe: Observe) -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        pass

    await observe({"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send)
