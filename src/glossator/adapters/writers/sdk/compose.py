"""An agent whose model composes, run for one question."""

from __future__ import annotations

from functools import cache

from agents import Agent, ModelSettings, RunConfig, Runner
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from glossator.adapters.writers.sdk.extractive_model import NAME, ExtractiveModel


async def compose(model: ExtractiveModel, question: str) -> list[str]:
    """What the model says, in its pieces; not as a stream, because it knows all of them at once."""
    config = RunConfig(model=model, tracing_disabled=True)
    run = await Runner.run(_agent(), question, run_config=config, max_turns=1)
    return [
        part.text
        for response in run.raw_responses
        for said in response.output
        if isinstance(said, ResponseOutputMessage)
        for part in said.content
        if isinstance(part, ResponseOutputText)
    ]


@cache
def _agent() -> Agent[None]:
    """One for all questions: to make an agent takes as long as a sixth of a run."""
    # A model by name, because for none the SDK copies the settings of its own default each time.
    return Agent(name="Glossator", model=NAME, model_settings=ModelSettings())
