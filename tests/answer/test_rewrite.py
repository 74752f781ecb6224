"""Questions that lean on the conversation, with its words around them."""

from __future__ import annotations

import re

import pytest

from glossator.answer.retrieve import mean_readings
from glossator.answer.route.rewrite import rewrite
from glossator.model import Exchange, Reading


def rewritten(question: str, *asked: str, answer: str = "") -> str:
    return rewrite(
        question, [Exchange(earlier, answer if earlier == asked[-1] else "") for earlier in asked]
    ).search


def test_the_last_question_stands_before_it_and_what_was_cited_behind_it():
    answer = "A node is one **program** of a robot. [1] It does one job. [1]"
    assert (
        rewritten("How do I create one?", "What is a ROS 2 node?", answer=answer)
        == "What is a ROS 2 node? How do I create one? A node is one program of a robot."
    )


def test_a_chain_of_follow_ups_keeps_what_it_began_with():
    chain = ["How fast are topics?", "What is a ROS 2 service?", "can you give an example of it?", "Thanks!"]
    assert rewritten("and in Python?", *chain) == (
        "What is a ROS 2 service? can you give an example of it? and in Python?"
    )


def test_the_second_one_is_found_in_the_question_or_in_the_list_that_was_answered():
    asked = "What is the difference between topics and services?"
    assert rewritten("what about the second one?", asked).endswith("one? services")
    answer = "There are two cures: [1]\n\n1. **Do not wait.** Attach a callback.\n2. **Use threads.** Two of them. [1]"
    text = rewritten("tell me more about the second one", "How do I avoid a deadlock?", answer=answer)
    assert text.endswith("the second one Use threads")


def test_a_list_of_nothing_has_no_last_one():
    assert (
        rewritten("what about the last one?", "What is a node?") == "What is a node? what about the last one?"
    )


def test_an_answer_without_citations_adds_nothing():
    refusal = "I could not find **anything** about QUATERNIONS."
    assert "QUATERNIONS" not in rewritten("why?", "What is a node?", answer=refusal)


def test_brackets_in_code_are_no_citation():
    assert rewritten("why?", "What is a list?", answer="Use `a[0]` here. [1]").endswith("Use a[0] here.")


def test_greetings_are_no_subject():
    assert rewritten("why?", "Hello!", "Thanks") == "why?"
    assert rewritten("why?") == "why?"


def test_of_a_long_question_and_a_long_answer_the_beginning_is_enough():
    long = "I was reading and wondered about the way in which a proportional controller reacts " * 3
    text = rewritten("why does it do that?", long, answer=f"{long} [1]")
    assert "why does it do that?" in text
    assert len(text) < 320


@pytest.mark.parametrize(
    "question", ["why?", "can you explain it?", "and in Python?", "اس کی مثال دیں", "tell me more"]
)
@pytest.mark.parametrize(
    "asked",
    ["What is a ROS 2 service?", "کوارٹرنین کیا ہے؟", "How do I call `call_async` from C++?", "=====", ""],
)
def test_every_word_was_said_by_somebody(question: str, asked: str):
    answer = "It is **Great** stuff, `foo_bar`. [1]"
    said = set(re.findall(r"\w+", f"{question} {asked} {answer}"))
    assert set(re.findall(r"\w+", rewritten(question, asked, answer=answer))) <= said


def test_what_is_read_has_room_for_the_question_itself():
    before = f"Why does {'a very slow ' * 30}robot stop?"
    read = rewrite("And how do I start it again?", [Exchange(before, "It has no power. [1]")]).read
    assert read.startswith("Why does a very slow")
    assert read.endswith(" And how do I start it again?")
    assert len(read) < 200


def test_a_follow_up_is_read_after_the_question_before_it_and_alone():
    history = [Exchange("What is a node?", "A node is a process. [1]")]
    assert rewrite("How do I stop it?", history).readings == (
        "What is a node? How do I stop it?",
        "How do I stop it?",
    )
    assert rewrite("How do I stop it?", []).readings == ("How do I stop it?",)


def test_of_several_readings_the_mean_counts():
    first, second = Reading(1.0, (2.0, 0.0), (0.0, 1.0)), Reading(-1.0, (0.0, 0.0), (1.0, 1.0))
    assert mean_readings([[first], [second]]) == [Reading(0.0, (1.0, 0.0), (0.5, 1.0))]
    assert mean_readings([[first, second]]) == [first, second]
