"""Whatever is sent to the OpenAI contract, the reply is one that its own page describes."""

from __future__ import annotations

import json
from collections import Counter

import httpx2
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance
from starlette.testclient import TestClient

from support.proof_schema import check, contracts, fuzzed, send

OPENAI = contracts()["openai"]


@fuzzed(OPENAI)
def test_openai_answers_as_it_says(
    case: schemathesis.Case, client: TestClient, counted: Counter[str]
) -> None:
    response = send(client, OPENAI.prefix, case, counted)
    if response.headers["content-type"].startswith("text/event-stream"):
        checks = [not_a_server_error, status_code_conformance, content_type_conformance]
        case.validate_response(response, checks=checks)
        check_chunks(response)
    else:
        check(case, response)


def check_chunks(response: httpx2.Response) -> None:
    """Whole frames only, each of them JSON but for the mark of the end."""
    *frames, done, rest = response.text.split("\n\n")
    assert (done, rest) == ("data: [DONE]", "")
    told = [json.loads(frame.removeprefix("data: ")) for frame in frames]
    assert {chunk["object"] for chunk in told} == {"chat.completion.chunk"}
