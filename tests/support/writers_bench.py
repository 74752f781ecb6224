"""A language-model writer, the server it talks to, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from glossator.adapters.writers.language_model import LanguageModelWriter
from glossator.adapters.writers.service import Api, ModelService, ModelTimeouts
from glossator.model import Brief
from support.writers_briefs import brief
from support.writers_server import Answer, Server, model_server

KEY = "sk-very-secret-0123456789"


@dataclass
class Bench:
    server: Server
    service: ModelService
    timeouts: ModelTimeouts = field(default_factory=lambda: ModelTimeouts(seconds=20, first_wait=0.01))
    pieces: list[str] = field(default_factory=list[str])
    """What was written, also when an error came after it."""

    def writer(self, **options: Any) -> LanguageModelWriter:
        return LanguageModelWriter(self.service, timeouts=self.timeouts, **options)

    def write(self, asked: Brief | None = None, *answers: Answer, **options: Any) -> str:
        """The text of an answer for which the model says the answers, in turn."""
        self.server.will(*answers)
        return self.write_with(self.writer(**options), asked)

    def write_with(self, writer: LanguageModelWriter, asked: Brief | None = None) -> str:
        self.pieces.clear()

        async def run() -> None:
            async for piece in writer.write(asked or brief()):
                self.pieces.append(piece)

        asyncio.run(run())
        return "".join(self.pieces)

    def hurry(self, seconds: float) -> None:
        self.timeouts = replace(self.timeouts, seconds=seconds)


@contextmanager
def writers_bench(api: Api) -> Iterator[Bench]:
    with model_server() as server:
        yield Bench(server, ModelService("some-model", server.url, KEY, api))
