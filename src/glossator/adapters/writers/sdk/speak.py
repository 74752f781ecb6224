"""Runs an agent of the SDK and returns the text that its model writes."""

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
_MAX_TURNS = 5


@dataclass(frozen=True, slots=True)
class EndOfTurn:
    """The model's text before a tool call, or its whole text, is complete."""


@dataclass(frozen=True, slots=True)
class AgentRunner:
    service: ModelService
    model: Model
    ends: float
    """The deadline, on the event loop's clock."""
    tracing: bool = False

    async def stream(
        self, instructions: str, messages: list[TResponseInputItem], tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[str | EndOfTurn]:
        """Yields the text as it comes. Raises RetryableFailure."""
        agent = self._agent(instructions, tools)
        run = Runner.run_streamed(agent, messages, run_config=self._config(), max_turns=_MAX_TURNS)
        async with _events(run) as events:
            while event := await self._next(events):
                if event.type != "raw_response_event":
                    continue
                match event.data:
                    case ResponseTextDeltaEvent(delta=text):
                        yield text
                    case ResponseCompletedEvent():
                        yield EndOfTurn()
                    case _:
                        continue

    async def complete(self, instructions: str, messages: list[TResponseInputItem]) -> str:
        """The whole text at once. Raises RetryableFailure."""
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
            # If the model calls a tool that does not exist, it can still answer without it.
            tool_not_found_behavior="return_error_to_model",
        )

    async def _next(self, events: AsyncIterator[StreamEvent]) -> StreamEvent | None:
        # The timeout is around each step: around the whole loop it would cancel the consumer's task while
        # the consumer works on the text.
        with run_errors(self.service):
            async with _until(self.ends):
                return await anext(events, None)


@asynccontextmanager
async def _until(deadline: float) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except TimeoutError as error:
        raise RetryableFailure(WriterTimeout(), may_retry=False) from error


@asynccontextmanager
async def _events(run: RunResultStreaming) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
    """Cancels the run when the consumer stops reading its events."""
    events = cast("AsyncGenerator[StreamEvent]", run.stream_events())
    try:
        yield events
    finally:
        run.cancel()
        await events.aclose()
        if run.run_loop_task:
            await asyncio.gather(run.run_loop_task, return_exceptions=True)
