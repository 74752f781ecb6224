"""One run of an agent, as the words that its model says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from agents import Agent, Model, RunConfig, Runner, RunResultStreaming, StreamEvent, Tool, TResponseInputItem
from openai.types.responses import ResponseCompletedEvent, ResponseTextDeltaEvent

from glossator.adapters.writers.sdk.connection import settings_for
from glossator.adapters.writers.sdk.faults import run_errors
from glossator.adapters.writers.service import ModelService, RetryableFailure
from glossator.errors import WriterTimeout

# Two searches, one that is refused, the answer, and one to spare.
_TURNS = 5


@dataclass(frozen=True, slots=True)
class EndOfTurn:
    """The model has said what it says before its tools are called, or all of it."""


@dataclass(frozen=True, slots=True)
class ModelSpeaker:
    service: ModelService
    model: Model
    ends: float
    """When time is up, on the loop's clock."""
    tracing: bool = False

    async def speak(
        self, instructions: str, messages: list[TResponseInputItem], tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[str | EndOfTurn]:
        """Raises Stumbled."""
        agent = self._agent(instructions, tools)
        run = Runner.run_streamed(agent, messages, run_config=self._config(), max_turns=_TURNS)
        async with listening(run) as events:
            while event := await self._next(events):
                if event.type != "raw_response_event":
                    continue
                match event.data:
                    case ResponseTextDeltaEvent(delta=words):
                        yield words
                    case ResponseCompletedEvent():
                        yield EndOfTurn()
                    case _:
                        continue

    async def say(self, instructions: str, messages: list[TResponseInputItem]) -> str:
        """All at once; raises Stumbled."""
        agent = self._agent(instructions, ())
        with run_errors(self.service):
            async with _until(self.ends):
                result = await Runner.run(agent, messages, run_config=self._config(), max_turns=1)
        return str(result.final_output)

    def _agent(self, instructions: str, tools: Sequence[Tool]) -> Agent[None]:
        return Agent(
            name="Glossator",
            instructions=instructions,
            model=self.model,
            model_settings=settings_for(self.service),
            tools=list(tools),
        )

    def _config(self) -> RunConfig:
        return RunConfig(
            tracing_disabled=not self.tracing,
            trace_include_sensitive_data=False,
            # A tool that does not exist is the model's mistake, and it may answer without.
            tool_not_found_behavior="return_error_to_model",
        )

    async def _next(self, events: AsyncIterator[StreamEvent]) -> StreamEvent | None:
        # Around each step and not around all of them: while the reader of the words is at work,
        # it is the reader's task that a timeout would cancel.
        with run_errors(self.service):
            async with _until(self.ends):
                return await anext(events, None)


@asynccontextmanager
async def _until(ends: float) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout_at(ends):
            yield
    except TimeoutError as late:
        raise RetryableFailure(WriterTimeout(), again=False) from late


# The events of a run that ends with whoever listens to it.


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
