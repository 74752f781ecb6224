"""What is answered; `glossator` holds what the OpenAI API has no place for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from glossator.model import Answer, Citation, Confidence, Outcome
from glossator.web.contracts.openai.sources import sources_of

MODEL = "glossator"


class Usage(BaseModel):
    """In word pieces of the embedding model, which are not those of a language model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, asked: int, told: int) -> Usage:
        return cls(prompt_tokens=asked, completion_tokens=told, total_tokens=asked + told)


class Told(BaseModel):
    outcome: Outcome
    confidence: Confidence | None
    citations: Sequence[Citation]

    @classmethod
    def of(cls, answer: Answer) -> Told:
        return cls.model_construct(
            outcome=answer.outcome, confidence=answer.confidence, citations=answer.citations
        )


class AssistantMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str = Field(description="Markdown with `[1]` marks, and below it the sources they stand for.")
    refusal: None = None


class Choice(BaseModel):
    index: Literal[0] = 0
    message: AssistantMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class Completion(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(description="Seconds since 1970.")
    model: str = MODEL
    choices: Sequence[Choice]
    usage: Usage
    glossator: Told

    @classmethod
    def of(cls, answer: Answer, usage: Usage, at: datetime) -> Completion:
        return cls(
            id=name_of(answer.id),
            created=int(at.timestamp()),
            choices=[Choice(message=AssistantMessage(content=content_of(answer)))],
            usage=usage,
            glossator=Told.of(answer),
        )


def _is_missing(value: object) -> bool:
    return value is None


class Delta(BaseModel):
    role: Literal["assistant"] | None = Field(default=None, exclude_if=_is_missing)
    content: str | None = Field(default=None, exclude_if=_is_missing)


class ChunkChoice(BaseModel):
    index: Literal[0] = 0
    delta: Delta
    logprobs: None = None
    finish_reason: Literal["stop"] | None = None


class Chunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str = MODEL
    choices: Sequence[ChunkChoice]
    usage: Usage | None = Field(default=None, description="Only there where the client wants it.")
    glossator: Told | None = Field(default=None, exclude_if=_is_missing)


class ModelTold(BaseModel):
    id: str = MODEL
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "glossator"


class ModelsReply(BaseModel):
    object: Literal["list"] = "list"
    data: Sequence[ModelTold]

    @classmethod
    def of(cls, since: datetime) -> ModelsReply:
        return cls(data=[ModelTold(created=int(since.timestamp()))])


def name_of(exchange_id: str) -> str:
    return f"chatcmpl-{exchange_id}"


def content_of(answer: Answer) -> str:
    caution = f"\n\n{answer.disclaimer}" if answer.disclaimer else ""
    return answer.text + caution + sources_of(answer)
