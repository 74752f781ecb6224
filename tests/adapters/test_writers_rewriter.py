"""A language model that makes a follow-up question stand alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from glossator.adapters.writers.language_model import LanguageModelRewriter
from glossator.adapters.writers.service import Api, ModelService
from glossator.errors import WriterBroken, WriterError, WriterRefused, WriterTimeout, WriterUnavailable
from glossator.model import Exchange
from glossator.ports import Rewriter
from support.writers_server import Server, cut_after, hang_up, model_server, raw, say_nothing, says, status

HISTORY = (Exchange("What is a topic?", "A named channel [1]."),)
FOLLOW_UP = "Can you give an example of it?"


@pytest.fixture
def server() -> Iterator[Server]:
    with model_server() as made:
        yield made


def rewritten(
    server: Server, api: Api = Api.CHAT, seconds: float = 20, history: tuple[Exchange, ...] = HISTORY
) -> str:
    rewriter: Rewriter = LanguageModelRewriter(ModelService("m", server.url, "key", api), seconds=seconds)
    return asyncio.run(rewriter.rewrite(FOLLOW_UP, history))


@pytest.mark.parametrize("api", list(Api))
def test_a_follow_up_is_rewritten_from_the_conversation(server: Server, api: Api) -> None:
    server.will(says("Can you give an example of a topic?"))
    assert rewritten(server, api) == "Can you give an example of a topic?"
    (call,) = server.calls
    assert "Reader: What is a topic?\nAnswer: A named channel." in call.asked
    assert FOLLOW_UP in call.asked
    assert call.tools == []


@pytest.mark.parametrize(
    "said",
    ['"What is a topic?"', "  What is a topic?\n", "<think>\nIt is a topic.\n</think>\nWhat is a topic?"],
)
def test_what_stands_around_the_question_is_taken_off(server: Server, said: str) -> None:
    server.will(says(said))
    assert rewritten(server) == "What is a topic?"


@pytest.mark.parametrize("said", ["", "  ", '""', "One line?\nAnd another?", "word " * 200])
def test_what_is_no_question_leaves_the_original(server: Server, said: str) -> None:
    server.will(says(said))
    assert rewritten(server) == FOLLOW_UP


def test_without_a_conversation_nobody_is_asked(server: Server) -> None:
    assert rewritten(server, history=()) == FOLLOW_UP
    assert server.calls == []


@pytest.mark.parametrize("api", list(Api))
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (status(401), WriterRefused),
        (status(404), WriterRefused),
        (status(429), WriterUnavailable),
        (status(500), WriterUnavailable),
        (hang_up, WriterUnavailable),
        (raw(b"{not json", "application/json"), WriterBroken),
        (raw(b"<html>", "text/html"), WriterBroken),
        (raw(b'{"hello": 1}', "application/json"), WriterBroken),
        (raw(b'{"choices": [], "output": 5}', "application/json"), WriterBroken),
        (says("What is", finish="length"), WriterBroken),
        (says("What is", finish="content_filter"), WriterBroken),
        (cut_after("What"), WriterError),
    ],
)
def test_a_failure_is_one_of_ours_after_one_call(
    server: Server, api: Api, answer: object, expected: type[WriterError]
) -> None:
    server.will(answer)  # type: ignore[arg-type]
    with pytest.raises(expected):
        rewritten(server, api)
    assert len(server.calls) == 1


def test_a_model_that_does_not_hurry_is_left(server: Server) -> None:
    server.will(say_nothing)
    with pytest.raises(WriterTimeout):
        rewritten(server, seconds=0.3)
    assert server.script.was_hung_up.wait(timeout=10)
