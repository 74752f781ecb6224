"""How long each step took."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager


class Stages:
    """`with stages("read"): …`"""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self.seconds = dict[str, float]()

    @contextmanager
    def __call__(self, name: str) -> Generator[None]:
        begun = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - begun, 4)

    @property
    def total(self) -> float:
        return round(time.perf_counter() - self._started, 4)
