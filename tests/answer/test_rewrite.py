"""Questions that lean on the conversation, made to stand alone."""

from __future__ import annotations

import re

import pytest

from glossator.answer.route.rewrite import rewrite
from glossator.model import Exchange


def rarity(stem: str) -> float:
    """Long words are rare."""
    return float(len(stem))


def rewritten(question: str, *asked: str, answer: str = "") -> str:
    history = [Exchange(one, answer if one == asked[-1] else "") for one in asked]
    return rewrite(question, history, rarity, "english")


def test_a_pronoun_becomes_what_was_asked_about():
    assert (
        rewritten("can you give an example of it?", "What is a ROS 2 service?")
        == "can you give an example of a ROS 2 service?"
    )
    assert rewritten("is it fast?", "Tell me about C++") == "is C++ fast?"


def test_a_question_of_one_word_gets_the_subject_behind_it():
    assert rewritten("why?", "What is a ROS 2 service?") == "why? (a ROS 2 service)"


def test_a_chain_of_follow_ups_keeps_the_subject():
    chain = ["What is a ROS 2 service?", "can you give an example of it?", "and in Python?", "Thanks!"]
    assert "ROS 2 service" in rewritten("why?", *chain)
    assert "Python" in rewritten("why?", *chain)


def test_the_most_recent_subject_wins():
    assert (
        rewritten("how does it work?", "What is a topic?", "What is an action?") == "how does an action work?"
    )
    assert rewritten("why?", "How fast are topics?", "what about services?") == "why? (services)"


def test_what_about_something_else_keeps_what_was_asked_of_the_first():
    text = rewritten("what about services?", "How fast are topics?")
    assert text.startswith("what about services?")
    assert "fast" in text


def test_a_comparison_gets_both_subjects():
    text = rewritten("how do they differ?", "What is a topic?", "What is a service?")
    assert "a topic and a service" in text


def test_the_second_one_is_found_in_the_question_or_in_the_list_that_was_answered():
    assert rewritten(
        "what about the second one?", "What is the difference between topics and services?"
    ).startswith("what about services?")
    answer = "There are two cures: [1]\n\n1. **Do not wait.** Attach a callback.\n2. **Use threads.** Two of them. [1]"
    assert "Use threads" in rewritten(
        "tell me more about the second one", "How do I avoid a deadlock?", answer=answer
    )


def test_a_verb_is_no_ordinal_and_a_list_of_nothing_has_no_last_one():
    assert rewritten("How long does it last?", "What is a battery?") == "How long does a battery last?"
    assert rewritten("what about the last one?", "What is a node?") == "what about a node?"


def test_a_name_in_the_cited_answer_helps():
    answer = "The `SingleThreadedExecutor` is the default choice. [1]"
    text = rewritten("how do I create it?", "Which executor should I use?", answer=answer)
    assert text == "how do I create executor? (SingleThreadedExecutor)"


def test_an_answer_without_citations_adds_nothing():
    refusal = "I could not find **anything** about QUATERNIONS."
    assert "QUATERNIONS" not in rewritten("why?", "What is a node?", answer=refusal)


def test_greetings_are_no_subject():
    assert rewritten("why?", "Hello!", "Thanks") == "why?"
    assert rewritten("why?") == "why?"


def test_of_a_long_question_the_rarest_words_stay():
    long = "I was reading and wondered about the way in which a proportional controller reacts " * 3
    text = rewritten("why does it do that?", long)
    assert "proportional" in text
    assert len(text.split()) < 20


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
