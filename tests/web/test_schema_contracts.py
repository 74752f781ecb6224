"""Whatever is sent to a contract, the reply is one that its own page describes, and never a failure of ours.

`GLOSSATOR_TEST_FUZZ=500` looks for more, and elsewhere every time; with `GLOSSATOR_TEST_BATCH=3`, elsewhere in the same place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
import schemathesis
from starlette.testclient import TestClient

from glossator.web.contract import ContractApp
from support.proof_schema import check, contracts, fuzzed, send

CONTRACTS = contracts()


def _test_of(mounted: ContractApp) -> Callable[..., None]:
    @fuzzed(mounted)
    def test(case: schemathesis.Case, client: TestClient, counted: Counter[str]) -> None:
        check(case, send(client, mounted.prefix, case, counted))

    return test


test_the_native_api_answers_as_it_says = _test_of(CONTRACTS["native"])
test_threads_answers_as_it_says = _test_of(CONTRACTS["threads"])
test_citations_answers_as_it_says = _test_of(CONTRACTS["citations"])
test_grounding_answers_as_it_says = _test_of(CONTRACTS["grounding"])
test_course_answers_as_it_says = _test_of(CONTRACTS["course"])
test_pipeline_answers_as_it_says = _test_of(CONTRACTS["pipeline"])


@pytest.mark.parametrize("name", CONTRACTS)
def test_what_a_contract_says_of_itself_is_what_it_serves(name: str, client: TestClient) -> None:
    mounted = CONTRACTS[name]
    served = client.get(f"{mounted.prefix}/openapi.json").json()

    assert served.pop("servers") == [{"url": mounted.prefix}]
    assert served == mounted.app.openapi()


def test_every_contract_is_looked_at() -> None:
    # The chunks of openai end in a way of their own: test_contract_openai_schema.py.
    assert set(CONTRACTS) == {"native", "threads", "citations", "grounding", "course", "pipeline", "openai"}
