"""The official MCP client over both transports, in both eras of the protocol: what the tools give."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from support.proof_server import PATIENCE, Server, served
from support.writers_server import keeps_talking, model_server

GLOSSATOR = str(Path(sys.executable).with_name("glossator"))
MODES = ("2026-07-28", "legacy")
TOOLS = ["search_book", "ask_book", "read_section", "list_chapters"]
TOPICS = "01-start/02-topics.md#0"

Result = TypeVar("Result")
Use = Callable[[Callable[[Client], Coroutine[Any, Any, Result]]], Result]


@pytest.fixture(scope="module")
def server(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("mcp")
    with served(home, folder, database_url=f"sqlite:///{folder}/records.sqlite") as running:
        yield running


@pytest.fixture(scope="module", params=[f"{way} {mode}" for way in ("http", "stdio") for mode in MODES])
def using(
    request: pytest.FixtureRequest, server: Server, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Use[Any]]:
    """Runs something with a client that is connected in one of the ways."""
    way, mode = request.param.split()
    where = f"{server.url}/mcp" if way == "http" else started(home, tmp_path_factory.mktemp("stdio"))
    connected = Client(where, mode=mode, read_timeout_seconds=PATIENCE)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connected) as client:
        yield lambda work: portal.call(work, client)


def started(home: Path, folder: Path, **settings: object) -> StdioServerParameters:
    return StdioServerParameters(
        command=GLOSSATOR, args=["mcp"], env=environment(home, **settings), cwd=folder
    )


def environment(home: Path, **settings: object) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GLOSSATOR_")}
    return ours | {
        f"GLOSSATOR_{name.upper()}": str(value) for name, value in {"home": home, **settings}.items()
    }


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def test_there_are_four_tools_and_each_says_what_it_takes_and_gives(using: Use[Any]):
    tools = using(lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS
    takes = {
        tool.name: set(tool.input_schema["properties"]) for tool in tools if tool.name != "list_chapters"
    }
    assert takes == {
        "search_book": {"query", "top_k", "chapter"},
        "ask_book": {"question"},
        "read_section": {"chunk_id"},
    }
    for tool in tools:
        assert tool.description
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == tool.input_schema["type"] == "object"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint


def test_search_book_finds_sections_with_their_text(using: Use[Any]):
    found = using(lambda client: client.call_tool("search_book", {"query": "What is a topic?", "top_k": 1}))
    (hit,) = found.structured_content["hits"]
    assert found.structured_content["confidence"] in ("high", "medium")
    assert (hit["chunk_id"], hit["chapter"], hit["section"]) == (TOPICS, "Start", "Topics")
    assert hit["url"] == "01-start/02-topics.md#topics"
    assert 0.5 < hit["similarity"] <= 1
    assert hit["text"].startswith("# Topics\n\nA topic is a named stream of messages.")
    assert all(words in text(found) for words in (TOPICS, "Start › Topics", hit["url"], hit["text"]))


def test_search_book_looks_in_one_chapter_only_where_it_is_told_to(using: Use[Any]):
    def chapters(**arguments: Any) -> set[str]:
        found = using(lambda client: client.call_tool("search_book", {"query": "topic", **arguments}))
        return {hit["chapter"] for hit in found.structured_content["hits"]}

    assert chapters() == {"Start", "Motion"}
    assert chapters(chapter="Motion") == {"Motion"}
    assert chapters(chapter="Nowhere") == set()


def test_ask_book_answers_with_its_sources(using: Use[Any]):
    told = using(lambda client: client.call_tool("ask_book", {"question": "What is a topic?"}))
    answer = told.structured_content
    assert answer["outcome"].startswith("answered")
    assert answer["text"].startswith(
        "**Topics**\n\nA topic is a named stream of messages. Publishers send messages to it"
    )
    assert 0.6 <= answer["confidence"] <= 1
    citation, *_ = answer["citations"]
    assert (citation["n"], citation["chunk_id"]) == (1, TOPICS)
    assert citation["quote"].startswith("A topic is a named stream of messages.")
    assert all(words in text(told) for words in (answer["text"], citation["url"], TOPICS))


def test_ask_book_says_so_when_the_book_does_not(using: Use[Any]):
    def ask(question: str) -> CallToolResult:
        return using(lambda client: client.call_tool("ask_book", {"question": question}))

    refused, greeted, cautious = ask("Who won the world cup in 1998?"), ask("Hello!"), ask("least")
    assert not refused.is_error
    assert refused.structured_content["outcome"] == "not_in_book"
    assert text(refused).startswith("I could not find an answer to this")
    assert greeted.structured_content["confidence"] is None
    assert cautious.structured_content["disclaimer"] in text(cautious)


def test_read_section_gives_what_was_found_or_cited(using: Use[Any]):
    read = using(lambda client: client.call_tool("read_section", {"chunk_id": TOPICS}))
    section = read.structured_content
    assert (section["page"], section["page_title"]) == ("01-start/02-topics.md", "Topics")
    assert section["text"].startswith("# Topics")
    assert section["text"] in text(read)


def test_list_chapters_gives_them_in_reading_order(using: Use[Any]):
    listed = using(lambda client: client.call_tool("list_chapters", {}))
    chapters = listed.structured_content["chapters"]
    assert [(chapter["title"], chapter["sections"][0]) for chapter in chapters] == [
        ("Start", "Nodes"),
        ("Motion", "Batteries"),
    ]
    assert all(words in text(listed) for words in ("1. Start", "   - Quality of service", "2. Motion"))


def test_a_failure_is_told_to_whoever_called_in_a_safe_sentence(using: Use[Any]):
    def fail(name: str, **arguments: Any) -> tuple[str, str]:
        result = using(lambda client: client.call_tool(name, arguments))
        assert result.is_error
        assert result.structured_content is None
        assert result.meta is not None
        assert len(result.meta["trace_id"]) == 32
        return text(result), result.meta["code"]

    assert fail("read_section", chunk_id="canary") == ("The book has no such section.", "not_found")
    said, code = fail("search_book", query="", top_k=21)
    assert code == "invalid"
    assert "query: String should have at least 1 character." in said
    assert "top_k: Input should be less than or equal to 20." in said
    for arguments in ({"question": "canary" * 400}, {"question": ["canary"]}, {"question": "canary\x00"}):
        said, _ = fail("ask_book", **arguments)
        assert "canary" not in said
    said, _ = fail("ask_book")
    assert "question" in said


def test_a_tool_that_is_none_is_a_mistake_of_the_protocol(using: Use[Any]):
    with pytest.raises(MCPError) as unknown:
        using(lambda client: client.call_tool("canary", {}))
    assert (unknown.value.code, unknown.value.message) == (-32602, "There is no such tool.")


def test_many_call_at_once_and_each_hears_their_own_answer(using: Use[Any]):
    questions = {"What is a topic?": "named stream", "What is a node?": "one program", "Hello!": "Ask me"}

    async def ask_all(client: Client) -> list[bool]:
        async def ask(question: str) -> bool:
            return questions[question] in text(await client.call_tool("ask_book", {"question": question}))

        return await asyncio.gather(*(ask(question) for question in [*questions] * 6))

    assert all(using(ask_all))


def test_a_client_that_leaves_ends_the_answer(home: Path, tmp_path: Path):
    with model_server() as model:
        model.will(keeps_talking("A topic is a named stream of messages [1]. "))
        settings = {"model": "m", "model_base_url": model.url, "model_api_key": "k", "model_tools": False}
        # Nothing else may end it in the time that the test waits.
        settings |= {"write_seconds": 10 * PATIENCE, "answer_seconds": 10 * PATIENCE}
        records = f"sqlite:///{tmp_path}/records.sqlite"
        with served(home, tmp_path, database_url=records, **settings) as server:
            for asked, mode in enumerate(MODES):
                asyncio.run(leave(f"{server.url}/mcp", mode, lambda asked=asked: len(model.calls) > asked))
                assert model.script.was_hung_up.wait(PATIENCE)
                model.script.was_hung_up.clear()


async def leave(url: str, mode: str, is_asked: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE), Client(url, mode=mode) as client:
        asking = asyncio.create_task(client.call_tool("ask_book", {"question": "What is a topic?"}))
        while not is_asked():
            await asyncio.sleep(0.02)
        asking.cancel()
        await asyncio.wait((asking,))


def test_the_command_writes_nothing_but_messages_to_its_output_and_ends_with_its_input(
    home: Path, tmp_path: Path
):
    asked = {"name": "ask_book", "arguments": {"question": "What is a zyxomorphic topic?"}}
    sent = [
        {"id": 1, "method": "initialize", "params": _hello()},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": asked},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in sent]
    with subprocess.Popen(
        [GLOSSATOR, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home, database_url=f"sqlite:///{tmp_path}/records.sqlite"),
        cwd=tmp_path,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("\n".join(["this is no JSON", *lines]) + "\n")
        process.stdin.flush()
        told = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read() == ""
        assert "zyxomorphic" not in process.stderr.read()
    assert {reply["id"] for reply in told} == {1, 2}
    assert [*tmp_path.iterdir()] == []


def _hello() -> dict[str, Any]:
    return {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }


def test_the_command_starts_without_a_book_and_says_what_to_do(tmp_path: Path):
    async def ask() -> CallToolResult:
        async with asyncio.timeout(PATIENCE), Client(started(tmp_path / "empty", tmp_path)) as client:
            return await client.call_tool("ask_book", {"question": "What is a topic?"})

    told = asyncio.run(ask())
    assert told.is_error
    assert text(told) == "No book has been ingested here yet: run `glossator ingest PATH`."
    assert [*tmp_path.iterdir()] == []


def test_the_command_says_in_one_line_what_is_wrong_with_the_settings(tmp_path: Path):
    done = subprocess.run(
        [GLOSSATOR, "mcp"],
        env=environment(tmp_path, embedder="magic"),
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "GLOSSATOR_EMBEDDER" in done.stderr
