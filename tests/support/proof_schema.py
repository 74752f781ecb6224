"""Requests made up from what a contract says of itself, and whether the reply is what it says."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

import httpx2
import requests
import schemathesis
from hypothesis import HealthCheck, reject, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from glossator.engine import Engine
from glossator.web.app import CONTRACTS
from glossator.web.contract import ContractApp, ContractSettings
from support.proof_size import BATCH, repeats

EXAMPLES = repeats("FUZZ", 15)
"""Of each operation, besides the boundaries that follow from its schema."""
_IS_SHORT = "GLOSSATOR_TEST_FUZZ" not in os.environ
_IS_REPEATABLE = _IS_SHORT or "GLOSSATOR_TEST_BATCH" in os.environ
_ORIGIN = "http://127.0.0.1:8000"

_CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]


@cache
def contracts() -> Mapping[str, ContractApp]:
    """What they say of themselves needs no engine."""
    made = [contract(cast("Engine", None), ContractSettings()) for contract in CONTRACTS]
    return {str(app.contract): app for app in made}


def fuzzed(mounted: ContractApp) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The test is run for each operation, with many cases of it."""
    config = schemathesis.Config(seed=1 + BATCH if _IS_REPEATABLE else None)
    # A word in the address that nobody asked for is passed over, as everywhere on the web.
    config.projects.default.generation.allow_extra_parameters = False
    # The boundaries are the same every time: once is enough.
    config.projects.default.phases.coverage.enabled = not BATCH
    schema = schemathesis.openapi.from_dict(mounted.app.openapi(), config=config)
    how_many = settings(
        max_examples=EXAMPLES,
        derandomize=_IS_SHORT,
        deadline=None,
        suppress_health_check=cast("list[HealthCheck]", list(HealthCheck)),
    )
    return lambda test: schema.parametrize()(how_many(test))


def send(
    client: httpx2.Client, prefix: str, case: schemathesis.Case, counted: Counter[str]
) -> httpx2.Response:
    """As schemathesis would over a network, to the server in this process."""
    sent = case.as_transport_kwargs(base_url=_ORIGIN + prefix)
    sent.pop("cookies", None)
    prepared = requests.Request(**sent).prepare()
    assert prepared.method
    # Of all that `requests` may send, schemathesis makes text and bytes only.
    headers = cast("dict[str, str]", dict(prepared.headers))
    body = cast("bytes | str | None", prepared.body)
    try:
        reply = client.request(prepared.method, str(prepared.url), headers=headers, content=body)
    except httpx2.InvalidURL:
        # Longer than the client sends any, so the server never sees it.
        reject()
    counted["cases"] += 1
    return reply


def check(case: schemathesis.Case, response: httpx2.Response) -> None:
    checks = [*_CHECKS, negative_data_rejection] if _is_sent_as_it_is(case) else _CHECKS
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        case.validate_response(response, checks=checks)
        check_events(response.text)
    else:
        case.validate_response(response, checks=[*checks, response_schema_conformance])


def _is_sent_as_it_is(case: schemathesis.Case) -> bool:
    """An address has no lists and objects: an empty list sends nothing, and an object may send an empty text."""
    return not any(isinstance(value, (list, dict)) for value in (case.query or {}).values())


def check_events(text: str) -> None:
    """Whole frames only, each of them JSON, and the last one is an end."""
    assert text.endswith("\n\n")
    frames = [frame for frame in text.split("\n\n")[:-1] if not frame.startswith(":")]
    named = [dict(line.split(": ", 1) for line in frame.splitlines()) for frame in frames]
    data: list[Any] = [json.loads(fields["data"]) for fields in named]
    assert named[-1].get("event", data[-1].get("type")) in {"answer", "done", "error"}
