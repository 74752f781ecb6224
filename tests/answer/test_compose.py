"""Answers made of the book's own words, in the shape the author gave them."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from glossator.answer.compose import MOST_WORDS, compose
from glossator.answer.wording import also_in_book
from glossator.model import Brief, Evidence
from glossator.text.markdown import code_titles
from support.compose_evidence import answer, evidence, pieces, words_of

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs"

SERVICES = """
# Services

Some jobs need a reply. You want to zero a sensor, and to know whether it worked.

A *service* is a named request and response. The *owner* of the name is one node. Many clients may share it.

`call_async` returns a future at once. Send the request like this:

```python
future = client.call_async(Trigger.Request())

rclpy.spin_until_future_complete(node, future)
```

It returns nothing when the time is up.

They compare as follows:

| Property | Topic | Service |
| --- | --- | --- |
| Who starts? | publisher | client |
| Reply | never | [always](./x.md) one |

There are three cures for the deadlock:

1. **Do not wait.** Attach a callback to the
   [future](./future.md), and return.
2. **Use `await`.** A coroutine gives the thread back.
3. **Use two threads.** Put the client in a group of its own.
"""


def test_the_paragraph_that_answers_comes_whole_and_first():
    assert answer("Which owner does the name have?", SERVICES).startswith(
        "A *service* is a named request and response. The *owner* of the name is one node. "
        "Many clients may share it. [1]"
    )


def test_of_a_long_paragraph_the_sentences_around_the_best_one_come():
    sentences = [f"Sentence number {n} says that wheel number {n} turns rather slowly." for n in range(30)]
    sentences[20] = "The gripper closes with a force of forty newtons."
    text = answer("Which force has the gripper?", "# Arms\n\n" + " ".join(sentences))
    assert sentences[20] in text
    assert text.removesuffix(" [1]") in " ".join(sentences)
    assert 30 < len(words_of(text)) <= 105


def test_a_list_comes_whole_behind_the_sentence_that_announces_it():
    assert answer("What are the cures for the deadlock?", SERVICES).startswith(
        "There are three cures for the deadlock: [1]\n\n"
        "1. **Do not wait.** Attach a callback to the future, and return.\n"
        "2. **Use `await`.** A coroutine gives the thread back.\n"
        "3. **Use two threads.** Put the client in a group of its own. [1]"
    )


def test_an_item_that_answers_brings_its_list_and_what_announces_it():
    text = answer("Which coroutine gives the thread back?", SERVICES)
    assert text.startswith("There are three cures for the deadlock: [1]\n\n1. **Do not wait.**")


@pytest.mark.parametrize(
    ("introduction", "mark"),
    [("", "1."), ("A bound logger has these parts:\n\n", "-")],
    ids=["numbered", "introduced"],
)
def test_items_that_belong_together_are_not_shown_alone(introduction: str, mark: str):
    items = [f"{mark} **Part {n}**: The meaning of number {n} among all the others of it." for n in range(8)]
    items[0] = f"{mark} **Quaternion**: Four values for a rotation."
    text = answer("What is a quaternion?", f"# Parts\n\n{introduction}" + "\n".join(items))
    assert all(f"**Part {n}**" in text for n in range(1, 8))


def test_of_a_list_too_long_to_show_the_items_that_belong_come_whole():
    items = [f"- **Term {n}**: The meaning of number {n} in this very small list." for n in range(60)]
    items[40] = "- **Quaternion**: Four values for a rotation.\n  - Its norm is one."
    text = answer("What is a quaternion?", "# Glossary\n\n" + "\n".join(items))
    assert (
        re.sub(r"\d", "n", text) == "- **Quaternion**: Four values for a rotation.\n  - Its norm is one. [n]"
    )


def test_of_many_items_that_belong_the_best_one_is_there():
    items = [f"- The gripper number {n} is made of rubber, of steel and of glue." for n in range(60)]
    items[40] = "- The gripper made of rubber closes with a force of forty newtons."
    text = answer("Which gripper made of rubber has force?", "# Arms\n\n" + "\n".join(items))
    assert "force of forty newtons" in text


def test_of_many_rows_that_belong_the_best_one_is_there():
    rows = [f"| gripper {n} | made of rubber and steel |" for n in range(60)]
    rows[40] = "| gripper 40 | made of rubber and with much force |"
    page = "# Arms\n\n| Part | Note |\n|---|---|\n" + "\n".join(rows)
    text = answer("Which gripper made of rubber has force?", page)
    assert "much force" in text


def test_a_table_comes_whole_with_its_header():
    text = answer("Does a topic or a service have a reply, and who starts?", SERVICES)
    assert (
        "| Property | Topic | Service |\n| --- | --- | --- |\n| Who starts? | publisher | client |\n"
        "| Reply | never | always one |\n\n[1]"
    ) in text


def test_of_a_table_too_long_to_show_the_rows_that_belong_come_under_its_header():
    rows = "\n".join(f"| code{n} | the meaning of number {n} |" for n in range(70))
    rows = rows.replace("the meaning of number 42", "overheated gearbox")
    text = answer(
        "Which code has an overheated gearbox?", f"# Errors\n\n| Code | Meaning |\n|---|---|\n{rows}"
    )
    assert text == "| Code | Meaning |\n|---|---|\n| code42 | overheated gearbox |\n\n[1]"


CODE = (
    "```python\nfuture = client.call_async(Trigger.Request())\n\n"
    "rclpy.spin_until_future_complete(node, future)\n```\n\n[1]"
)


@pytest.mark.parametrize(
    "question", ["How do I send the request?", "What is spin_until_future_complete for?"]
)
def test_code_comes_whole_with_the_sentence_that_introduces_it(question: str):
    text = answer(question, SERVICES)
    assert "`call_async` returns a future at once. Send the request like this: [1]\n\n" + CODE in text


def test_code_comes_also_behind_a_long_introduction():
    words = "This rather long introduction tells many things about motors and wheels before it comes to the point. "
    code = "\n".join(f"set gripper force {n} newton" for n in range(25))
    page = f"# Arms\n\n{words * 4}Close it like this:\n\n```sh\n{code}\n```\n"
    assert "set gripper force 7 newton" in answer("How do I set the force of the gripper?", page)


def test_of_long_code_no_more_than_thirty_lines_come():
    code = "\n".join(f"value_{n} = read_register({n})" for n in range(90))
    text = answer("How do I read the register?", f"# Registers\n\nLike this:\n\n```python\n{code}\n```\n")
    assert 1 <= text.count("read_register") <= 30
    assert text.count("```") == 2


@pytest.mark.parametrize("place", [3, 45, 88])
def test_of_long_code_the_line_that_belongs_comes(place: int):
    lines = [f"value_{n} = compute({n})" for n in range(90)]
    lines[place] = "gripper.close(force=40)"
    page = "# Arms\n\nLike this:\n\n```python\n" + "\n".join(lines) + "\n```\n"
    assert "gripper.close(force=40)" in answer("How do I close the gripper with force?", page)


def test_code_that_goes_on_in_another_chunk_keeps_its_fence_closed():
    lines = [f"value_{n} = compute({', '.join(str(10 * n + m) for m in range(20))})" for n in range(30)]
    page = "# Arms\n\nLike this:\n\n```python\n" + "\n".join(lines) + "\n```\n"
    for item in evidence("How do I compute?", page):
        [piece] = [text for text in compose(Brief("How do I compute?", [item])) if "compute(" in text]
        assert piece.count("```") == 2


def test_rows_of_a_table_that_goes_on_in_another_chunk_have_no_other_row_for_a_header():
    rows = [f"| code{n} | the meaning of number {n} |" for n in range(300)]
    rows[250] = "| code250 | overheated gearbox |"
    page = "# Errors\n\n| Code | Meaning |\n|---|---|\n" + "\n".join(rows)
    text = answer("Which code has an overheated gearbox?", page)
    assert "overheated gearbox" in text
    assert "the meaning of number" not in text


def test_a_fence_in_a_quote_or_a_list_stands_on_its_own():
    quote = "# Run\n\n> Start the talker with this:\n>\n> ```bash\n> ros2 run demo talker\n> ```\n"
    assert "\n\n```bash\nros2 run demo talker\n```\n\n[1]" in answer("How do I start the talker?", quote)
    steps = (
        "# Setup\n\nTwo steps:\n\n1. Install the driver.\n2. Start it:\n\n   ```bash\n   driver run\n   ```\n"
    )
    assert "```bash\ndriver run\n```" in answer("How do I install the driver?", steps).replace("   ", "")


def test_a_drawing_in_code_and_code_of_another_file_are_not_shown():
    drawing = "# Flow\n\nThe flow has two steps.\n\n```mermaid\nflowchart LR\n  A --> B\n```\n"
    assert answer("Which steps has the flow?", drawing) == "The flow has two steps. [1]"
    included = "# Flow\n\nThe flow has two steps.\n\n```rust\n{{#include flow.rs}}\n```\n"
    assert answer("Which steps has the flow?", included) == "The flow has two steps. [1]"


def test_a_formula_stands_on_one_line():
    page = "# Error\n\nThe sideways error of the camera is\n\n$$\ne = d\n\\tan a.\n$$\n\nThat is little."
    assert "$$ e = d \\tan a. $$" in answer("How large is the sideways error?", page)


def test_what_belongs_less_stays_away():
    wheels = "# Wheels\n\nWheels are round.\n\nBatteries are heavy."
    arms = "# Arms\n\nThe gripper closes with a force of 40 N."
    assert (
        answer("Which force has the gripper?", wheels, arms) == "The gripper closes with a force of 40 N. [2]"
    )


def test_the_evidence_that_answers_best_comes_first_under_its_own_number():
    one = "# Hands\n\nSome grippers are made of rubber and steel."
    other = "# Arms\n\nThe gripper closes with a force of 40 N."
    assert answer("Which force has the gripper?", one, other).startswith(
        "The gripper closes with a force of 40 N. [2]"
    )


def test_the_same_words_in_two_chunks_are_said_once():
    one = "# Gyroscopes\n\nA gyroscope measures the angular velocity. It drifts."
    other = "# Sensors\n\nA gyroscope measures the angular velocity. It drifts.\n\nGyroscopes measure fast."
    text = answer("What does a gyroscope measure?", one, other)
    assert text.count("angular velocity") == 1
    assert "Gyroscopes measure fast. [2]" in text


def test_every_piece_ends_with_the_mark_of_its_evidence_and_joined_they_are_the_answer():
    for question in ("Which owner has the name?", "How do I send the request?", "Which reply?"):
        composed = pieces(question, SERVICES)
        assert composed
        assert all(re.search(r"(?: |\n\n)\[1\]$", piece) for piece in composed)
        assert not composed[0].startswith((" ", "\n"))
        assert all(piece.startswith("\n\n") for piece in composed[1:])


def test_links_images_and_tags_of_the_book_leave_only_their_words():
    page = "# PID\n\nA controller ![sketch](pid.png) adds <b>three</b> [terms](./terms.md) of the error[^1].\n\n[^1]: A note."
    assert answer("What does a controller add?", page).startswith(
        "A controller adds three terms of the error. [1]"
    )


def test_a_number_in_brackets_in_the_source_is_not_taken_for_a_citation():
    text = answer("Who found covariance steering?", "Covariance steering was found by Hotz and Skelton [7].")
    assert text == "Covariance steering was found by Hotz and Skelton \\[7\\]. [1]"


@pytest.mark.parametrize("question", ["", "==========", "کوارٹرنین کیا ہے؟", "👩‍💻", "x" * 10_000, "why?"])
def test_any_question_gets_words_of_the_book(question: str):
    assert set(words_of(answer(question, SERVICES))) <= set(words_of(SERVICES))


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
        composed = pieces(question, source)
        assert len(set(composed)) == len(composed)
        assert _prose_words("".join(composed)) <= MOST_WORDS
        for piece in composed:
            # What stands before the first heading is headed by the title of the page.
            body = re.sub(r"\s*\[\d+\]$", "", piece).replace("**A page**", "").replace(also_in_book(), "")
            assert _is_in_order(words_of(_titled_behind_language(body, source)), words_of(source)), piece
            assert _has_whole_blocks(body), piece


def _titled_behind_language(markdown: str, source: str) -> str:
    """The titles of code where the page has them."""
    for title in set(code_titles(source)):
        markdown = re.sub(rf"\*\*`?{re.escape(title)}`?\*\*\n\n(```\w+)", rf"\1 title={title}", markdown)
    return markdown


def _prose_words(markdown: str) -> int:
    """Without code, headings and the line above other sections."""
    markdown = markdown.replace(also_in_book(), "")
    return len(re.sub(r"```.*?```|\[\d+\]|(?m:^\*\*[^*\n]+\*\*$)", "", markdown, flags=re.DOTALL).split())


def _is_in_order(words: list[str], source: list[str]) -> bool:
    """Whether the words stand in the source in this order, with what links and tags lose left out between."""
    places = iter(source)
    return all(any(word == place for place in places) for word in words)


def _has_whole_blocks(markdown: str) -> bool:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    fences = [token for token in tokens if token.type == "fence"]
    return markdown.count("```") == sum(2 * token.content.count("```") + 2 for token in fences)


def test_many_threads_compose_the_same_answer():
    question = "Which owner does the name have?"
    asked = Brief(question, evidence(question, SERVICES))
    with ThreadPoolExecutor(8) as threads:
        answers = {"".join(pieces) for pieces in threads.map(lambda _: compose(asked), range(64))}
    assert answers == {"".join(compose(asked))}


def test_a_line_in_bold_is_shown_with_what_it_stands_over_and_never_alone():
    page = "# Simulators\n\nThere are two.\n\n**Gazebo for drones**\n\nIt is slow and exact.\n\n**Webots for drones**\n"
    text = answer("Which simulator for drones?", page)
    assert "**Gazebo for drones** [1]\n\nIt is slow and exact. [1]" in text
    assert "Webots" not in text


def test_a_short_line_is_shown_where_it_is_all_there_is():
    assert "forty newtons" in answer(
        "How strong does the gripper close?", "the gripper closes with forty newtons"
    )


def test_an_answer_begins_under_the_heading_of_its_section():
    page = "# Thinking\n\n## System 1\n\n- Speed: milliseconds\n- Task: balance\n\n## System 2\n\n- Speed: seconds\n"
    assert "".join(pieces("Which system has the task balance?", page)).startswith(
        "**Thinking > System 1**\n\n- Speed: milliseconds\n- Task: balance [1]"
    )


def test_the_paragraph_that_answers_leads_and_what_follows_it_comes_next():
    lead, after = (
        "If packets are lost, the image with the lost packets is lost.",
        "An image with lost packets is dropped.",
    )
    page = (
        f"# Images\n\nAn image has packets.\n\n{lead}\n\n{after}\n\n## Apart\n\nThe lost image of packets.\n"
    )
    assert answer("Why is an image with lost packets lost?", page).startswith(f"{lead} [1]\n\n{after} [1]")


def test_a_colon_with_nothing_behind_it_becomes_a_sign_of_more():
    page = "# Match\n\nThe idiomatic solution is to match on a reference:\n\n```rust\n{{#include ../x.rs}}\n```\n"
    assert answer("What is the idiomatic solution?", page) == (
        "The idiomatic solution is to match on a reference … [1]"
    )


def test_what_is_left_out_of_a_list_and_of_code_has_a_sign():
    items = [f"- The wheel number {n} turns rather slowly on the left side of it." for n in range(40)]
    items[10], items[20] = "- The gripper closes it.", "- The gripper opens it."
    text = answer("What does the gripper do?", "# Arms\n\n" + "\n".join(items))
    assert "The gripper closes it. …\n" in text
    code = "\n".join(f"wheel_{n}.turn({n})" for n in range(80))
    text = answer("Where does wheel_40 turn?", f"# Wheels\n\n```python\n{code}\n```\n")
    assert "\n…\n" in text


def test_lines_of_rust_that_the_published_book_hides_are_not_shown():
    page = (
        "# Main\n\nThis prints a line:\n\n```rust\n# fn main() {\n#[allow(unused)]\nprintln!();\n# }\n```\n"
    )
    assert "```rust\n#[allow(unused)]\nprintln!();\n```" in answer("What prints a line?", page)


def test_code_that_begins_in_the_chunk_before_keeps_its_indents():
    code = "".join(
        f"    def step_{n}(self):\n        wheel_{n} = turn({n})\n        return wheel_{n}\n\n"
        for n in range(120)
    )
    page = f"# Robots\n\n```python\nclass Robot:\n{code}```\n"
    *_, last = evidence("Where does wheel_100 turn?", page)
    assert last.chunk.text.startswith("        "), "the chunk begins inside a function"
    text = "".join(compose(Brief("Where does wheel_100 turn?", [last])))
    assert "\ndef step_50(self):\n    wheel_50 = turn(50)\n" in text


def test_a_sentence_that_two_chunks_share_is_shown_once():
    first = "# Slices\n\nA gripper slice has two values. We always know the size of a gripper slice.\n"
    second = "# Types\n\nWe always know the size of a gripper slice. The gripper type has more metadata.\n"
    text = answer("What is the size of a gripper slice, and its metadata?", first, second)
    assert text.count("We always know the size") == 1
    assert "The gripper type has more metadata." in text


def test_an_answer_does_not_end_with_a_label():
    page = (
        "# Grippers\n\nThe gripper closes with an error:\n\n**Filename: src/main.rs**\n\n"
        "```rust\n{{#rustdoc_include listings/gripper.rs}}\n```\n"
    )
    assert answer("What does the gripper close with?", page) == "The gripper closes with an error … [1]"


def test_code_is_shown_though_a_sentence_names_the_command():
    page = (
        "# Release\n\nThe gripper is released with `make release`, as the changelog says.\n\n"
        "Maintainers publish the gripper with:\n\n```bash\nmake release\n```\n"
    )
    assert "publish the gripper with: [1]\n\n```bash\nmake release\n```" in answer(
        "How is the gripper released?", page
    )


def test_a_sentence_before_tabs_brings_the_label_and_the_code_of_the_first():
    page = (
        "# Priority\n\nTo give the gripper a higher priority, enable it:\n\n"
        '=== "Command"\n\n    ```console\n    $ run -e gripper\n    ```\n\n'
        '=== "Python"\n\n    ```python\n    run("gripper")\n    ```\n'
    )
    text = answer("How do I give the gripper a higher priority?", page)
    assert text.startswith("To give the gripper a higher priority, enable it: [1]\n\n**Command**")
    assert "$ run -e gripper" in text


def test_an_admonition_inside_an_item_is_shown_without_its_mark():
    page = "# Arms\n\n- The gripper closes.\n\n    !!! warning\n        The gripper is strong.\n\n- The wheel turns.\n"
    text = answer("What does the gripper do?", page)
    assert "\n    The gripper is strong.\n" in text
    assert "!!!" not in text


def test_a_paragraph_without_words_is_not_shown():
    page = "# Grippers\n\n## Force\n\n[](){#force}\n\n- The gripper closes with forty newtons.\n"
    assert "****" not in answer("Which force has the gripper?", page)


def test_code_inside_a_list_item_is_shown_once():
    page = "# Faults\n\n1. **List the topics of the node**:\n   ```bash\n   ros2 topic list\n   ```\n2. **Sleep**.\n"
    text = answer("How do I list the topics of the node with ros2 topic list?", page)
    assert text.count("ros2 topic list") == 1


def test_a_paragraph_that_belongs_is_shown_whole_though_its_last_sentence_introduces_code():
    reasons = "An image has many packets and each loss of one of the packets loses all of it. " * 3
    page = f"# Loss\n\n{reasons}It survives with\n\n```text\nimage survives loss: 0.999 of the packets\n```\n"
    text = answer("Which image survives loss of the packets?", page)
    assert text.count("It survives with") == 1
    assert "An image has many packets" in text


def test_a_short_paragraph_that_the_answer_leans_on_comes_before_it():
    before, after = (
        "The behavior of sequences of wheels is new.",
        "The old behavior of sequences of wheels is restored by a hook.",
    )
    text = answer(
        "How is the old behavior of sequences of wheels restored?", f"# Wheels\n\n{before}\n\n{after}\n"
    )
    assert text == f"{before} [1]\n\n{after} [1]"


def test_an_excerpt_of_code_begins_with_the_head_of_a_function_and_ends_at_a_blank_line():
    parts = [
        f"def turn_{n}(wheel):\n    speed = wheel.speed\n    angle = {n}\n    return angle * speed\n"
        for n in range(30)
    ]
    parts[15] = parts[15].replace("angle = 15", "angle = 15  # the gearbox overheats")
    code = "\n".join(parts)
    text = answer("Which angle overheats the gearbox?", f"# Wheels\n\n```python\n{code}```\n")
    shown = re.findall(r"^.+$", text, flags=re.MULTILINE)
    assert "    angle = 15  # the gearbox overheats" in shown
    assert shown[shown.index("…") + 1].startswith("def turn_")
    assert shown[len(shown) - shown[::-1].index("…") - 2].startswith("    return")


def test_what_another_section_says_follows_under_its_heading_below_a_line_that_says_so():
    page = (
        "# Robots\n\n## Legs\n\nA leg of the robot costs much money.\n\n"
        "## Arms\n\nAn arm of the robot costs much money.\n"
    )
    text = answer("How much money does an arm or leg of the robot cost?", page)
    assert re.fullmatch(
        r"An? (?:arm|leg) [^\n]+\n\n\*Also in the book\*\n\n"
        r"\*\*Robots > (?:Arms|Legs)\*\*\n\nAn? (?:arm|leg) [^\n]+",
        text,
    )


def test_a_label_with_a_colon_behind_its_bold_words_stays_bold():
    page = "# Transfer\n\n**Simulated transfer**:\n\n- The transfer is simulated at night.\n"
    assert "**Simulated transfer** [1]" in answer("When is the transfer simulated?", page)


def test_a_section_with_the_title_of_its_page_is_not_headed_twice():
    page = "An arm costs much money.\n\n## A page\n\nA leg costs much money.\n\n## Feet\n\nA foot costs much money.\n"
    text = answer("How much money do an arm, a leg and a foot cost?", page)
    assert text.count("**A page**") <= 1
    assert len(re.findall(r"costs much money", text)) == 3


def test_code_about_fences_is_not_taken_for_other_code_with_the_same_lines():
    def sample(key: str) -> str:
        return f"````md\n```jsx {key}\nreturn 1;\n```\n````\n"

    page = (
        f"# Line numbers\n\nThe key shows the line numbers of code:\n\n{sample('showLineNumbers')}\n"
        f"The line numbers of code may start later:\n\n{sample('showLineNumbers=20')}"
    )
    text = answer("Where may the line numbers of code start?", page)
    assert "showLineNumbers=20" in text
    assert text.count("return 1;") == 2


@pytest.mark.parametrize(
    ("info", "shown"),
    [
        ('yaml title="config/joint_limits.yaml"', "**`config/joint_limits.yaml`**"),
        ("yaml {2} title='Limits of the joints'", "**Limits of the joints**"),
        ("yaml{2} [joint_limits.yaml]", "**`joint_limits.yaml`**"),
        ('yaml title="*.yaml"', ""),
        ("yaml", ""),
    ],
)
def test_code_comes_below_the_name_of_its_file(info: str, shown: str):
    page = f"# Joints\n\nAcceleration limits come from a file:\n\n```{info}\njoint_limits:\n  max: 2.0\n```\n"
    text = answer("Where do acceleration limits come from?", page)
    title = f"{shown}\n\n" if shown else ""
    assert text.startswith(
        f"Acceleration limits come from a file: [1]\n\n{title}```yaml\njoint_limits:\n  max: 2.0\n```"
    )


LOOP = """
# Loops

