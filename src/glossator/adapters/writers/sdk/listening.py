"""The events of a run that ends with whoever listens to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from agents import RunResultStreaming, StreamEvent


@asynccontextmanager
async def listening(run: RunResultStreaming) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
    events = cast("AsyncGenerator[StreamEvent]", run.stream_events())
    try:
        yield events
    finally:
        run.cancel()
        await events.aclose()
        if run.run_loop_task:
            await asyncio.gather(run.run_loop_task, return_exceptions=True)
