"""What every writer and every rewriter does: those that ship, and those in memory that tests use."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.adapters.writers.language_model import LanguageModelRewriter, LanguageModelWriter
from glossator.adapters.writers.service import ModelService
from glossator.model import Brief, Exchange
from glossator.ports import Rewriter, Writer
from glossator.testing import JoiningRewriter, QuotingWriter
from support.writers_briefs import SERVICES, TOPICS, brief, evidence, written
from support.writers_server import Server, model_server, says

TWO = brief(evidence=(evidence(1, TOPICS), evidence(2, SERVICES)))
HISTORY = (Exchange("What is a topic?", "A named channel [1]."),)


@pytest.fixture
def server() -> Iterator[Server]:
    with model_server() as made:
        yield made


@pytest.fixture(params=["quoting", "extractive", "language model"])
def writer(request: pytest.FixtureRequest) -> Writer:
    match request.param:
        case "quoting":
            return QuotingWriter()
        case "extractive":
            return ExtractiveWriter(_quoted)
        case _:
            server: Server = request.getfixturevalue("server")
            server.will(*[says(*_quoted(TWO))] * 2)
            return LanguageModelWriter(ModelService("m", server.url, "key"))


def _quoted(asked: Brief) -> Sequence[str]:
    return [f"{piece.chunk.text} [{piece.number}] " for piece in asked.evidence]


@pytest.fixture(params=["joining", "language model"])
def rewriter(request: pytest.FixtureRequest) -> Rewriter:
    if request.param == "joining":
        return JoiningRewriter()
    server: Server = request.getfixturevalue("server")
    server.will(says("What is the type of a topic?"))
    return LanguageModelRewriter(ModelService("m", server.url, "key"), seconds=20)


def test_a_writer_has_a_name_and_a_model(writer: Writer) -> None:
    assert writer.name
    assert writer.model


def test_an_answer_comes_in_pieces_and_cites_the_evidence_by_number(writer: Writer) -> None:
    pieces = written(writer, TWO)
    assert all(pieces)
    assert set(re.findall(r"\[(\d+)\]", "".join(pieces))) == {"1", "2"}


def test_a_writer_writes_more_than_one_answer(writer: Writer) -> None:
    assert "".join(written(writer, TWO)) == "".join(written(writer, TWO))


def test_a_follow_up_becomes_one_line(rewriter: Rewriter) -> None:
    rewritten = asyncio.run(rewriter.rewrite("What is its type?", HISTORY))
    assert "topic" in rewritten
    assert len(rewritten.splitlines()) == 1


def test_without_a_conversation_a_question_stays_as_it_is(rewriter: Rewriter) -> None:
    assert asyncio.run(rewriter.rewrite("What is a topic?", ())) == "What is a topic?"
