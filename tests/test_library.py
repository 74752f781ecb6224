"""The Python API, as docs/python.md shows it."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import glossator
from glossator import Assistant, Book, Filters, GlossatorError

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "python.md"
BOOK = {
    "nodes.md": "# Nodes\n\nA node is a named program in the ROS graph.\n\nTo create a node, call `rclpy.create_node`.\n",
    "topics.md": "# Topics\n\nA topic is a named channel that carries messages.\n",
}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Book]:
    folder = tmp_path_factory.mktemp("book")
    for name, text in BOOK.items():
        (folder / name).write_text(text)
    with Book.ingest(folder, tmp_path_factory.mktemp("home")) as opened:
        yield opened


def test_the_code_of_the_page_runs(tmp_path: Path):
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "node" in done.stdout


def test_the_public_names_are_those_of_the_page():
    assert set(glossator.__all__) == set(
        re.findall(r"`(\w+)`", PAGE.read_text().partition("The public names are")[2])
    )
    assert all(hasattr(glossator, name) for name in glossator.__all__)
    with pytest.raises(AttributeError):
        _ = glossator.Engine  # type: ignore[attr-defined]


def test_what_was_ingested_is_told_and_found(book: Book):
    assert book.report
    assert book.report.pages == 2
    assert book.search("messages")[0].chunk.page == "topics.md"
    assert {hit.chunk.page for hit in book.search("named", filters=Filters(page=("nodes.md",)))} == {
        "nodes.md"
    }


def test_an_answer_streams_and_is_then_whole(book: Book):
    assistant = Assistant(book)
    pieces = list(assistant.stream("What is a topic?"))
    assert assistant.answer
    assert "".join(pieces).strip() == assistant.answer.text.strip()
    assert assistant.answer.citations[0].page == "topics.md"


def test_a_stream_that_is_left_early_leaves_the_book_usable(book: Book):
    assistant = Assistant(book)
    stream = assistant.stream("What is a topic?")
    next(stream)
    stream.close()
    assert assistant.history == ()
    assert assistant.ask("What is a node?").text


def test_a_conversation_remembers_its_last_exchanges(book: Book):
    assistant = Assistant(book)
    for _ in range(7):
        assistant.ask("What is a node?")
    assert [exchange.question for exchange in assistant.history] == ["What is a node?"] * 5


def test_inside_of_a_running_loop_both_ways_work(book: Book):
    async def both() -> None:
        assistant = Assistant(book)
        awaited = await assistant.ask_async("What is a topic?")
        assert awaited.text == Assistant(book).ask("What is a topic?").text
        assert [piece async for piece in assistant.stream_async("What is a node?")]
        assert await book.search_async("messages")

    asyncio.run(both())


def test_errors_are_ours(tmp_path: Path):
    with pytest.raises(GlossatorError):
        Book.ingest(tmp_path / "nothing", tmp_path / "home")
    with pytest.raises(GlossatorError), Book(tmp_path / "home") as empty:
        empty.search("anything")
