"""A breaker on a clock of the test's own."""

from __future__ import annotations

from glossator.resilience.circuit_breaker import Breaker, Dependency

MOST = 3
SECONDS = 10.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Bench:
    def __init__(self, dependency: Dependency) -> None:
        self.clock = Clock()
        self.breaker = Breaker(dependency, failures=MOST, seconds=SECONDS, clock=self.clock)
