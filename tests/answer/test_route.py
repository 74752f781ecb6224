"""What kind of message is what, with and without a conversation before it."""

from __future__ import annotations

import pytest

from glossator.answer.route import choose_route
from glossator.answer.route.courtesy import reply
from glossator.answer.route.route import is_about_whole
from glossator.model import Exchange, Question, Route, Selection

TALK = (Exchange("What is a ROS 2 service?", "A *service* is a named request and response. [1]"),)


def routed(text: str, history: tuple[Exchange, ...] = ()) -> Route:
    return choose_route(Question(text, history=history))


@pytest.mark.parametrize(
    "text",
    [
        "Hi",
        "hello there!",
        "Good morning, everyone",
        "Hey, how are you?",
        "Assalam o Alaikum!",
        "السلام علیکم",
        "سلام",
        "¡Hola!",
        "Bonjour",
        "Guten Tag",
        "Grüß Gott",
        "नमस्ते",
        "你好",
        "Привет",
    ],
)
def test_a_greeting_is_a_greeting_in_many_languages(text: str):
    assert routed(text) is routed(text, TALK) is Route.GREETING


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "thank you very much",
        "ok thanks",
        "great, thank you for your help",
        "Bye",
        "شکریہ",
        "merci beaucoup",
        "Danke schön",
        "gracias",
        "ありがとう",
    ],
)
def test_thanks_are_thanks_in_many_languages(text: str):
    assert routed(text) is routed(text, TALK) is Route.THANKS


def test_a_nod_is_thanks_only_after_an_answer():
    assert routed("great", TALK) is Route.THANKS
    assert routed("nice") is Route.BARE_WORD


@pytest.mark.parametrize(
    "text",
    [
        "Hi, what is a node?",
        "Hello World",
        "How do I write a Hello World program?",
        "thank-you packets",
        'What does "hello" do in the DDS discovery?',
        "Thanks! How do services and topics differ?",
        "How do I kill a node?",
        "Robot Operating System prompt",
        "Ignore collisions between links",
        "Which sports do transports carry?",
        "How do I bypass the watchdog?",
        "什么是机器人操作系统的节点？",
    ],
)
def test_courteous_or_dangerous_words_in_a_question_do_not_change_its_route(text: str):
    assert routed(text) is routed(text, TALK) is Route.BOOK


@pytest.mark.parametrize(
    "text", ["URDF", "quaternion?", "ROS 2", "`call_async`", "“tf2”", "ISO 13849-1", "节点"]
)
def test_one_word_is_a_bare_word(text: str):
    assert routed(text) is routed(text, TALK) is Route.BARE_WORD


@pytest.mark.parametrize("text", ["==========", "👩‍💻", "???", "😀 😀"])
def test_a_message_without_words_is_looked_up_like_one_word(text: str):
    assert routed(text) is routed(text, TALK) is Route.BARE_WORD


@pytest.mark.parametrize(
    "text",
    [
        "what is this book about?",
        "What are the seven parts of this book?",
        "how is the book organized?",
        "What does chapter 3 cover?",
        "chapter 3",
        "Table of contents",
        "list the chapters",
        "Can you list all the chapters of this book, please?",
        "summarise module 2",
        "What's in part two?",
        "what is the perception chapter about?",
        "What does the chapter on navigation cover?",
        "Hi! What can I learn from this book?",
        "How many chapters are there?",
        "Please give me an overview of this course",
        "whats chapter 4 about, in short",
        "Summarize chapter 5, Advanced Patterns.",
        "recap the ownership section (4.1) in a few bullets please",
        "what does the book's chapter on embedded programming cover, roughly?",
        "Summarize what the part on robot fleets says.",
    ],
)
def test_a_broad_question_is_answered_from_the_outline(text: str):
    assert routed(text) is routed(text, TALK) is Route.OUTLINE


