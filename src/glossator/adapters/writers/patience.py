"""How long a language model may take, and how often it is asked."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from glossator.errors import WriterError


class Stumbled(Exception):
    """A try that failed: the error to raise unless another one helps."""

    def __init__(
        self, error: WriterError, *, again: bool = True, after: float = 0.0, tools: bool = False
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again
        """Whether the same request may yet succeed."""
        self.after = after
        """How many seconds the service wants to be left alone."""
        self.tools = tools
        """Whether it may succeed without tools."""


@dataclass(frozen=True, slots=True)
class Patience:
    seconds: float = 25.0
    """In all: every try, every wait and every search between them."""
    tries: int = 3
    first_wait: float = 0.25
    chance: Callable[[], float] = random.random

    def wait(self, tried: int, stumble: Stumbled, left: float) -> float | None:
        """Seconds until the next try, after so many; None when there is no point in one."""
        if not stumble.again or tried >= self.tries:
            return None
        # Many askers that failed together must not all come back together.
        jitter = 0.5 + self.chance() / 2
        wait = max(stumble.after, self.first_wait * 2 ** (tried - 1) * jitter)
        return wait if wait < left else None
