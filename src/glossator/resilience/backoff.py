"""Exponential backoff with jitter: how long to wait before the next attempt."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

Chance = Callable[[], float]
"""A number from 0 to 1."""


def backoff(
    failures: int, first_wait: float, *, longest_wait: float = math.inf, chance: Chance = random.random
) -> float:
    """Seconds to wait after so many failures: between half and all of a wait that doubles each time."""
    # Jitter: callers that failed together must not retry together.
    jitter = 0.5 + chance() / 2
    return min(first_wait * 2 ** (failures - 1), longest_wait) * jitter
