"""The official OpenAI client, unchanged, over a real line to a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam
from starlette.testclient import TestClient

from support.proof_server import PATIENCE, Server, served
from support.recorded_examples import add_key
from support.writers_server import cut_after, keeps_talking, model_server

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": "What is a topic?"}]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    records = tmp_path_factory.mktemp("openai") / "records.sqlite"
    return add_key(records), records


@pytest.fixture(scope="module")
def server(home: Path, key: tuple[str, Path]) -> Iterator[Server]:
    with served(home, key[1].parent, database_url=f"sqlite:///{key[1]}") as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server, key: tuple[str, Path]) -> Iterator[openai.OpenAI]:
    with made(server, key[0]) as one:
        yield one


def made(server: Server, api_key: str = "none") -> openai.OpenAI:
    line = httpx2.Client(timeout=PATIENCE, trust_env=False)
    return openai.OpenAI(base_url=f"{server.url}/openai/v1", api_key=api_key, http_client=line, max_retries=0)


def inside(client: TestClient) -> openai.OpenAI:
    """Over no line, to a server in this process."""
    return openai.OpenAI(
        base_url=f"{client.base_url}/openai/v1",
        api_key="none",
        http_client=cast("httpx2.Client", client),
        max_retries=0,
    )


def test_it_completes_a_chat(client: openai.OpenAI):
    told = client.chat.completions.create(model="gpt-4o", messages=ASKED, temperature=0, max_tokens=10)
    (choice,) = told.choices
    assert (choice.message.role, choice.finish_reason) == ("assistant", "stop")
    assert choice.message.content is not None
    assert choice.message.content.startswith("**Topics**\n\nA topic is a named stream of messages.")
    assert "1. [Start › Topics](01-start/02-topics.md#topics" in choice.message.content
    assert told.usage is not None
    assert told.usage.total_tokens == told.usage.prompt_tokens + told.usage.completion_tokens > 0
    assert told.model_extra is not None
    assert told.model_extra["glossator"]["outcome"] == "answered"
    assert told._request_id is not None
    assert len(told._request_id) == 32


def test_it_streams_a_chat(client: openai.OpenAI):
    whole = client.chat.completions.create(model="glossator", messages=ASKED)
    with client.chat.completions.create(
        model="glossator", messages=ASKED, stream=True, stream_options={"include_usage": True}
    ) as stream:
        *chunks, last = list(stream)
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert (last.choices, last.usage) == ([], whole.usage)


def test_its_own_helper_folds_a_stream_into_the_same_completion(client: openai.OpenAI):
    whole = client.chat.completions.create(model="glossator", messages=ASKED)
    with client.chat.completions.stream(model="glossator", messages=ASKED) as stream:
        folded = stream.get_final_completion()
    assert folded.choices[0].message.content == whole.choices[0].message.content


def test_it_goes_on_with_what_it_was_told(client: openai.OpenAI):
    told = client.chat.completions.create(model="glossator", messages=ASKED).choices[0].message
    leans: ChatCompletionMessageParam = {"role": "user", "content": "What is it?"}
    messages = [*ASKED, told, leans]
    again = client.chat.completions.create(model="glossator", messages=messages)
    assert "topic" in (again.choices[0].message.content or "")
    assert again.choices[0].message.content != told.content
    alone = client.chat.completions.create(model="glossator", messages=[leans])
    assert alone.choices[0].message.content != again.choices[0].message.content


def test_many_ask_at_once_and_each_hears_their_own_answer(server: Server, key: tuple[str, Path]):
    questions = {"What is a topic?": "named stream", "What is a node?": "one program", "Hello!": "Ask me"}

    async def ask(client: openai.AsyncOpenAI, question: str) -> bool:
        stream = await client.chat.completions.create(
            model="glossator", messages=[{"role": "user", "content": question}], stream=True
        )
        told = [choice.delta.content or "" async for chunk in stream for choice in chunk.choices]
        return questions[question] in "".join(told)

    async def ask_all() -> list[bool]:
        async with openai.AsyncOpenAI(
            base_url=f"{server.url}/openai/v1",
            api_key=key[0],
            http_client=httpx2.AsyncClient(timeout=PATIENCE, trust_env=False),
        ) as client:
            return await asyncio.gather(*(ask(client, question) for question in [*questions] * 8))

    assert all(asyncio.run(ask_all()))


def test_it_lists_the_model(client: openai.OpenAI):
    assert [(model.id, model.object) for model in client.models.list()] == [("glossator", "model")]


def test_it_knows_our_errors_for_its_own(client: openai.OpenAI, server: Server):
    with pytest.raises(openai.BadRequestError) as invalid:
        client.chat.completions.create(model="glossator", messages=ASKED, n=2)
    assert (invalid.value.param, invalid.value.code) == ("n", "invalid_request")
    with made(server, "sk_wrong") as stranger, pytest.raises(openai.AuthenticationError) as refused:
        stranger.models.list()
    assert refused.value.code == "invalid_api_key"
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="glossator", input="Hello!")


def test_it_is_told_when_to_come_back(make_client: Callable[..., TestClient]):
    client = inside(make_client(requests_per_minute=1))
    client.models.list()
    with pytest.raises(openai.RateLimitError) as refused:
        client.models.list()
    assert 1 <= int(refused.value.response.headers["retry-after"]) <= 60


def test_it_hears_of_a_failure_in_the_middle_of_a_stream(make_client: Callable[..., TestClient]):
    heard = list[str]()
    with model_server() as model:
        model.will(cut_after("A topic is a named stream of messages [1]. ", "Publishers send messages "))
        client = inside(
            make_client(model="m", model_base_url=model.url, model_api_key="k", model_tools=False)
        )
        stream = client.chat.completions.create(model="m", messages=ASKED, stream=True)
        with pytest.raises(openai.APIError) as failed:
            heard.extend(chunk.choices[0].delta.content or "" for chunk in stream)
    assert "".join(heard) == "A topic is a named stream of messages. [1]"
    assert failed.value.code == "writer_unavailable"


def test_a_client_that_leaves_ends_the_answer(home: Path, tmp_path: Path):
    with model_server() as model:
        model.will(keeps_talking("A topic is a named stream of messages [1]. ", "Publishers send messages "))
        settings = {"model": "m", "model_base_url": model.url, "model_api_key": "k", "model_tools": False}
        # Nothing else may end it in the time that the test waits.
        settings |= {"write_seconds": 10 * PATIENCE, "answer_seconds": 10 * PATIENCE}
        records = f"sqlite:///{tmp_path}/records.sqlite"
        with served(home, tmp_path, database_url=records, **settings) as server, made(server) as client:
            stream = client.chat.completions.create(model="m", messages=ASKED, stream=True)
            assert any(choice.delta.content for chunk in stream for choice in chunk.choices)
            stream.close()
            assert model.script.was_hung_up.wait(PATIENCE)