The loop that keeps a robot on its feet reads the sensors, computes the torques and sends them, all within a
millisecond, so it runs 1000 times a second.

| Loop | Rate |
| --- | --- |
| balance | 1000 Hz |
| planning | 5 to 10 Hz, whenever the map has changed by so much that the old path is blocked |

```yaml
control_rate: 1000
sensors: [imu, left foot, right foot, left knee, right knee, left hip, right hip, waist, neck]
torque: all of them
unit: newton metres, as a float
```

It is fast.
"""


def pointed_at(fact: str, question: str) -> list[Evidence]:
    """The fact is marked in the most relevant unit, as the reader does."""
    [found] = evidence(question, LOOP)
    best = max(found.units, key=lambda unit: unit.relevance)
    assert fact in best.text
    units = tuple(replace(unit, fact=fact if unit is best else "") for unit in found.units)
    return [replace(found, units=units)]


@pytest.mark.parametrize(
    ("fact", "question", "shown"),
    [
        (
            "1000 times a second",
            "What keeps the robot on its feet and computes torques?",
            "1000 times a second",
        ),
        ("5 to 10 Hz", "When is planning done again, whenever the old path is blocked?", "5 to 10 Hz"),
        ("control_rate: 1000", "control_rate", "`control_rate: 1000`"),
    ],
)
def test_the_fact_that_is_asked_for_stands_first_below_the_heading(fact: str, question: str, shown: str):
    text = "".join(compose(Brief(question, pointed_at(fact, question))))
    assert text.startswith(f"**Loops**\n\n**{shown}**\n\n")


def test_a_short_sentence_needs_no_fact_above_it():
    text = "".join(compose(Brief("fast", pointed_at("fast", "Is it fast?"))))
    assert text.startswith("**Loops**\n\nIt is fast.")
