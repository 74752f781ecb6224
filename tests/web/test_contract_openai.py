"""The OpenAI contract: whole and streamed answers, and the conversation that comes along with a question."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from glossator.answer.conclude import Trace, fixed_answer
from glossator.model import Citation, Outcome
from glossator.web.contracts.openai import content_of, without_sources
from support.recorded_examples import check_document, examples_of, play
from support.writers_server import model_server, says

COMPLETIONS = "/openai/v1/chat/completions"
QUESTIONS = {
    "answered": "How do I stop a node?",
    "answered with caution": "least",
    "refused": "Who won the world cup in 1998?",
    "small talk": "Hello!",
    "the table of contents": "What chapters are there?",
}
TOPIC = ("What is a topic?", "A topic is a named stream of messages. [1]")
PACK = ("What is a battery pack?", "A lithium battery pack of this robot holds 480 watt hours [1].")
LEANING = "What is it?"

MakeClient = Callable[..., TestClient]


def conversation(*texts: str) -> list[dict[str, str]]:
    """The reader begins, and has the last word."""
    roles = ("user", "assistant")
    return [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]


def complete(
    client: TestClient, *texts: str, headers: dict[str, str] | None = None, **sent: Any
) -> httpx2.Response:
    body = {"model": "glossator", "messages": conversation(*texts), **sent}
    return client.post(COMPLETIONS, json=body, headers=headers)


def content(response: httpx2.Response) -> str:
    assert response.status_code == 200, response.text
    return response.json()["choices"][0]["message"]["content"]


def outcome(response: httpx2.Response) -> str:
    return response.json()["glossator"]["outcome"]


def chunks(response: httpx2.Response) -> list[dict[str, Any]]:
    """What stands before the mark of the end, which is there."""
    assert response.headers["content-type"].startswith("text/event-stream"), response.text
    *frames, done, rest = response.text.split("\n\n")
    assert (done, rest) == ("data: [DONE]", "")
    return [httpx2.Response(200, text=frame.removeprefix("data: ")).json() for frame in frames]


@pytest.mark.parametrize("name", examples_of("openai"))
def test_a_recorded_example_comes_out_as_it_was(client: TestClient, name: str):
    play(client, "openai", name)


def test_the_document_of_the_contract_is_what_it_was(client: TestClient):
    check_document(client, "openai")


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_deltas_joined_are_the_content_and_the_last_one_knows_the_rest(client: TestClient, kind: str):
    whole = complete(client, QUESTIONS[kind])
    first, *said, last = chunks(complete(client, QUESTIONS[kind], stream=True))
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert all(chunk["choices"][0]["delta"].keys() == {"content"} for chunk in said)
    assert "".join(chunk["choices"][0]["delta"]["content"] for chunk in said) == content(whole)
    assert (last["choices"][0]["delta"], last["choices"][0]["finish_reason"]) == ({}, "stop")
    assert last["glossator"] == whole.json()["glossator"]


def test_every_chunk_is_one_of_the_same_completion(client: TestClient):
    told = chunks(complete(client, QUESTIONS["answered"], stream=True))
    (name,) = {chunk["id"] for chunk in told}
    assert str(uuid.UUID(name.removeprefix("chatcmpl-"))) == name.removeprefix("chatcmpl-")
    assert len({chunk["created"] for chunk in told}) == 1
    assert {(chunk["object"], chunk["model"]) for chunk in told} == {("chat.completion.chunk", "glossator")}
    assert [chunk["choices"][0]["finish_reason"] for chunk in told] == [None] * (len(told) - 1) + ["stop"]
    assert all("usage" not in chunk for chunk in told)
    assert all("glossator" not in chunk for chunk in told[:-1])


def test_an_answer_comes_sentence_by_sentence(client: TestClient):
    _, *said, sources, _ = chunks(complete(client, QUESTIONS["answered"], stream=True))
    assert len(said) > 1
    assert "\n\n**Sources**\n\n1. [" in sources["choices"][0]["delta"]["content"]


def test_usage_is_the_last_chunk_of_those_who_ask_for_it(client: TestClient):
    whole = complete(client, QUESTIONS["answered"]).json()
    *before, last = chunks(
        complete(client, QUESTIONS["answered"], stream=True, stream_options={"include_usage": True})
    )
    assert (last["choices"], last["usage"]) == ([], whole["usage"])
    assert all(chunk["usage"] is None for chunk in before)


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}, {"include_usage": None}])
def test_nobody_else_is_told_of_it(client: TestClient, options: dict[str, Any] | None):
    told = chunks(complete(client, "Hello!", stream=True, stream_options=options))
    assert all("usage" not in chunk for chunk in told)


def test_tokens_are_those_of_all_that_was_sent_and_told(client: TestClient):
    short, long = (complete(client, *texts).json()["usage"] for texts in (("Hello!",), (*TOPIC, "Hello!")))
    assert short["total_tokens"] == short["prompt_tokens"] + short["completion_tokens"]
    assert long["prompt_tokens"] > short["prompt_tokens"] > 0
    assert long["completion_tokens"] == short["completion_tokens"]


def test_a_stream_is_not_held_back_by_a_proxy(client: TestClient):
    response = complete(client, "Hello!", stream=True)
    assert response.headers["x-accel-buffering"] == "no"
    assert "no-cache" in response.headers["cache-control"]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_reply_says_under_which_id_it_is_found_in_the_log(client: TestClient, streamed: bool):
    response = complete(client, "Hello!", stream=streamed)
    assert response.headers["x-request-id"] == response.headers["x-trace-id"]


def test_a_question_leans_on_the_conversation_that_comes_along(client: TestClient):
    assert "watt hours" not in content(complete(client, *TOPIC, LEANING))
    assert "named stream" in content(complete(client, *TOPIC, LEANING))
    assert "watt hours" in content(complete(client, *PACK, LEANING))
    assert "watt hours" in content(complete(client, *TOPIC, *PACK, LEANING))


def test_nothing_is_remembered_from_one_request_to_the_next(client: TestClient):
    alone = content(complete(client, LEANING, user="reader"))
    complete(client, PACK[0], user="reader")
    assert content(complete(client, LEANING, user="reader")) == alone
    assert content(complete(client, *PACK, LEANING, user="reader")) != alone


def test_the_last_user_message_is_the_question_whatever_stands_behind_it(client: TestClient):
    messages = [*conversation("What is a topic?", "Wait."), {"role": "tool", "content": "What is a node?"}]
    assert "named stream" in content(client.post(COMPLETIONS, json={"model": "m", "messages": messages}))


@pytest.mark.parametrize("role", ["system", "developer", "tool"])
def test_other_roles_say_nothing(client: TestClient, role: str):
    before = [{"role": role, "content": text} for text in PACK]
    messages = [*before, {"role": "user", "content": LEANING}]
    told = client.post(COMPLETIONS, json={"model": "m", "messages": messages})
    assert content(told) == content(complete(client, LEANING))


def test_the_conversation_cannot_be_cited(client: TestClient):
    claimed = ("Who won the world cup in 1998?", "France won the world cup in 1998. [1]")
    again = complete(client, *claimed, "Who won the world cup in 1998?")
    assert (outcome(again), again.json()["glossator"]["citations"]) == ("not_in_book", [])


def test_our_own_list_of_sources_is_no_part_of_what_was_said(client: TestClient):
    asked = "What is the difference between a topic and a node?"
    said = "There is a topic and a node. [1]"
    sources = "\n\n**Sources**\n\n1. [Motion › Charging](/a)\n2. [Motion › Batteries](/b)"
    second = complete(client, asked, said + sources, "What is the second?")
    assert content(second) == content(complete(client, asked, said, "What is the second?"))


def test_a_model_sees_the_last_ten_messages_in_whole_exchanges_and_no_instructions(make_client: MakeClient):
    said = [text for n in range(7) for text in (f"What is topic {n}?", f"Topic {n} is a stream.")]
    messages = [
        {"role": "system", "content": "canary"},
        {"role": "assistant", "content": "canary"},
        {"role": "user", "content": "canary"},
        *conversation(*said, "What is a topic?"),
    ]
    with model_server() as server:
        server.will(says("A topic is a named stream of messages [1]."))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        assert "named stream" in content(client.post(COMPLETIONS, json={"model": "m", "messages": messages}))
        *history, asked = [message["content"] for message in server.calls[-1].messages]
    assert history == said[4:]
    assert "canary" not in "".join([*history, asked, server.calls[-1].instructions])


def test_the_conversation_is_cut_to_eight_thousand_tokens(make_client: MakeClient):
    with model_server() as server:
        server.will(says("A topic is a named stream of messages [1]."))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        complete(client, "What is old?", "x y " * 4000, *TOPIC, "What is a topic?")
        assert [message["content"] for message in server.calls[-1].messages][:-1] == [
            "What is a topic?",
            "A topic is a named stream of messages.",
        ]


def test_questions_that_were_never_answered_are_left_out(make_client: MakeClient):
    roles = ("assistant", "user", "user", "assistant", "assistant", "user", "assistant", "user")
    texts = ("Welcome!", "One?", "Two?", "Two.", "And more.", "Three?", "", "What is a topic?")
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]
    with model_server() as server:
        server.will(says("A topic is a named stream of messages [1]."))
        client = make_client(model="m", model_base_url=server.url, model_api_key="k", model_tools=False)
        client.post(COMPLETIONS, json={"model": "m", "messages": messages})
        assert [message["content"] for message in server.calls[-1].messages][:-1] == [
            "Two?",
            "Two.\n\nAnd more.",
        ]


def test_the_same_idempotency_key_gives_the_very_same_reply_once(client: TestClient):
    named = {"Idempotency-Key": str(uuid.uuid4())}
    first, second = (complete(client, "What is a topic?", headers=named).json() for _ in range(2))
    assert first == second


def test_the_same_idempotency_key_with_another_question_is_a_mistake(client: TestClient):
    named = {"Idempotency-Key": str(uuid.uuid4())}
    complete(client, "What is a topic?", headers=named)
    other = complete(client, "What is a node?", headers=named)
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_mismatch")


def test_a_link_ends_where_its_address_does_and_its_title_means_nothing_else():
    odd = Citation(1, "a.md#0", "a.md", "A", "C", "x](y) *z*", "/a b(c)#d", "Yes.", 0, 4, 0.9)
    plain = replace(odd, n=2, chapter="", section="", page_title="", url="/b")
    answer = replace(fixed_answer("Yes. [1][2]", Outcome.ANSWERED, Trace()), citations=(odd, plain))
    first, second = content_of(answer).split("\n")[-2:]
    assert first == r"1. [C › x\](y) \*z\*](/a%20b%28c%29#d)"
    assert second == "2. [a.md](/b)"
    assert without_sources(content_of(answer)) == "Yes. [1][2]"


@pytest.mark.parametrize(
    "text",
    ["Yes. [1]", "**Sources**\n\n1. [a](b)", "Yes.\n\n**Sources**\n\nNone.", "Yes.\n\n**Sources**\n\n"],
)
def test_a_list_that_is_not_ours_stays(text: str):
    assert without_sources(text) == text
