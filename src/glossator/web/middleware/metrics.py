"""Prometheus metrics. Their labels come from closed lists, never from a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.responses import Response

from glossator.answer.result_cache import ResultCache
from glossator.model import Answer, TurnStatus
from glossator.resilience.circuit_breaker import Breaker, State
from glossator.sessions.limits import ConcurrencyLimiter

_FORMAT = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_STATES = {State.CLOSED: 0, State.HALF_OPEN: 1, State.OPEN: 2}
_Mode = Literal["livesum", "livemax"]
_SAMPLE_SECONDS = 1.0
"""How often the queue and the breakers are sampled between two scrapes."""


@dataclass(frozen=True, slots=True)
class ServedRequest:
    """A request that has ended."""

    contract: str
    route: str
    """The route's template, never the path."""
    method: str
    status: int
    seconds: float
    has_left: bool = False
    """Whether the client disconnected before the end."""


class Metrics:
    """One for each application; with several worker processes, `render` sums over all of them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._limiter: ConcurrencyLimiter | None = None
        self._breakers: Mapping[str, Breaker] = {}
        self._cache: ResultCache | None = None
        self._refused = self._hits = self._misses = 0
        self._sampled_at = 0.0
        self._make_requests()
        self._make_answers()
        self._make_dependencies()

    def _make_requests(self) -> None:
        labels = ("contract", "route", "method", "status")
        self._requests = self._counter("requests", "Requests that have ended.", labels)
        self._request_seconds = self._histogram("request_seconds", "From first to last byte.", labels[:2])
        self._in_flight = self._gauge("requests_in_flight", "Requests that are being served.")
        self._hang_ups = self._counter("hang_ups", "Callers who left before the end.", ("contract",))

    def _make_answers(self) -> None:
        self._answers = self._counter(
            "answers", "Answers that were given.", ("contract", "outcome", "writer")
        )
        self._confidence = self._counter("confidence", "Judgements on the evidence.", ("level",))
        self._stages = self._histogram("stage_seconds", "Steps on the way to an answer.", ("stage",))
        self._first_text = self._histogram("first_text_seconds", "Until the first words.", ("contract",))
        self._tokens = self._counter("tokens", "Word pieces of questions and answers.", ("kind",))
        self._turns = self._counter("turns", "Questions in sessions, by how they ended.", ("status",))

    def _make_dependencies(self) -> None:
        self._waiting = self._gauge("questions_waiting", "Questions that wait for a place.")
        self._turned_away = self._counter("questions_refused", "Questions for which there was no place.")
        self._breaker = self._gauge(
            "breaker_state", "0 closed, 1 half open, 2 open.", ("dependency",), mode="livemax"
        )
        self._cached = self._counter("result_cache", "Lookups of questions that may repeat.", ("result",))
        self._cache_bytes = self._gauge("result_cache_bytes", "Size of the cache of results.")
        self._generation = self._gauge("index_generation", "Of the book that is served.", mode="livemax")

    def begin(self) -> None:
        self._in_flight.inc()

    def end(self, served: ServedRequest) -> None:
        self._in_flight.dec()
        self._requests.labels(served.contract, served.route, served.method, str(served.status)).inc()
        self._request_seconds.labels(served.contract, served.route).observe(served.seconds)
        if served.has_left:
            self._hang_ups.labels(served.contract).inc()
        if monotonic() - self._sampled_at > _SAMPLE_SECONDS:
            self._sample()

    def answered(self, contract: str, answer: Answer) -> None:
        self._answers.labels(contract, answer.outcome, answer.writer or "none").inc()
        if answer.confidence is not None:
            self._confidence.labels(answer.confidence.level).inc()
        for stage, milliseconds in answer.timings.items():
            self._stages.labels(stage).observe(milliseconds / 1000)
        if answer.index is not None:
            self.serves(answer.index.generation)

    def first_text(self, contract: str, seconds: float) -> None:
        self._first_text.labels(contract).observe(seconds)

    def tokens(self, kind: str, count: int) -> None:
        """`kind` is `question` or `answer`."""
        self._tokens.labels(kind).inc(count)

    def turn(self, status: TurnStatus) -> None:
        self._turns.labels(status).inc()

    def serves(self, generation: int) -> None:
        self._generation.set(generation)

    def watch(
        self, limiter: ConcurrencyLimiter, breakers: Mapping[str, Breaker], cache: ResultCache | None = None
    ) -> None:
        """`breakers` by the names of the dependencies."""
        self._limiter, self._breakers, self._cache = limiter, breakers, cache

    def render(self) -> Response:
        self._sample()
        return Response(generate_latest(self._of_all_processes()), headers={"Content-Type": _FORMAT})

    def _sample(self) -> None:
        self._sampled_at = monotonic()
        if self._limiter is not None:
            self._waiting.set(self._limiter.waiting)
            self._turned_away.inc(self._limiter.refused - self._refused)
            self._refused = self._limiter.refused
        if self._cache is not None:
            self._sample_cache(self._cache)
        for name, breaker in self._breakers.items():
            self._breaker.labels(name).set(_STATES[breaker.state])

    def _sample_cache(self, cache: ResultCache) -> None:
        self._cache_bytes.set(cache.size)
        self._cached.labels("hit").inc(cache.hits - self._hits)
        self._cached.labels("miss").inc(cache.misses - self._misses)
        self._hits, self._misses = cache.hits, cache.misses

    def _of_all_processes(self) -> CollectorRegistry:
        shared = CollectorRegistry()
        try:
            MultiProcessCollector(shared)
        except ValueError:
            # PROMETHEUS_MULTIPROC_DIR is not set: there is only this process.
            return self._registry
        return shared

    def _counter(self, name: str, text: str, labels: Sequence[str] = ()) -> Counter:
        return Counter(f"glossator_{name}", text, labels, registry=self._registry)

    def _histogram(self, name: str, text: str, labels: Sequence[str] = ()) -> Histogram:
        return Histogram(f"glossator_{name}", text, labels, registry=self._registry, buckets=_SECONDS)

    def _gauge(self, name: str, text: str, labels: Sequence[str] = (), *, mode: _Mode = "livesum") -> Gauge:
        return Gauge(f"glossator_{name}", text, labels, registry=self._registry, multiprocess_mode=mode)
