"""The book's own words pass their own check: the whole way of a question over the sample book, with every port in memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.assemble import HEADING
from glossator.answer.compose import compose
from glossator.answer.pipeline import AnswerPipeline, AnswerTimeouts
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import site_of
from glossator.model import Question, Verdict
from glossator.testing import (
    MemoryCache,
    MemoryIndex,
    MemoryIndexStore,
    SilentProgress,
    WordEmbedder,
    WordReader,
)

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book"

QUESTIONS = [
    "What is a service in ROS 2?",
    "How do I call a service without blocking?",
    "Which executors are there and how do they differ?",
    "What is the difference between a topic and an action?",
    "How do I write a launch file in Python?",
    "What does the costmap value 254 mean?",
    "Which stop categories are there in IEC 60204-1?",
    "How is the forward kinematics of an arm with two joints computed?",
    "What is the formula of the discounted return?",
    "Which types of joint has URDF?",
    "What does AMCL stand for?",
    "How do I tune the gains of a PID controller?",
    "Which sensors measure distance, and how far?",
    "How does behavior cloning fail?",
    "What are the layers of the robot stack?",
]


@pytest.fixture(scope="module")
def assistant() -> AnswerPipeline:
    """Answers whatever it is asked, however unsure it is and however slow the machine."""
    index_store = MemoryIndexStore()
    ingest(BOOK, site_of(BOOK), IngestTools(WordEmbedder(), index_store, MemoryCache(), SilentProgress()))
    return AnswerPipeline(
        WordEmbedder(),
        WordReader(),
        MemoryIndex(index_store),
        ExtractiveWriter(compose),
        least_confidence=0.0,
        timeouts=AnswerTimeouts(search=600, write=600),
    )


@pytest.mark.parametrize("text", QUESTIONS)
def test_every_sentence_stands_in_the_book_word_for_word(assistant: AnswerPipeline, text: str) -> None:
    answer = asyncio.run(assistant.answer(Question(text)))
    assert answer.claims
    assert answer.grounding.unsupported_claims == ()
    assert {claim.verdict for claim in answer.claims} == {Verdict.SUPPORTED}
    sentences = [claim for claim in answer.claims if not HEADING.fullmatch(claim.text.strip())]
    assert all(claim.citations for claim in sentences)


@pytest.mark.parametrize("text", QUESTIONS)
def test_every_quote_is_exactly_its_characters_of_the_page(assistant: AnswerPipeline, text: str) -> None:
    for citation in asyncio.run(assistant.answer(Question(text))).citations:
        [page] = BOOK.rglob(citation.page)
        assert citation.quote
        assert page.read_text("utf-8")[citation.start : citation.end] == citation.quote
