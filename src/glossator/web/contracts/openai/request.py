"""What a client of the OpenAI API sends; what is not named here is taken and ignored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from glossator.model import Exchange, Question
from glossator.web.contracts.openai.sources import without_sources

LONGEST_QUESTION = 2000
LONGEST_MESSAGE = 32_000
"""Characters; the longest answer of ours is shorter, and comes back with the next question."""
LONGEST_CONVERSATION = 100_000
"""Characters of all messages."""
MOST_MESSAGES = 10
"""Of the conversation so far."""

Flag = Annotated[bool, Field(strict=True)]
# Half a character is refused only where the length counts.
Text = Annotated[str, StringConstraints(min_length=0)]


class TextPart(BaseModel):
    type: Literal["text"]
    text: Text


def _content(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """Wrong, it is said once, and not once for each form it could have had."""
    try:
        return check(value)
    except ValidationError as error:
        message = "must be a text, or a list of parts of the type text"
        raise PydanticCustomError("content", message) from error


Content = str | list[TextPart] | None


def _text(content: Content) -> str:
    return "\n".join(part.text for part in content) if isinstance(content, list) else content or ""


def _short_enough(content: Content) -> Content:
    if len(_text(content)) > LONGEST_MESSAGE:
        message = "must have at most {longest} characters"
        raise PydanticCustomError("content_length", message, {"longest": LONGEST_MESSAGE})
    return content


class Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[
        Text | list[TextPart] | None, WrapValidator(_content), AfterValidator(_short_enough)
    ] = Field(default=None, description="At most 32000 characters.")

    @property
    def text(self) -> str:
        return _text(self.content)


def _asking(messages: list[Message]) -> list[Message]:
    if sum(len(message.text) for message in messages) > LONGEST_CONVERSATION:
        message = "must have at most {longest} characters in all"
        raise PydanticCustomError("conversation_length", message, {"longest": LONGEST_CONVERSATION})
    place = _asked(messages)
    if place is None:
        raise PydanticCustomError("question", "must hold a message of the role user")
    if not 1 <= len(messages[place].text.strip()) <= LONGEST_QUESTION:
        message = "must end with a user's question of 1 to {longest} characters"
        raise PydanticCustomError("question", message, {"longest": LONGEST_QUESTION})
    return messages


class StreamOptions(BaseModel):
    include_usage: Flag | None = Field(default=None, description="A last chunk that counts the tokens.")


class CompletionRequest(BaseModel):
    model: Text = Field(description="Any; there is only one.")
    messages: Annotated[list[Message], Field(min_length=1), AfterValidator(_asking)] = Field(
        description=(
            "The last user message is the question, 1 to 2000 characters. The 10 messages of user and "
            "assistant before it are the conversation it may lean on. All others are ignored. Together they "
            "have at most 100000 characters."
        )
    )
    stream: Flag | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(strict=True, ge=1, le=1)] | None = None
    user: Annotated[str, StringConstraints(max_length=255)] | None = None

    @property
    def wants_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    def to_question(self) -> Question:
        place = _asked(self.messages) or 0
        said = [one for one in self.messages[:place] if one.role in ("user", "assistant")]
        history = _exchanges(said[-MOST_MESSAGES:])
        return Question(self.messages[place].text.strip(), history=history)


def _asked(messages: Sequence[Message]) -> int | None:
    places = [place for place, message in enumerate(messages) if message.role == "user"]
    return places[-1] if places else None


def _exchanges(messages: Iterable[Message]) -> tuple[Exchange, ...]:
    """Whole ones: a question that was never answered, and words before any question, are left out."""
    exchanges = list[Exchange]()
    for message in messages:
        if message.role == "user":
            exchanges.append(Exchange(message.text.strip(), ""))
        elif exchanges:
            last = exchanges[-1]
            answer = f"{last.answer}\n\n{without_sources(message.text)}".strip()
            exchanges[-1] = replace(last, answer=answer)
    return tuple(one for one in exchanges if one.question and one.answer)
