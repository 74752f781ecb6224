"""Loading the agents SDK, which takes seconds, before the first question waits for it."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from importlib import import_module

_HEAVY = ("glossator.adapters.writers.sdk.compose", "glossator.adapters.writers.sdk.draft")


def warm_up() -> threading.Thread:
    """Load it beside whatever else is being opened."""
    thread = threading.Thread(target=_load, name="warm-up", daemon=True)
    thread.start()
    return thread


async def ready() -> None:
    """Loaded when it returns; meanwhile the loop goes on with other questions."""
    if any(name not in sys.modules for name in _HEAVY):
        await asyncio.to_thread(_load)


def _load() -> None:
    # Without a handler of its own the SDK's complaints, which are our errors too, land on stderr.
    logging.getLogger("openai.agents").addHandler(logging.NullHandler())
    for name in _HEAVY:
        import_module(name)
