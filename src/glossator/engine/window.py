"""What the writer sees of the conversation so far."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.model import Exchange
from glossator.ports import Embedder

MOST_EXCHANGES = 5
"""Ten messages."""
MOST_TOKENS = 8000


def window(history: Sequence[Exchange], embedder: Embedder) -> tuple[Exchange, ...]:
    """The last exchanges that fit, oldest first; never half of one."""
    latest = list(history[-MOST_EXCHANGES:])
    tokens = embedder.count_tokens([f"{one.question}\n{one.answer}" for one in latest])
    while latest and sum(tokens) > MOST_TOKENS:
        latest, tokens = latest[1:], tokens[1:]
    return tuple(latest)
