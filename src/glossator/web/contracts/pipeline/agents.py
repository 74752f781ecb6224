"""What each stage of the pipeline contract leaves in the trace of a request.

A trace goes into the log, so it counts and never quotes: no word of question or answer stands in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from contextlib import aclosing
from enum import StrEnum
from time import perf_counter
from typing import Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from glossator.engine import Running
from glossator.model import Answer, Answered, Reached, Stage, Step

Fact = str | int | float | list[str]


class AgentName(StrEnum):
    CHAT = "RAGChatAgent"
    ROUTER = "QueryRouterAgent"
    RETRIEVAL = "QdrantRetrievalAgent"
    SYNTHESIS = "AnswerSynthesisAgent"
    RECOVERY = "ErrorRecoveryAgent"


class ErrorType(StrEnum):
    NETWORK = "network"
    DATABASE = "database"
    LLM = "llm"
    VALIDATION = "validation"
    AGENT = "agent"
    UNKNOWN = "unknown"


class ErrorContext(BaseModel):
    model_config = ConfigDict(frozen=True)

    error_type: ErrorType
    original_error: str = Field(exclude=True, description="For the log only.")
    user_safe_message: str
    retry_able: bool
    log_details: dict[str, str]


class AgentResponse(BaseModel):
    model_config = ConfigDict(frozen=True)

    success: bool
    agent_name: AgentName
    result_data: dict[str, Fact] | None
    error_details: ErrorContext | None
    execution_time_ms: float = Field(gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def has_its_outcome(self) -> Self:
        if not self.success and self.error_details is None:
            raise ValueError("a failure has its error details")
        if self.success and self.result_data is None:
            raise ValueError("a success has its result data")
        return self


def agents_of(answer: Answer) -> list[AgentResponse]:
    """Those that had a part in the answer, in the order in which they ended."""
    stages = [_of_steps(agent, answer.trace) for agent in dict.fromkeys(_AGENTS.values())]
    whole = {"outcome": str(answer.outcome), "citations": len(answer.citations)}
    return [
        *(stage for stage in stages if stage is not None),
        _succeeded(AgentName.CHAT, whole, answer.timings["total"] / 1000),
    ]


class Watch:
    """How far a question has come, so that the trace of one that fails tells who failed."""

    def __init__(self, *, is_shown: bool) -> None:
        self.is_shown = is_shown
        """Whether the caller asked for the trace, and may see it."""
        self._begun = self._entered = perf_counter()
        self._agent: AgentName | None = None
        self._passed = list[AgentResponse]()

    async def follow(self, running: Running) -> Answer:
        self._enter(AgentName.ROUTER)
        async with aclosing(running.events()) as events:
            async for heard in events:
                match heard.event:
                    case Reached(stage) if stage in _ENTERED:
                        self._enter(_ENTERED[stage])
                    case Answered(answer):
                        return answer
                    case _:
                        pass
        raise AssertionError("every turn ends with its answer or its failure")

    def failed(self, details: ErrorContext) -> list[AgentResponse]:
        now = perf_counter()
        agent = self._agent or (AgentName.ROUTER if details.error_type is ErrorType.VALIDATION else None)
        recovered = {"error_type": str(details.error_type)}
        return [
            *self._passed,
            *([_failed(agent, details, now - self._entered)] if agent else []),
            _succeeded(AgentName.RECOVERY, recovered, perf_counter() - now),
            _failed(AgentName.CHAT, details, perf_counter() - self._begun),
        ]

    def _enter(self, agent: AgentName) -> None:
        now = perf_counter()
        if self._agent is not None:
            self._passed.append(_succeeded(self._agent, {}, now - self._entered))
        self._agent, self._entered = agent, now


_AGENTS = {
    "validate": AgentName.ROUTER,
    "route": AgentName.ROUTER,
    "rewrite": AgentName.ROUTER,
    "outline": AgentName.RETRIEVAL,
    "retrieve": AgentName.RETRIEVAL,
    "write": AgentName.SYNTHESIS,
}

_ENTERED = {Stage.SEARCHING: AgentName.RETRIEVAL, Stage.WRITING: AgentName.SYNTHESIS}


def _count(values: object) -> int:
    return len(cast("Sized", values))


# Whatever else a step has to tell may be in the reader's words.
_FACTS: Mapping[str, Callable[[object], Fact]] = {
    "route": str,
    "hits": _count,
    "confidence": lambda score: round(cast("float", score), 4),
    "claims": lambda claims: cast("int", claims),
    "dropped": _count,
}


def _of_steps(agent: AgentName, trace: Sequence[Step]) -> AgentResponse | None:
    steps = [step for step in trace if _AGENTS.get(step.name) is agent]
    if not steps:
        return None
    return _succeeded(agent, _facts(steps), sum(step.seconds for step in steps))


def _facts(steps: Iterable[Step]) -> dict[str, Fact]:
    told: dict[str, Fact] = {"steps": [step.name for step in steps]}
    for step in steps:
        told |= {name: tell(step.facts[name]) for name, tell in _FACTS.items() if name in step.facts}
    return told


def _succeeded(agent: AgentName, data: Mapping[str, Fact], seconds: float) -> AgentResponse:
    return AgentResponse(
        success=True,
        agent_name=agent,
        result_data=dict(data),
        error_details=None,
        execution_time_ms=_milliseconds(seconds),
    )


def _failed(agent: AgentName, details: ErrorContext, seconds: float) -> AgentResponse:
    return AgentResponse(
        success=False,
        agent_name=agent,
        result_data=None,
        error_details=details,
        execution_time_ms=_milliseconds(seconds),
    )


def _milliseconds(seconds: float) -> float:
    """Never none at all, however coarse the clock is."""
    return max(round(seconds * 1000, 3), 0.001)
