"""The addresses that `glossator ask` and `glossator search` print, which a terminal makes links of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click import unstyle
from click.testing import CliRunner

from glossator.cli import commands
from glossator.cli.show_markdown import MarkdownPrinter

NODES = "# Nodes\n\nA node is one program of a robot.\n\n## Executors\n\nAn executor runs the callbacks of a node.\n"
QUESTION = "What does an executor run?"
RELATIVE = "/book/docs/nodes#executors"
WHOLE = f"https://robots.example{RELATIVE}"


class Reader:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = {"GLOSSATOR_HOME": str(folder / "home"), "NO_COLOR": "1"}
        patient = {"GLOSSATOR_SEARCH_SECONDS": "60", "GLOSSATOR_WRITE_SECONDS": "120"}
        self._runner = CliRunner(env={**home, **patient})

    def run(self, *words: str, given: str | None = None) -> str:
        done = self._runner.invoke(commands, [*words], input=given)
        assert done.exit_code == 0, done.output
        return done.stdout


def book(folder: Path, config: str) -> Reader:
    (folder / "docs").mkdir()
    (folder / "docs" / "nodes.md").write_text(NODES, "utf-8")
    (folder / "docusaurus.config.js").write_text(config, "utf-8")
    return Reader(folder)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Of a book whose site says where it is published."""
    config = "module.exports = {url: 'https://robots.example', baseUrl: '/book/'}"
    reader = book(tmp_path_factory.mktemp("published"), config)
    reader.run("ingest", str(reader.folder))
    return reader


def last_words(printed: str) -> list[str]:
    return [line.split()[-1] for line in printed.splitlines() if line.strip()]


def test_search_prints_whole_addresses(reader: Reader):
    assert WHOLE in last_words(reader.run("search", QUESTION))


def test_a_citation_is_printed_with_its_whole_address(reader: Reader):
    assert WHOLE in last_words(reader.run("ask", QUESTION))


def test_a_citation_in_a_session_is_printed_with_its_whole_address(reader: Reader):
    assert WHOLE in last_words(reader.run("ask", QUESTION, "--session", "mine"))


def test_the_nearest_sections_of_a_refusal_have_whole_addresses(reader: Reader):
    told = reader.run("ask", "How many callbacks can an executor run per second?")
    assert told.startswith("I could not find an answer")
    assert WHOLE in last_words(told)


def test_programs_get_the_addresses_as_they_are_in_the_index(reader: Reader):
    hits = json.loads(reader.run("search", QUESTION, "--json"))["hits"]
    assert hits[0]["url"] == RELATIVE
    answer = json.loads(reader.run("ask", QUESTION, "--json"))
    assert answer["citations"][0]["url"].startswith(RELATIVE)
    exported = [json.loads(line) for line in reader.run("export").splitlines()]
    assert {chunk["page_url"] for chunk in exported} == {"/book/docs/nodes"}


def test_the_place_of_a_selection_has_no_address(reader: Reader):
    told = reader.run(
        "ask", "How far does the arm reach?", "--selection", "-", given="The arm reaches 85 cm."
    )
    assert "85 cm" in told
    assert "robots.example" not in told


def test_a_site_that_does_not_say_where_it_is_published_has_addresses_without_a_host(tmp_path: Path):
    reader = book(tmp_path, "module.exports = {baseUrl: '/book/'}")
    reader.run("ingest", str(tmp_path))
    assert RELATIVE in last_words(reader.run("ask", QUESTION))


def test_a_base_url_of_the_author_stands_above_that_of_the_site(tmp_path: Path):
    reader = book(tmp_path, "module.exports = {url: 'https://robots.example', baseUrl: '/book/'}")
    reader.run("ingest", str(tmp_path), "--base-url", "https://other.example/b/")
    assert "https://other.example/b/docs/nodes#executors" in last_words(reader.run("search", QUESTION))


def drawn(text: str) -> str:
    written = list[str]()
    printer = MarkdownPrinter(written.append, 100)
    printer.write(text)
    printer.finish()
    return unstyle("".join(written)).strip()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is in [Nodes > Executors](/book/docs/nodes#executors).", "It is in Nodes > Executors."),
        ("See [the page](../nodes.md) of it.", "See the page of it."),
        ("See [ROS](https://docs.ros.org/x).", "See ROS (https://docs.ros.org/x)."),
        ("Call `[this](message)` then. [1]", "Call [this](message) then. [1]"),
    ],
)
def test_a_link_in_the_text_is_drawn_as_its_words_and_an_address_that_leads_somewhere(text: str, shown: str):
    assert drawn(text) == shown
