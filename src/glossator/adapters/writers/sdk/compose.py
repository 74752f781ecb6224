"""An agent whose model composes, run for one question."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import cache

from agents import Agent, ModelSettings, RunConfig, Runner
from openai.types.responses import ResponseTextDeltaEvent

from glossator.adapters.writers.sdk.extractive_model import ExtractiveModel
from glossator.adapters.writers.sdk.listening import listening


async def compose(model: ExtractiveModel, question: str) -> AsyncGenerator[str]:
    config = RunConfig(model=model, tracing_disabled=True)
    run = Runner.run_streamed(_agent(), question, run_config=config, max_turns=1)
    async with listening(run) as events:
        async for event in events:
            if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
                yield event.data.delta


@cache
def _agent() -> Agent[None]:
    """One for all questions: to make an agent takes as long as a sixth of a run."""
    return Agent(name="Glossator", model_settings=ModelSettings())
