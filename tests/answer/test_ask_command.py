"""`glossator ask`, as a person and as a program use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click import unstyle
from click.testing import CliRunner, Result

from glossator.cli import commands
from glossator.cli.show_markdown import MarkdownPrinter
from glossator.errors import GlossatorError, NoBookYet, QuestionEmpty, SettingsError


def ask(home: Path, *arguments: str, given: str | None = None) -> Result:
    patient = {"GLOSSATOR_SEARCH_SECONDS": "60", "GLOSSATOR_WRITE_SECONDS": "120"}
    runner = CliRunner(env={"GLOSSATOR_HOME": str(home), **patient})
    return runner.invoke(commands, ["ask", *arguments], input=given, standalone_mode=False)


def test_the_answer_stands_above_its_numbered_links(home: Path):
    said = ask(home, "What is a topic?").stdout
    text, _, below = said.partition("The book says this")
    assert "every subscriber receives a copy. [1]" in text
    assert "[1] " in below
    assert "topics" in below


def test_a_refusal_says_so_first(home: Path):
    said = ask(home, "How do I bake sourdough bread?").stdout
    assert said.startswith("I could not find an answer")


def test_for_machines_it_is_the_whole_answer(home: Path):
    answer = json.loads(ask(home, "What is a topic?", "--json").stdout)
    assert {"id", "outcome", "text", "claims", "citations", "confidence", "grounding", "suggestions"} <= set(
        answer
    )
    assert {"disclaimer", "writer", "model", "index", "timings"} <= set(answer)
    assert answer["outcome"] in ("answered", "answered_with_caution")
    assert answer["citations"][0]["n"] == 1
    assert answer["confidence"]["policy"] == "calibrated"
    assert "trace" not in answer


def test_the_trace_goes_to_stderr(home: Path):
    result = ask(home, "What is a topic?", "--show-trace")
    assert "retrieve" in result.stderr
    assert "retrieve" not in result.stdout


def test_a_session_is_remembered_and_leant_on(home: Path):
    ask(home, "How do I charge the battery?", "--session", "mine")
    result = ask(home, "and how long does it last?", "--session", "mine", "--show-trace")
    assert "four hours" in result.stdout
    assert "battery" in result.stderr


def test_a_selection_comes_from_a_file_or_from_stdin(home: Path, tmp_path: Path):
    marked = "The arm weighs 4 kg. Its reach is 85 cm."
    file = tmp_path / "marked.txt"
    file.write_text(marked, "utf-8")
    assert "85 cm" in ask(home, "How far does the arm reach?", "--selection", str(file)).stdout
    assert "85 cm" in ask(home, "How far does the arm reach?", "--selection", "-", given=marked).stdout
    lacking = ask(home, "Who invented the printing press?", "--selection", str(file)).stdout
    assert "search the whole book" in lacking


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["   "], QuestionEmpty),
        (["What is it?", "--selection", "nowhere.txt"], GlossatorError),
        (["What is it?", "--session", "../../etc"], SettingsError),
    ],
)
def test_bad_input_is_one_clear_error(home: Path, arguments: list[str], error: type[GlossatorError]):
    assert isinstance(ask(home, *arguments).exception, error)


def test_without_a_book_it_says_what_to_do(tmp_path: Path):
    result = ask(tmp_path, "What is a topic?")
    assert isinstance(result.exception, NoBookYet)
    assert "glossator ingest" in str(result.exception)


def drawn(*pieces: str, width: int = 60) -> str:
    written = list[str]()
    printer = MarkdownPrinter(written.append, width)
    for piece in pieces:
        printer.write(piece)
    printer.finish()
    return "".join(written)


def test_prose_is_broken_between_words_and_code_is_left_alone():
    text = unstyle(
        drawn(
            "One two three four five six. [1]",
            " Seven.",
            "\n\n```\nsome code that is longer than the page is wide\n```\n\n[2]",
            width=20,
        )
    )
    lines = text.splitlines()
    assert all(len(line) <= 20 for line in lines[:3])
    assert lines[-3:] == ["", "  some code that is longer than the page is wide", "  [2]"]


def test_on_a_terminal_emphasis_is_seen_and_not_spelled():
    text = drawn("A **bold** *word*, `code` and 2 * 3 * 4 more of it.", width=30)
    assert "\x1b[1mbold" in text
    assert "**" not in text
    assert "2 * 3 * 4" in text.replace("\n", " ")
    assert all(len(unstyle(line)) <= 30 for line in text.splitlines())


def test_on_a_terminal_a_table_has_columns_and_no_bars():
    text = unstyle(
        drawn(
            "It connects: [1]",
            "\n\n| Offers | Result |\n| --- | --- |\n| reliable | **yes** |\n| `none` | a \\| b |\n\n[1]",
        )
    )
    lines = [line.split("  ") for line in text.splitlines()]
    assert "**" not in text
    assert "---" not in text
    assert [" ".join(line).split() for line in lines if "reliable" in " ".join(line)] == [["reliable", "yes"]]
    assert "a | b" in text
    assert text.splitlines()[-1] == "  [1]"


def test_a_table_that_is_too_wide_is_folded_into_the_width():
    wide = f"| a | b |\n| --- | --- |\n| {'long words ' * 12}| {'more words ' * 12}|"
    assert all(len(unstyle(line)) <= 50 for line in drawn(wide, width=50).splitlines())


def test_a_list_hangs_below_its_marks_and_its_code_stands_below_its_item():
    text = unstyle(
        drawn(
            "Do this: [1]",
            "\n\n1. Create the workspace and a package in it. [1]",
            "\n\n   ```bash\n   mkdir ws\n     cd ws\n   ```",
            "\n\n- One. [2]",
            "\n- Two. [2]",
            width=30,
        )
    )
    assert text == (
        "Do this:\n\n1. Create the workspace and a\n   package in it. [1]\n\n"
        "     mkdir ws\n       cd ws\n\n• One.\n• Two. [2]\n"
    )


def test_sentences_that_cite_the_same_place_share_one_mark():
    text = unstyle(drawn("One. [1]", " Two. [1]", " Three. [2]", "\n\nFour. [2]", "\n\nFive."))
    assert text == "One. Two. [1] Three. [2]\n\nFour. [2]\n\nFive.\n"
