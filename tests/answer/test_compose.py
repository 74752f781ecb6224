"""Answers made of the book's own sentences."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from compose_evidence import answer, evidence, pieces, words_of
from markdown_it import MarkdownIt

from glossator.answer.compose import compose
from glossator.answer.compose.sentence import is_answer
from glossator.model import Brief

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs"

SERVICES = """
# Services

Some jobs need an answer. You want to zero a sensor and to know whether it worked.

## What a service is

A *service* is a named request and response between nodes. A *service server* is the node that owns the name.
Many clients may use one service. How small should a service be?

See [topics](./topics.md) for services that stream.

## Calling a service

`call_async` sends the request of a service and returns a future at once. Call the service like this:

```python
future = client.call_async(Trigger.Request())

rclpy.spin_until_future_complete(node, future)
```

It returns nothing when the time is up.

## Choosing

A topic streams data, while a service answers once.

| Question | Topic | Service |
| --- | --- | --- |
| Who starts? | publisher | client |
| Is there an answer? | no | [yes](./x.md), one |

## Avoiding a deadlock

There are three cures for a service deadlock:

1. **Do not wait.** Attach a callback to the
   [future](./future.md), and return.
2. **Use `await`.** A coroutine gives the thread back.
3. **Use two threads.** Put the client in a group of its own.
"""


def test_a_definition_leads_and_its_paragraph_follows():
    text = answer("What is a service?", SERVICES)
    assert text.startswith("A *service* is a named request and response between nodes. [1] ")
    assert "A *service server* is the node that owns the name. [1]" in text


def test_every_piece_ends_with_the_mark_of_its_evidence_and_joined_they_are_the_answer():
    for question in ("What is a service?", "How do I call a service?", "How do topics and services differ?"):
        composed = pieces(question, SERVICES)
        assert composed
        assert all(re.search(r"(?: |\n\n)\[1\]$", piece) for piece in composed)
        assert not composed[0].startswith((" ", "\n"))
        assert all(piece.startswith((" ", "\n\n")) for piece in composed[1:])


def test_a_question_is_never_the_answer():
    assert "?" not in answer("How small should a service be?", SERVICES)


def test_a_pointer_to_another_page_is_never_the_answer():
    assert "See" not in answer("Which services stream?", SERVICES)


def test_code_comes_whole_where_the_question_asks_how():
    text = answer("How do I call a service?", SERVICES)
    assert (
        "\n\n```python\nfuture = client.call_async(Trigger.Request())\n\nrclpy.spin_until_future_complete"
        in text
    )
    assert "\n```\n\n[1]" in text


def test_code_stays_away_where_nobody_asks_for_it():
    assert "```" not in answer("What is a service?", SERVICES)


def test_a_table_comes_whole_where_things_are_compared():
    text = answer("What is the difference between a topic and a service?", SERVICES)
    assert text.startswith("A topic streams data, while a service answers once. [1]")
    assert "| Who starts? | publisher | client |\n| Is there an answer? | no | yes, one |\n\n[1]" in text


def test_a_list_of_steps_comes_whole_behind_the_sentence_that_announces_it():
    text = answer("How do I avoid a service deadlock?", SERVICES)
    assert (
        "There are three cures for a service deadlock: [1]\n\n1. **Do not wait.** Attach a callback to the future"
        in text
    )
    assert text.endswith("3. **Use two threads.** Put the client in a group of its own. [1]")


def test_a_sentence_that_announces_something_never_comes_without_it():
    page = "# Arms\n\nThe arm has these two parts:\n\n<Figure/>\n\nAn arm lifts up to 5 kg of load."
    assert answer("Which parts does the arm have?", page) == "An arm lifts up to 5 kg of load. [1]"


def test_a_sentence_that_leans_on_the_one_before_comes_with_it():
    page = (
        "# Lidar\n\nA lidar measures distance with light. It turns ten times a second. Rain disturbs lidars."
    )
    text = answer("How often does it turn in a second?", page)
    assert text.startswith("A lidar measures distance with light. [1] It turns ten times a second. [1]")


def test_a_sentence_that_leans_on_nothing_at_hand_is_better_than_none():
    assert (
        answer("How long is it?", "It is exactly five meters long.") == "It is exactly five meters long. [1]"
    )


def test_a_formula_comes_with_the_sentence_that_it_ends():
    page = "# Error\n\nAt distance $d$ the sideways error of the camera is\n\n$$\ne = d \\tan a.\n$$\n\nThat is little."
    text = answer("How large is the sideways error?", page)
    assert text.startswith(
        "At distance $d$ the sideways error of the camera is [1]\n\n$$ e = d \\tan a. $$ [1]"
    )


def test_the_same_sentence_in_two_chunks_is_said_once():
    one = "# Gyroscopes\n\nA gyroscope measures the angular velocity of a body in three axes."
    other = "# Sensors\n\nThe gyroscope measures the angular velocity of the body in three axes. A gyroscope drifts with time and heat."
    text = answer("What does a gyroscope measure?", one, other)
    assert text.count("measures the angular velocity") == 1


def test_links_images_and_tags_of_the_book_leave_only_their_words():
    page = "# PID\n\nA PID controller ![sketch](pid.png) adds <b>three</b> [terms](./terms.md) of the error[^1].\n\n[^1]: A note."
    assert answer("What is a PID controller?", page).startswith(
        "A PID controller adds three terms of the error. [1]"
    )


def test_a_number_in_brackets_in_the_source_is_not_taken_for_a_citation():
    text = answer("Who found covariance steering?", "Covariance steering was found by Hotz and Skelton [7].")
    assert text == "Covariance steering was found by Hotz and Skelton \\[7\\]. [1]"


def test_an_entry_of_a_glossary_is_told_without_its_neighbours():
    page = "# Glossary\n\n- **AMCL**: A particle filter on a known map. See [AMCL](./amcl.md).\n- **ATE**: An error."
    assert answer("What is AMCL?", page) == "**AMCL**: A particle filter on a known map. [1]"


def test_a_glossary_of_hundreds_is_never_shown_whole():
    page = "# Terms\n\n" + "\n".join(f"- **Term {n}**: What number {n} means here." for n in range(100))
    assert len(words_of(answer("List the terms", page))) < 180


def test_a_table_too_long_to_show_gives_its_row_in_words():
    rows = "\n".join(f"| code{n} | meaning of {n} |" for n in range(70))
    text = answer("code42?", f"# Codes\n\n| Code | Meaning |\n|---|---|\n{rows}")
    assert text == "code42 — meaning of 42 [1]"


def test_a_list_with_code_at_its_end_keeps_its_fence_closed():
    page = "# Setup\n\nInstall the driver in two steps:\n\n1. Install the package.\n2. Run it:\n\n   ```bash\n   driver run\n   ```\n"
    text = answer("How do I install the driver?", page)
    assert "   ```bash\n   driver run\n   ```\n\n[1]" in text


def test_a_fence_inside_a_quote_stands_on_its_own():
    page = "# Run\n\n> Run the node with this command:\n>\n> ```bash\n> ros2 run demo talker\n> ```\n"
    assert "\n\n```bash\nros2 run demo talker\n```\n\n[1]" in answer(
        "What is the command to run the node?", page
    )


def test_a_drawing_in_code_is_not_shown():
    page = "# Flow\n\nThe flow has two steps.\n\n```mermaid\nflowchart LR\n  A --> B\n```\n"
    assert "mermaid" not in answer("Show me an example of the flow", page)


def test_an_answer_has_no_more_than_180_words_where_sentences_end():
    page = "# Robots\n\n" + " ".join(
        f"A robot number {n} carries a load of {n} kg up a hill." for n in range(80)
    )
    assert 40 <= len(words_of(answer("What load does a robot carry up a hill?", page))) <= 180


def test_a_reason_is_preferred_where_the_question_asks_why():
    page = "# Depth\n\nThe depth of the queue is one in control loops.\n\nThe depth of the queue is small, because old data is worse than none."
    assert answer("Why is the depth of the queue small?", page).startswith(
        "The depth of the queue is small, because"
    )


def test_what_was_asked_is_not_said_back():
    page = (
        "# Quiz\n\nThe reach comes out as 12 m. A reach of 12 m is longer than the arm, so the unit is wrong."
    )
    assert answer("The reach comes out as 12 m. Why?", page).startswith("A reach of 12 m is longer")


@pytest.mark.parametrize("question", ["", "==========", "کوارٹرنین کیا ہے؟", "👩‍💻", "x" * 10_000, "why?"])
def test_any_question_gets_sentences_of_the_book(question: str):
    said = set(words_of(SERVICES))
    assert set(words_of(answer(question, SERVICES))) <= said


def test_no_evidence_makes_no_answer():
    assert compose(Brief("What is a node?", [])) == []
    assert answer("What is a node?", "# Only a heading") == ""


QUESTIONS = [
    "What is a service?",
    "How do I call a service without blocking?",
    "Which executors are there?",
    "What is the difference between a topic and an action?",
    "Why does the node hang?",
    "Give me an example of a launch command",
    "How many samples are averaged?",
    "What is a quaternion?",
]


@pytest.mark.parametrize("page", sorted(BOOK.rglob("*.md*")), ids=lambda page: page.name)
def test_every_answer_is_markdown_of_the_pages_own_words_in_their_order(page: Path):
    source = page.read_text("utf-8")
    for question in QUESTIONS:
        for piece in pieces(question, source):
            body = re.sub(r"\s*\[\d+\]$", "", piece)
            assert _is_in_order(words_of(body), words_of(source)), piece
            assert _has_whole_blocks(body), piece


def test_composing_takes_about_a_millisecond():
    sources = [page.read_text("utf-8") for page in sorted(BOOK.rglob("0*.md"))[:8]]
    briefs = [Brief(question, evidence(question, *sources)[:5]) for question in QUESTIONS]
    assert min(_seconds(brief) for _ in range(5) for brief in briefs) < 0.002


def _seconds(brief: Brief) -> float:
    start = time.perf_counter()
    compose(brief)
    return time.perf_counter() - start


def _is_in_order(words: list[str], source: list[str]) -> bool:
    """Whether the words stand in the source in this order, with what links and tags lose left out between."""
    places = iter(source)
    return all(any(word == place for place in places) for word in words)


def _has_whole_blocks(markdown: str) -> bool:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    fences = [token for token in tokens if token.type == "fence"]
    return markdown.count("```") == sum(2 * token.content.count("```") + 2 for token in fences)


def test_what_is_remembered_of_sentences_is_bounded():
    for number in range(5000):
        is_answer(f"Sentence {number} says something.")
    assert is_answer.cache_info().currsize <= 4096


def test_many_threads_compose_the_same_answer():
    question = "What is a service?"
    asked = Brief(question, evidence(question, SERVICES))
    with ThreadPoolExecutor(8) as threads:
        answers = {"".join(one) for one in threads.map(lambda _: compose(asked), range(64))}
    assert answers == {answer(question, SERVICES)}
