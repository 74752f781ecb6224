"""Translates errors of the agents SDK and of the OpenAI client to ours."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
from agents.exceptions import AgentsException, MaxTurnsExceeded, UserError
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, OpenAIError

from glossator.adapters.writers.service import ModelService, RetryableFailure
from glossator.errors import WriterBroken, WriterRefused, WriterTimeout, WriterUnavailable

# The SDK does not validate replies, so a malformed one raises any of these anywhere.
_MALFORMED = (ValueError, TypeError, AttributeError, LookupError)

_RETRYABLE_STATUSES = {408, 409, 425, 429}
_ABOUT_TOOLS = re.compile(r"\b(tools?|functions?)\b|tool[_-]|function[_-]", re.IGNORECASE)


@dataclass(slots=True)
class Call:
    has_begun: bool = False
    """Whether any of the reply arrived."""


@contextmanager
def service_errors(service: ModelService) -> Generator[Call]:
    """Around one call of the model."""
    call = Call()
    try:
        yield call
    except APIStatusError as problem:
        # Not chained, because it quotes the service's message, which may contain the key.
        raise _refused(service, problem) from None
    except APITimeoutError as problem:
        raise RetryableFailure(WriterTimeout(f"{service} is too slow.")) from problem
    except APIConnectionError as problem:
        broken = WriterBroken(f"{service} broke off before its answer was whole.")
        raise RetryableFailure(
            broken if call.has_begun else WriterUnavailable(f"{service} cannot be reached.")
        ) from problem
    except APIError as problem:
        raise RetryableFailure(WriterBroken(f"{service} broke off{_reason(service, problem)}")) from None
    except (OpenAIError, AgentsException, *_MALFORMED) as problem:
        raise RetryableFailure(WriterBroken(f"{service} sent something that cannot be read.")) from problem


@contextmanager
def run_errors(service: ModelService) -> Generator[None]:
    """Around the whole run; passes on unchanged what `service_errors` or a tool raised."""
    try:
        yield
    except MaxTurnsExceeded as problem:
        raise RetryableFailure(WriterBroken(f"{service} searched without end."), may_retry=False) from problem
    except (AgentsException, *_MALFORMED) as problem:
        if isinstance(problem, UserError) and problem.__cause__:
            raise problem.__cause__ from None
        raise RetryableFailure(WriterBroken(f"{service} said something that cannot be used.")) from problem


def _refused(service: ModelService, problem: APIStatusError) -> RetryableFailure:
    status = problem.status_code
    answer = f"{service} answered {status}{_reason(service, problem)}"
    if status in _RETRYABLE_STATUSES or status >= 500:
        # A quota that is used up is not renewed while the question waits.
        may_retry = problem.code != "insufficient_quota"
        retry_after = _retry_after(problem.response.headers)
        return RetryableFailure(
            WriterUnavailable(answer),
            may_retry=may_retry,
            retry_after=retry_after,
            without_tools=_is_about_tools(problem),
        )
    if problem.code == "tool_use_failed":
        return RetryableFailure(WriterBroken(f"{service} garbled its call of a tool."))
    if status in (401, 403):
        return RetryableFailure(WriterRefused(f"{service} refused the key ({status})."), may_retry=False)
    if status == 404:
        answer += f" Check its address and the model `{service.model}`."
    return RetryableFailure(WriterRefused(answer), may_retry=False, without_tools=_is_about_tools(problem))


def _is_about_tools(problem: APIStatusError) -> bool:
    """Judges by the message, because every service words it differently, and some answer 500."""
    return problem.status_code in (400, 404, 422, 500, 501) and bool(_ABOUT_TOOLS.search(str(problem.body)))


def _reason(service: ModelService, problem: APIError) -> str:
    """The service's message, if there is one."""
    match problem.body:
        case {"message": str(message)} | {"detail": str(message)}:
            return f": {service.hide_key(' '.join(message.split()))[:300].rstrip('.')}."
        case _:
            return "."


def _retry_after(headers: httpx2.Headers) -> float:
    """The seconds to wait; the header holds seconds or a date."""
    value = headers.get("Retry-After", "")
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