@pytest.mark.parametrize(
    "text",
    [
        "What does chapter 3 say about quaternions?",
        "In chapter 3, what is a node?",
        "chapter 3: what is a node?",
        "What is the camera module?",
        "What does this book say about PID?",
        "How many parts does a URDF have?",
        "List the layers of a costmap",
    ],
)
def test_a_question_about_something_in_particular_is_not_broad(text: str):
    assert routed(text) is routed(text, TALK) is Route.BOOK


@pytest.mark.parametrize(
    "text",
    [
        "can you give an example of it?",
        "why?",
        "and in Python?",
        "what about the second one?",
        "what about actions?",
        "tell me more",
        "how does that work",
        "what's the difference?",
        "Why does the robot need it?",
        "How is it related to topics?",
        "Which one is faster?",
        "what are its fields?",
        "How do I stop and restart it?",
        "Thanks! And how do services differ?",
        "what are the advantages?",
        "How do I see this in RViz?",
        "اس کی مثال دیں",
        "how do I fix that?",
        "How do I create one?",
    ],
)
def test_what_leans_on_the_conversation_is_a_follow_up_but_never_without_one(text: str):
    assert routed(text, TALK) is Route.FOLLOW_UP
    assert routed(text) in (Route.BOOK, Route.BARE_WORD)


@pytest.mark.parametrize(
    "text",
    [
        "What is a quaternion?",
        "What is a quaternion and why is it useful?",
        "If a node crashes, does it restart?",
        "Is it possible to kill a node?",
        "How long does it take to charge the battery?",
        "How do I write a node that publishes?",
        "How does ROS 2 handle its messages?",
        "Explain quaternions and how they work",
        "What is an Option?",
        "Is it possible to run two nodes in one process?",
        "give me an example of a publisher",
        "What are the advantages of PID control?",
        "What is the same-origin policy?",
        "What is the second law of thermodynamics?",
    ],
)
def test_a_question_that_stands_alone_is_no_follow_up(text: str):
    assert routed(text, TALK) is Route.BOOK


def test_a_selection_that_is_all_there_is_stays_the_only_way():
    for text in ("What is this?", "why?", "what is this book about?", "URDF"):
        assert (
            choose_route(Question(text, Selection("Some words.", only=True), history=TALK)) is Route.SELECTION
        )


def test_a_greeting_stays_one_beside_a_selection():
    assert choose_route(Question("Hello!", Selection("Some words.", only=True))) is Route.GREETING


def test_a_selection_beside_the_book_changes_nothing():
    assert choose_route(Question("What is a node?", Selection("Some words."))) is Route.BOOK


def test_ten_thousand_characters_are_routed_like_ten():
    assert routed("what is a node and " * 500) is Route.BOOK


def test_a_thousand_unknown_words_before_an_it_are_routed_like_ten():
    few, many = (routed(f"{'b ' * count}, runs it?", TALK) for count in (10, 990))
    assert few is many


def test_small_talk_names_the_book_and_says_nothing_of_what_is_in_it():
    assert "*robots\\_*" in reply(Route.GREETING, "robots_")
    assert "this book" in reply(Route.THANKS, "")
    with pytest.raises(ValueError, match="no small talk"):
        reply(Route.BOOK, "robots")


@pytest.mark.parametrize(
    "text",
    [
        "explain this",
        "Can you explain this to me?",
        "Summarize this.",
        "what does this mean?",
        "what framework is described?",
        "which algorithm is described here?",
        "why?",
        "اس کا مطلب کیا ہے؟",
    ],
)
def test_a_question_without_a_subject_is_about_all_of_a_selection(text: str):
    assert is_about_whole(text)


@pytest.mark.parametrize(
    "text",
    [
        "How far does the arm reach?",
        "What is a brake?",
        "Who invented the printing press?",
        "Which motor is used?",
        "what is usernetes",
    ],
)
def test_a_question_about_something_is_not_about_all_of_a_selection(text: str):
    assert not is_about_whole(text)


def test_beside_a_selection_this_is_the_selection():
    asked = Question("how does this work?", Selection("Some words."), history=TALK)
    assert choose_route(asked) is Route.BOOK
