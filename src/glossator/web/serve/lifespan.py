"""Begins an application and ends it, as ASGI has it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Message


@asynccontextmanager
async def lifespan(app: ASGIApp) -> AsyncGenerator[dict[str, Any]]:
    """Yields what the application keeps for its requests; raises what went wrong in it."""
    spoken = _Spoken(app)
    await spoken.say("startup")
    try:
        yield spoken.state
    finally:
        await spoken.say("shutdown")


class _Spoken:
    def __init__(self, app: ASGIApp) -> None:
        self.state = dict[str, Any]()
        self._said = asyncio.Queue[Message]()
        self._heard = asyncio.Queue[Message]()
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        self._task = asyncio.ensure_future(app(scope, self._said.get, self._heard.put))

    async def say(self, phase: str) -> None:
        await self._said.put({"type": f"lifespan.{phase}"})
        hearing = asyncio.create_task(self._heard.get())
        await asyncio.wait((hearing, self._task), return_when=asyncio.FIRST_COMPLETED)
        if not hearing.done() or hearing.result()["type"] != f"lifespan.{phase}.complete":
            hearing.cancel()
            await self._task
            raise RuntimeError(f"The application broke off at its {phase}.")
