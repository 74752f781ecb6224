"""What Prometheus reads."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

import pytest

from glossator.answer.result_cache import ResultCache
from glossator.errors import IndexUnavailable, Overloaded
from glossator.model import TurnStatus
from glossator.resilience.circuit_breaker import Breaker, Dependency
from glossator.sessions.limits import ConcurrencyLimiter
from glossator.web.middleware.metrics import Metrics
from support.observe_app import answer, observed


def read(metrics: Metrics) -> str:
    response = metrics.render()
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    return bytes(response.body).decode()


def test_requests_are_counted_by_contract_template_and_status():
    with observed() as seen:
        for session in range(20):
            seen.client.get(f"/contracts/threads/session/{session}/history")
        route = "/contracts/threads/session/{session_id}/history"
        labels = f'contract="threads",method="GET",route="{route}",status="200"'
        assert f"glossator_requests_total{{{labels}}} 20.0" in seen.counted
        assert f'glossator_request_seconds_count{{contract="threads",route="{route}"}} 20.0' in seen.counted
        assert "glossator_requests_in_flight 0.0" in seen.counted


def test_callers_cannot_make_the_list_of_labels_long():
    with observed() as seen:
        for number in range(20):
            seen.client.get(f"/nowhere/{number}")
            seen.client.request(f"METHOD{number}", "/livez", headers={"x-a": "b"})
        assert len(re.findall(r"^glossator_requests_total", seen.counted, re.MULTILINE)) == 2
        assert 'method="OTHER"' in seen.counted


def test_an_answer_is_counted_by_what_came_of_it_and_timed_by_stage():
    metrics = Metrics()
    metrics.answered("native", answer())
    metrics.first_text("native", 0.02)
    told = read(metrics)
    assert 'glossator_answers_total{contract="native",outcome="answered",writer="extractive"} 1.0' in told
    assert 'glossator_confidence_total{level="high"} 1.0' in told
    assert 'glossator_stage_seconds_sum{stage="retrieve"} 0.012' in told
    assert 'glossator_stage_seconds_bucket{le="0.025",stage="retrieve"} 1.0' in told
    assert 'glossator_first_text_seconds_count{contract="native"} 1.0' in told
    assert "glossator_index_generation 7.0" in told


def test_turns_and_tokens_are_counted_by_kind():
    metrics = Metrics()
    metrics.turn(TurnStatus.COMPLETE)
    metrics.turn(TurnStatus.INTERRUPTED)
    metrics.tokens("embedded", 12)
    metrics.tokens("embedded", 30)
    told = read(metrics)
    assert 'glossator_turns_total{status="complete"} 1.0' in told
    assert 'glossator_turns_total{status="interrupted"} 1.0' in told
    assert 'glossator_tokens_total{kind="embedded"} 42.0' in told


def test_the_queue_is_told_as_it_is_now_and_those_turned_away_as_they_come():
    async def crowd() -> None:
        limiter, metrics = ConcurrencyLimiter(running=1, waiting=1), Metrics()
        metrics.watch(limiter, {})
        async with limiter.place():
            second = asyncio.create_task(_come(limiter))
            await asyncio.sleep(0)
            for _ in range(2):
                with pytest.raises(Overloaded):
                    await _come(limiter)
                told = read(metrics)
            assert "glossator_questions_waiting 1.0" in told
            assert "glossator_questions_refused_total 2.0" in told
        await second
        assert "glossator_questions_waiting 0.0" in read(metrics)

    asyncio.run(crowd())


async def _come(limiter: ConcurrencyLimiter) -> None:
    async with limiter.place():
        pass


def test_a_breaker_is_told_as_it_stands():
    now = [0.0]
    breaker, metrics = Breaker(Dependency.INDEX, failures=1, seconds=10, clock=lambda: now[0]), Metrics()
    metrics.watch(ConcurrencyLimiter(), {"index": breaker})
    state = 'glossator_breaker_state{dependency="index"}'
    assert f"{state} 0.0" in read(metrics)
    with suppress(IndexUnavailable), breaker.watch():
        raise IndexUnavailable
    assert f"{state} 2.0" in read(metrics)
    now[0] = 11
    assert f"{state} 1.0" in read(metrics)


def test_lookups_in_the_cache_are_counted_as_hits_and_misses():
    metrics, cache = Metrics(), ResultCache()
    metrics.watch(ConcurrencyLimiter(), {}, cache)
    cache.hits, cache.misses, cache.size = 3, 2, 4096
    for _ in range(2):
        told = read(metrics)
        assert 'glossator_result_cache_total{result="hit"} 3.0' in told
        assert 'glossator_result_cache_total{result="miss"} 2.0' in told
        assert "glossator_result_cache_bytes 4096.0" in told


def test_two_applications_in_one_process_count_apart():
    first, second = Metrics(), Metrics()
    first.tokens("embedded", 1)
    assert "embedded" not in read(second)
