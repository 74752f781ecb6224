"""What each step did and how long it took, for the answer's timings and for whoever asks to see the trace."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter

from glossator.model import Step


class Trace:
    def __init__(self) -> None:
        self._begun = perf_counter()
        self._steps = list[Step]()

    @contextmanager
    def step(self, name: str) -> Generator[dict[str, object]]:
        """Yields a place for what there is to tell of the step."""
        begun, facts = perf_counter(), dict[str, object]()
        try:
            yield facts
        finally:
            self._steps.append(Step(name, perf_counter() - begun, facts))

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self._steps)

    @property
    def timings(self) -> dict[str, float]:
        """In milliseconds; of a step that came several times, their sum."""
        sums = dict[str, float]()
        for step in self._steps:
            sums[step.name] = sums.get(step.name, 0.0) + step.seconds
        sums["total"] = perf_counter() - self._begun
        return {name: round(seconds * 1000, 3) for name, seconds in sums.items()}
