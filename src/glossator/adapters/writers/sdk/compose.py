"""An agent whose model composes, run for one question."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import cache
from typing import Any

from agents import Agent, ModelSettings, RunConfig, Runner, RunResult
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from glossator.adapters.writers.sdk.extractive_model import NAME, ExtractiveModel


async def compose(model: ExtractiveModel, question: str) -> list[str]:
    """What the model says, in its pieces; not as a stream, because it knows all of them at once."""
    config = RunConfig(model=model, tracing_disabled=True)
    result = await _to_its_end(Runner.run(_agent(), question, run_config=config, max_turns=1))
    return [
        part.text
        for response in result.raw_responses
        for said in response.output
        if isinstance(said, ResponseOutputMessage)
        for part in said.content
        if isinstance(part, ResponseOutputText)
    ]


async def _to_its_end(run: Coroutine[Any, Any, RunResult]) -> RunResult:
    """Also when the reader has left: cut off before the model's turn, the SDK leaves that one unawaited."""
    running = asyncio.create_task(run)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.gather(running, return_exceptions=True)
        raise


@cache
def _agent() -> Agent[None]:
    """One for all questions: to make an agent takes as long as a sixth of a run."""
    # A model by name, because for none the SDK copies the settings of its own default each time.
    return Agent(name="Glossator", model=NAME, model_settings=ModelSettings())
