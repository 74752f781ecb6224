"""A question may ask for several things."""

from __future__ import annotations

import pytest

from glossator.answer.route.rewrite import comparison_sides, questions_in


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "What starts it, and how often does it run?",
            ["What starts it?", "how often does it run?"],
        ),
        (
            "Two views claim the touch. Which wins and how can the parent take it?",
            [
                "Two views claim the touch. Which wins?",
                "Two views claim the touch. how can the parent take it?",
            ],
        ),
        (
            "which function starts a server in go and is that fine for prod?",
            ["which function starts a server in go?", "is that fine for prod?"],
        ),
        ("why does it hang? what else can I use?", ["why does it hang?", "what else can I use?"]),
    ],
)
def test_each_thing_that_is_asked_for_is_a_question(text: str, parts: list[str]):
    assert questions_in(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "What is a topic?",
        "What is the difference between a topic and a service?",
        "If a node crashes and does not restart, what happens?",
        "name limit for cronjobs and the reason",
        "I have ROS 2 and tried the demo. Nothing moves.",
        "what is a, what is b, what is c, what is d and what is e?",
        "",
    ],
)
def test_a_question_that_asks_for_one_thing_stays_whole(text: str):
    assert questions_in(text) == [text]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        (
            "Send vs Sync, when do I need which?",
            ["Send, when do I need which?", "Sync, when do I need which?"],
        ),
        ("What is the difference between a topic and a service?", ["What is a topic?", "What is a service?"]),
        ("const versus a normal variable", ["const", "normal variable"]),
        (
            "`pre-commit` or `prek`: which is faster?",
            ["`pre-commit`: which is faster?", "`prek`: which is faster?"],
        ),
    ],
)
def test_each_of_two_things_that_are_compared_is_asked_for_alone(text: str, sides: list[str]):
    assert [side.question for side in comparison_sides(text)] == sides


@pytest.mark.parametrize(
    "text",
    [
        "What is a topic?",
        "Which sensors does it have?",
        "Stop or what?",
        "or",
        "Topics and services",
        "",
        "a or " * 400,
    ],
)
def test_a_question_that_names_no_two_things_has_no_sides(text: str):
    assert comparison_sides(text) == []
