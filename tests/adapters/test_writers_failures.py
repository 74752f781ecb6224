"""A language model on its bad days: the right error, in time, and never an answer from nowhere."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from glossator.adapters.writers.service import Api, ModelService, ModelTimeouts, RetryableFailure
from glossator.errors import (
    SettingsError,
    WriterBroken,
    WriterError,
    WriterRefused,
    WriterTimeout,
    WriterUnavailable,
)
from support.writers_bench import KEY, Bench, writers_bench
from support.writers_server import (
    Answer,
    cut_after,
    declines,
    drips,
    fails_after,
    hang_up,
    keeps_talking,
    raw,
    say_nothing,
    says,
    status,
)

GOOD = says("Over topics [1].")

REFUSALS: dict[str, Answer] = {
    "400": status(400, "the prompt is too long"),
    "401": status(401),
    "403": status(403),
    "404": status(404, "no such model"),
    "413": status(413),
    "422": status(422),
    "redirect": status(307, Location="http://127.0.0.1:9/"),
    "not json": raw(b"<h1>Bad Request</h1>", "text/html", 400),
}

STUMBLES: dict[str, tuple[Answer, type[WriterError]]] = {
    "429": (status(429), WriterUnavailable),
    "500": (status(500), WriterUnavailable),
    "502 from a proxy": (raw(b"<h1>Bad Gateway</h1>", "text/html", 502), WriterUnavailable),
    "503": (status(503), WriterUnavailable),
    "hangs up before a word": (hang_up, WriterUnavailable),
    "cut before a word": (cut_after(), WriterBroken),
    "an error before a word": (fails_after(), WriterBroken),
    "no finish before a word": (says(finish=None), WriterBroken),
    "nothing said": (says(), WriterBroken),
    "only blanks": (says(" ", "\n"), WriterBroken),
    "only thoughts": (says("<think>hm</think>"), WriterBroken),
    "thoughts without end": (says("<think>hm"), WriterBroken),
    "no events": (raw(b""), WriterBroken),
    "a page": (raw(b"<html>Welcome</html>", "text/html"), WriterBroken),
    "a page as events": (raw(b"<html>Welcome</html>\n\n"), WriterBroken),
    "not json": (raw(b"data: {not json\n\n"), WriterBroken),
    "not utf-8": (raw(b"data: \xff\xfe\n\n"), WriterBroken),
    "a number": (raw(b"data: 5\n\n"), WriterBroken),
    "a list": (raw(b"data: []\n\n"), WriterBroken),
    "another object": (raw(b'data: {"hello": 1}\n\n'), WriterBroken),
    "choices of letters": (raw(b'data: {"choices": "abc"}\n\n'), WriterBroken),
    "a delta of numbers": (raw(b'data: {"choices": [{"index": 0, "delta": 5}]}\n\n'), WriterBroken),
    "failed": (says(finish="error"), WriterBroken),
}

WITHHELD: dict[str, Answer] = {
    "content filter": says(finish="content_filter"),
    "too long for it": says(finish="length"),
    "declined": declines("I cannot help with that."),
}

BROKEN_OFF: dict[str, Answer] = {
    "cut": cut_after("Over ", "top"),
    "no finish": says("Over ", "top", finish=None),
    "length": says("Over ", "top", finish="length"),
    "content filter": says("Over ", "top", finish="content_filter"),
    "an error": fails_after("Over ", "top"),
    "failed": says("Over ", "top", finish="error"),
}


@pytest.fixture(params=list(Api))
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with writers_bench(request.param) as made:
        yield made


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_service_that_refuses_is_asked_once(bench: Bench, kind: str) -> None:
    with pytest.raises(WriterRefused) as refusal:
        bench.write(None, REFUSALS[kind])
    assert not refusal.value.retryable
    assert len(bench.server.calls) == 1


@pytest.mark.parametrize("kind", STUMBLES)
def test_a_service_that_stumbles_before_the_first_word_is_asked_again(bench: Bench, kind: str) -> None:
    stumble, _ = STUMBLES[kind]
    assert bench.write(None, stumble, stumble, GOOD) == "Over topics [1]."
    assert len(bench.server.calls) == 3


@pytest.mark.parametrize("kind", STUMBLES)
def test_after_three_tries_it_gives_up_and_says_that_later_may_be_better(bench: Bench, kind: str) -> None:
    stumble, expected = STUMBLES[kind]
    with pytest.raises(expected) as given_up:
        bench.write(None, stumble)
    assert given_up.value.retryable
    assert len(bench.server.calls) == 3
    assert bench.pieces == []


@pytest.mark.parametrize("kind", WITHHELD)
def test_what_would_only_happen_again_is_not_tried_again(bench: Bench, kind: str) -> None:
    with pytest.raises(WriterBroken):
        bench.write(None, WITHHELD[kind])
    assert len(bench.server.calls) == 1


@pytest.mark.parametrize("kind", BROKEN_OFF)
def test_an_answer_that_broke_off_is_an_error_and_never_begun_again(bench: Bench, kind: str) -> None:
    with pytest.raises(WriterBroken):
        bench.write(None, BROKEN_OFF[kind], GOOD)
    assert len(bench.server.calls) == 1
    assert "Over top".startswith("".join(bench.pieces))


def test_nobody_at_the_address_is_unavailable(bench: Bench) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        bench.service = replace(bench.service, base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        with pytest.raises(WriterUnavailable, match="cannot be reached") as nobody:
            bench.write(None, GOOD)
    assert nobody.value.retryable


@pytest.mark.parametrize("slow", [say_nothing, drips("word "), keeps_talking("word "), keeps_talking()])
def test_time_is_up_however_slowly_it_talks(bench: Bench, slow: Answer) -> None:
    bench.hurry(0.5)
    with pytest.raises(WriterTimeout) as late:
        bench.write(None, slow)
    assert late.value.retryable


def test_a_service_that_never_stops_is_stopped(bench: Bench) -> None:
    with pytest.raises(WriterBroken, match="did not come to an end"):
        bench.write(None, says(*["All work and no play. "] * 2000))


@dataclass(frozen=True)
class NotedWaits(ModelTimeouts):
    """Notes how long to wait, and does not."""

    waits: list[float | None] = field(default_factory=list[float | None])

    def wait(self, attempts: int, failure: RetryableFailure, remaining: float) -> float | None:
        self.waits.append(super().wait(attempts, failure, remaining))
        return 0.0


def test_the_wait_that_the_service_asks_for_is_kept(bench: Bench) -> None:
    bench.timeouts = noted = NotedWaits(seconds=20, first_wait=0.01)
    assert bench.write(None, status(429, Retry_After="7"), GOOD) == "Over topics [1]."
    assert noted.waits == [7.0]


def test_the_wait_may_be_given_as_a_date(bench: Bench) -> None:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    with pytest.raises(WriterUnavailable):
        bench.write(None, status(503, Retry_After=in_an_hour), GOOD)
    assert len(bench.server.calls) == 1


def test_a_wait_that_leaves_no_time_is_not_waited(bench: Bench) -> None:
    with pytest.raises(WriterUnavailable, match="come back tomorrow"):
        bench.write(None, status(429, "come back tomorrow", Retry_After="3600"), GOOD)
    assert len(bench.server.calls) == 1


def test_a_wait_that_makes_no_sense_is_ignored(bench: Bench) -> None:
    assert bench.write(None, status(429, Retry_After="soon"), GOOD) == "Over topics [1]."


def test_a_budget_that_is_spent_is_not_asked_again(bench: Bench) -> None:
    with pytest.raises(WriterUnavailable):
        bench.write(None, status(429, "pay first", error_code="insufficient_quota"), GOOD)
    assert len(bench.server.calls) == 1


def test_waits_grow_and_are_never_all_the_same() -> None:
    stumble = RetryableFailure(WriterUnavailable())
    shortest, longest = (ModelTimeouts(first_wait=1.0, chance=lambda luck=luck: luck) for luck in (0.0, 1.0))
    assert [shortest.wait(tried, stumble, remaining=25) for tried in (1, 2, 3)] == [0.5, 1.0, None]
    assert [longest.wait(tried, stumble, remaining=25) for tried in (1, 2, 3)] == [1.0, 2.0, None]


@pytest.mark.parametrize(
    "answer",
    [
        status(401, f"Incorrect API key provided: {KEY}"),
        status(400, f"Cannot use {KEY} here"),
        status(500, f"Crashed with {KEY}"),
        fails_after(message=f"Crashed with {KEY}"),
        hang_up,
        raw(f"data: {KEY}\n\n".encode()),
    ],
)
def test_the_key_is_in_no_error(bench: Bench, answer: Answer) -> None:
    with pytest.raises(WriterError) as refusal:
        bench.write(None, answer)
    assert KEY not in "".join(traceback.format_exception(refusal.value))


def test_the_key_and_the_address_are_in_no_repr(bench: Bench) -> None:
    service = ModelService("m", "http://reader:hush@models.example/v1", KEY)
    shown = f"{service!r} {service} {bench.writer()!r}"
    assert KEY not in shown
    assert "hush" not in shown


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": " "},
        {"base_url": "models.example/v1"},
        {"base_url": "ftp://models.example"},
        {"base_url": "http://[models"},
        {"base_url": "http://models.example:eighty"},
        {"api_key": "sk-\nsecret"},
        {"api_key": "sk-sécret"},
    ],
)
def test_a_service_that_cannot_be_is_refused_when_it_is_set_up(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as refusal:
        ModelService(**{"model": "m", **wrong})
    assert "cret" not in str(refusal.value)
