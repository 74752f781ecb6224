"""Trying again, later and later."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from glossator.errors import EmbedderUnavailable

T = TypeVar("T")


class TryAgain(EmbedderUnavailable):
    """The service is busy."""

    def __init__(self, message: str, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after
        """How many seconds the service wants to be left alone."""


@dataclass(frozen=True, slots=True)
class Backoff:
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def run(self, attempt: Callable[[], T]) -> T:
        """What `attempt` returns; TryAgain is raised only when there is no point in another try."""
        for number in range(self.attempts - 1):
            try:
                return attempt()
            except TryAgain as refusal:
                if refusal.after > self.longest_wait:
                    raise
                self.sleep(max(refusal.after, self._wait(number)))
        return attempt()

    def _wait(self, number: int) -> float:
        # Many clients that failed together must not all come back together.
        jitter = 0.5 + self.chance() / 2
        return min(self.first_wait * 2**number, self.longest_wait) * jitter
