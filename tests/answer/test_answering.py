"""The whole way of a question, through the real model and the real index."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.pipeline import AnswerPipeline, AnswerTimeouts
from glossator.answer.stream import Unsupported
from glossator.cli import show_answer
from glossator.errors import (
    EmbedderUnavailable,
    GlossatorError,
    IndexUnavailable,
    NoBookYet,
    QuestionTooLong,
    QuestionUnreadable,
    SearchTimeout,
    WriterBroken,
    WriterTimeout,
)
from glossator.model import (
    Answer,
    AnswerFinished,
    Brief,
    ClaimChecked,
    Embedding,
    Event,
    Exchange,
    Filters,
    FoundPassage,
    IndexQuery,
    Level,
    Outcome,
    PassagesFound,
    Policy,
    Question,
    Selection,
    Stage,
    StageReached,
    Support,
    Verdict,
    Window,
)
from glossator.ports import Embedder, Reader
from glossator.work import check_cancelled
from support.answer_book import PAGES


def ask(assistant: AnswerPipeline, text: str, **more: object) -> Answer:
    return asyncio.run(assistant.answer(replace(Question(text), **more)))  # type: ignore[arg-type]


async def _events(assistant: AnswerPipeline, question: Question) -> list[Event]:
    return [event async for event in assistant.stream(question)]


def test_a_question_is_answered_from_the_book_with_where_it_stands(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "What is a topic?")
    assert answer.outcome in (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)
    assert "named stream of messages" in answer.text
    assert answer.citations[0].page == "01-start/02-topics.md"
    assert answer.grounding.is_fully_grounded
    assert answer.writer == "extractive"


def test_a_part_of_a_question_that_the_book_does_not_answer_is_named(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "What is a topic, and what does the queen of Denmark eat?")
    assert "named stream of messages" in answer.text
    assert "“what does the queen of Denmark eat?”" in (answer.disclaimer or "")


def test_every_quote_is_exactly_its_characters_of_the_page(assistant: AnswerPipeline) -> None:
    for text in ("What is a topic?", "How do I stop a node?", "How long does the battery last?"):
        for citation in ask(assistant, text).citations:
            source = PAGES[citation.page].lstrip()
            assert citation.quote
            assert source[citation.start : citation.end] == citation.quote


def test_every_sentence_has_its_mark_and_every_mark_its_citation(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "How do I stop a node?")
    assert all(claim.citations for claim in answer.claims)
    numbers = {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)}
    assert numbers == {citation.n for citation in answer.citations}


def test_how_to_brings_the_code_whole(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "How do I stop a node?")
    assert "```bash\nros2 lifecycle set /camera shutdown\n```" in answer.text


def test_the_whole_answer_is_the_fold_of_the_stream(assistant: AnswerPipeline) -> None:
    events = asyncio.run(_events(assistant, Question("What is a topic?")))
    assert isinstance(events[-1], AnswerFinished)
    assert [event.stage for event in events if isinstance(event, StageReached)] == list(Stage)
    assert sum(isinstance(event, PassagesFound) for event in events) == 1
    told = "".join(event.claim.text for event in events if isinstance(event, ClaimChecked))
    assert told == events[-1].answer.text


@pytest.mark.parametrize(
    "text",
    [
        "Who won the world cup in 1998?",
        "How do I bake sourdough bread?",
        "What is the difference between a mortgage and a lease?",
    ],
)
def test_what_the_book_does_not_say_is_refused_and_nothing_is_claimed(
    assistant: AnswerPipeline, text: str
) -> None:
    answer = ask(assistant, text)
    assert answer.outcome is Outcome.NOT_IN_BOOK
    assert not answer.claims
    assert not answer.citations
    assert answer.confidence
    assert not answer.confidence.should_answer


@pytest.mark.parametrize("text", ["hello", "Thanks!", "salam"])
def test_small_talk_needs_no_search(assistant: AnswerPipeline, text: str) -> None:
    answer = ask(assistant, text)
    assert answer.outcome is Outcome.SMALL_TALK
    assert answer.confidence is None


@pytest.mark.parametrize("text", ["How do I kill a node?", "Kill node -9 prompt", "ignore crashes of a node"])
def test_words_that_sound_dangerous_are_words_like_any_other(assistant: AnswerPipeline, text: str) -> None:
    """They are searched and read; how sure the reader is of words that ask nothing is not the point."""
    answer = ask(assistant, text)
    assert answer.confidence
    assert answer.confidence.metrics.max_similarity > 0.4


def test_one_word_is_looked_up(assistant: AnswerPipeline) -> None:
    assert "stream of messages" in ask(assistant, "topic").text


def test_one_word_that_the_book_does_not_know_asks_for_more(assistant: AnswerPipeline) -> None:
    assert ask(assistant, "zeugma").outcome is Outcome.NEEDS_MORE_WORDS


def test_a_follow_up_is_searched_with_what_it_leans_on(assistant: AnswerPipeline) -> None:
    history = (Exchange("How do I charge the battery?", "Connect the charger before the mains. [1]"),)
    answer = ask(assistant, "and how long does it last?", history=history)
    assert "four hours" in answer.text
    rewritten = next(step for step in answer.trace if step.name == "rewrite")
    assert "battery" in str(rewritten.facts["query"])


class Rewrites:
    def __init__(self, failure: GlossatorError | None = None) -> None:
        self.failure = failure

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str:
        if self.failure:
            raise self.failure
        return "How long does the battery last?"


@pytest.mark.parametrize("failure", [None, WriterBroken()])
def test_a_model_rewrites_the_follow_up_and_our_own_words_do_when_it_fails(
    assistant: AnswerPipeline, failure: GlossatorError | None
) -> None:
    history = (Exchange("How do I charge the battery?", "Connect the charger before the mains. [1]"),)
    helped = replace(assistant, rewriter=Rewrites(failure))
    answer = ask(helped, "and how long does it last?", history=history)
    facts = next(step for step in answer.trace if step.name == "rewrite").facts
    assert "battery" in str(facts["query"])
    assert (facts["query"] == "How long does the battery last?") is (failure is None)
    assert ("failure" in facts) is (failure is not None)
    assert "four hours" in answer.text


@pytest.mark.parametrize("text", ["What is this book about?", "what is it about?", "Sum up this book"])
def test_the_book_is_told_in_its_own_words(assistant: AnswerPipeline, text: str) -> None:
    answer = ask(assistant, text)
    assert answer.outcome is Outcome.ANSWERED
    assert "A node is one program of a robot" in answer.text
    assert "A lithium battery pack of this robot holds 480 watt hours" in answer.text
    _is_cited_word_for_word(answer)


def _is_cited_word_for_word(answer: Answer) -> None:
    for citation in answer.citations:
        assert PAGES[citation.page].lstrip()[citation.start : citation.end] == citation.quote
    told = [claim for claim in answer.claims if claim.citations]
    assert told
    assert answer.text == "".join(claim.text for claim in answer.claims)


def test_a_chapter_is_told_by_a_line_for_each_of_its_pages(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "Summarize chapter 1")
    assert "\n\n- **Nodes**: A node is one program of a robot" in answer.text
    assert "\n- **Topics**: A topic is a named stream of messages." in answer.text
    assert "lithium" not in answer.text
    _is_cited_word_for_word(answer)


def test_the_gist_of_a_section_is_that_section_and_no_other(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "What is the gist of the quality of service section?")
    assert "Quality of service is the set of delivery rules" in answer.text
    assert "named stream" not in answer.text
    _is_cited_word_for_word(answer)


def test_a_chapter_that_does_not_exist_is_said_not_to_exist(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "Summarize chapter 7")
    assert answer.outcome is Outcome.NOT_IN_BOOK
    assert "There is no chapter 7" in answer.text


def test_who_asks_for_the_chapters_gets_their_titles(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "List the chapters")
    assert "program" not in answer.text
    assert len(answer.citations) == 2


def test_a_summary_goes_no_further_than_the_reader_is(assistant: AnswerPipeline) -> None:
    assert "lithium" not in ask(assistant, "What is this book about?", through_chapter=1).text


def test_what_the_assistant_can_do_is_told_without_a_search(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "What can you do?")
    assert answer.outcome is Outcome.SMALL_TALK
    assert "gist of a chapter" in answer.text


def test_where_something_stands_is_told_by_name_and_address(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "Where is quality of service explained?")
    assert answer.text.startswith("**[Topics > Quality of service](01-start/02-topics.md#quality")
    assert answer.citations[0].section == "Quality of service"


def test_the_place_takes_that_of_the_heading_and_leaves_what_stands_below_it(
    assistant: AnswerPipeline,
) -> None:
    written = "**Quality of service**\n\n**Topics**\n\nA topic is a named stream of messages. [1]"
    answer = ask(replace(assistant, writer=Says(written)), "Where is quality of service explained?")
    place, label, sentence = answer.text.split("\n\n")
    assert place.startswith("**[Topics](01-start/02-topics.md")
    assert (label, sentence) == ("**Topics**", "A topic is a named stream of messages. [1]")


def test_a_part_that_names_nothing_is_not_said_to_be_missing(assistant: AnswerPipeline) -> None:
    missing = "I did not find this part"
    assert missing in str(ask(assistant, "How tall is a giraffe, and what is a topic?").disclaimer)
    assert missing not in str(ask(assistant, "Who is it for, and what is a topic?").disclaimer)


def test_a_misspelt_word_is_mended_and_the_answer_says_so(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "How do I stop a noode?")
    assert "ros2 lifecycle set" in answer.text
    assert answer.disclaimer
    assert answer.disclaimer.startswith("Taken as: “How do I stop a node?”")


def test_a_question_in_another_language_is_told_so_in_its_own_where_we_speak_it(
    assistant: AnswerPipeline,
) -> None:
    assert "کتاب کی زبان میں پوچھیں" in ask(assistant, "روبوٹ کی بیٹری کتنی دیر چلتی ہے؟").text
    spanish = ask(assistant, "¿Cuánto dura normalmente aquella pila cuando hace mucho frío?")
    assert spanish.outcome is Outcome.NOT_IN_BOOK
    assert "idioma de este libro" in spanish.text
    assert "language of this book" not in ask(assistant, "How do I bake sourdough bread?").text


def test_a_refusal_tells_the_nearest_sentence_with_its_place(assistant: AnswerPipeline) -> None:
    answer = ask(replace(assistant, policy=Policy.STRICT), "What is a topic?")
    assert answer.outcome is Outcome.NOT_IN_BOOK
    assert "Nearest to it, in [Topics](01-start/" in answer.text
    assert "“A topic is a named stream of messages.”" in answer.text
    assert answer.claims == answer.citations == ()


class Cold:
    """An embedder whose model is not in memory yet."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder, self.identity, self.count_tokens = embedder, embedder.identity, embedder.count_tokens
        self.embed_passages = embedder.embed_passages
        self.is_loaded = False

    def load(self) -> None:
        self.is_loaded = True

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        assert self.is_loaded
        return self.embedder.embed_query(text, states=states)


@pytest.mark.parametrize("text", ["What is a topic?", "What is this book about?"])
def test_a_model_is_brought_into_memory_before_the_search_begins(
    assistant: AnswerPipeline, text: str
) -> None:
    assert ask(replace(assistant, embedder=Cold(assistant.embedder)), text).outcome is Outcome.ANSWERED


def test_the_same_is_not_answered_twice_in_a_row(assistant: AnswerPipeline) -> None:
    first = ask(assistant, "What is a topic?")
    history = (Exchange("What is a topic?", first.text),)
    more = ask(assistant, "tell me more about it", history=history)
    assert more.text != first.text
    stubborn = replace(assistant, writer=Says(first.text))
    events = asyncio.run(_events(stubborn, Question("how does it work?", history=history)))
    assert not [event for event in events if isinstance(event, ClaimChecked)]
    assert isinstance(events[-1], AnswerFinished)
    assert "nothing further" in events[-1].answer.text


def test_a_reader_of_the_first_chapter_is_told_nothing_of_the_second(assistant: AnswerPipeline) -> None:
    assert "four hours" in ask(assistant, "How long does the battery last?").text
    part = ask(assistant, "How long does the battery last?", through_chapter=1)
    assert all(not citation.page.startswith("02") for citation in part.citations)
    assert "four hours" not in part.text


def test_filters_hold_for_the_answer_too(assistant: AnswerPipeline) -> None:
    answer = ask(assistant, "What is a topic?", filters=Filters(page=("02-motion/01-batteries.md",)))
    assert answer.outcome is Outcome.NOT_IN_BOOK


def test_a_threshold_that_nothing_reaches_refuses(assistant: AnswerPipeline) -> None:
    assert ask(assistant, "What is a topic?", threshold=1.0).outcome is Outcome.NOT_IN_BOOK


def test_the_strict_policy_needs_many_chunks(assistant: AnswerPipeline) -> None:
    answer = ask(replace(assistant, policy=Policy.STRICT), "What is a topic?", top_k=1)
    assert answer.outcome is Outcome.NOT_IN_BOOK


class NoIndex:
    """Whoever touches it fails the test."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the index was asked for {name}")


MARKED = "The arm weighs 4 kg.\n\nIts reach is 85 cm, which is enough for a table.\nThe gripper opens 11 cm."


LONG = (
    "The arm of this robot has six joints. Each joint is moved by a motor with a gear of its own. "
    "Paint comes in three colours.\n\nThe motor of a joint is held by a brake when the power fails, so that the arm "
    "of the robot does not drop. Why does that matter? A falling arm would hurt whoever stands below it. "
    "The brakes of all joints are tested once a year, and the test of a joint takes a minute. "
    "Somebody has to sign the report. The report is kept in the office for as long as the robot is in use there."
)


def test_a_selection_is_answered_without_an_index(assistant: AnswerPipeline) -> None:
    alone = replace(assistant, index=NoIndex())
    answer = ask(alone, "How far does the arm reach?", selection=Selection(MARKED, only=True))
    assert "85 cm" in answer.text
    for citation in answer.citations:
        assert MARKED[citation.start : citation.end] == citation.quote
    assert answer.index is None


@pytest.mark.parametrize(
    "text",
    ["explain this", "Summarize this, please.", "what does this mean?", "what machine is described?", "why?"],
)
def test_a_question_about_all_of_a_selection_gets_its_gist(assistant: AnswerPipeline, text: str) -> None:
    answer = ask(replace(assistant, index=NoIndex()), text, selection=Selection(LONG, only=True))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text.startswith("The arm of this robot has six joints.")
    assert len(answer.text.split()) < len(LONG.split())
    assert answer.grounding.is_fully_grounded
    for citation in answer.citations:
        assert LONG[citation.start : citation.end] == citation.quote


def test_a_model_is_asked_about_a_selection_whatever_the_search_says(assistant: AnswerPipeline) -> None:
    writer = Says("The arm weighs 4 kg. [1] It is very old. [1]")
    asked = replace(assistant, writer=writer, rewriter=Rewrites(), index=NoIndex())
    for text in ("explain this", "Which of the numbers would a mover care for?"):
        answer = ask(asked, text, selection=Selection(MARKED, only=True))
        assert writer.briefs.pop().evidence[0].chunk.text == MARKED
        assert "The arm weighs 4 kg." in answer.text
        assert "old" not in answer.text


def test_what_a_selection_lacks_is_refused_with_an_offer(assistant: AnswerPipeline) -> None:
    alone = replace(assistant, index=NoIndex())
    answer = ask(alone, "Who invented the printing press?", selection=Selection(MARKED, only=True))
    assert answer.outcome is Outcome.NOT_IN_SELECTION
    assert "whole book" in answer.text


def test_a_selection_beside_the_book_is_the_first_evidence(assistant: AnswerPipeline) -> None:
    answer = ask(
        assistant, "What does this mean?", selection=Selection("A topic is a named stream of messages.")
    )
    assert answer.outcome in (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)


@pytest.mark.parametrize(
    "text",
    ["==========", "🤖🤖🤖", "ロボットとは何ですか？", "نوڈ کیا ہے؟", "fn main() { x::<T>() }", "a" * 2000],
)
def test_odd_questions_are_answered_or_refused_politely(assistant: AnswerPipeline, text: str) -> None:
    assert ask(assistant, text).text


def test_too_long_a_question_is_refused_and_a_longer_limit_takes_it(assistant: AnswerPipeline) -> None:
    text = "What is a topic? " * 580
    with pytest.raises(QuestionTooLong):
        ask(assistant, text)
    assert ask(replace(assistant, longest=10_000), text[:10_000]).text


@pytest.mark.parametrize("text", ["\ud800 node", "node \x00 topic"])
def test_characters_that_no_text_has_are_refused(assistant: AnswerPipeline, text: str) -> None:
    with pytest.raises(QuestionUnreadable) as caught:
        ask(assistant, text)
    assert "node" not in str(caught.value)


class Says:
    """A writer that says what it was told to, in pieces of three characters."""

    name = "says"
    model = "test"

    def __init__(self, text: str, failure: GlossatorError | None = None, *, hangs: bool = False) -> None:
        self.text, self.failure, self.hangs = text, failure, hangs
        self.briefs = list[Brief]()
        self.is_closed = False

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        self.briefs.append(brief)
        try:
            for start in range(0, len(self.text), 3):
                yield self.text[start : start + 3]
            if self.hangs:
                await asyncio.Event().wait()
            if self.failure:
                raise self.failure
        finally:
            self.is_closed = True


def test_an_unsupported_sentence_never_shows(assistant: AnswerPipeline) -> None:
    writer = Says("A topic is a named stream of messages. [1] It was invented on Mars in 2093. [1]")
    events = asyncio.run(_events(replace(assistant, writer=writer), Question("What is a topic?")))
    assert isinstance(events[-1], AnswerFinished)
    answer = events[-1].answer
    assert "Mars" not in "".join(event.claim.text for event in events if isinstance(event, ClaimChecked))
    assert "Mars" not in answer.text
    assert answer.grounding.unsupported_claims == ("It was invented on Mars in 2093.",)
    assert not answer.grounding.is_fully_grounded
    assert answer.disclaimer
    assert "1 of 2 sentences stand in the book." in answer.disclaimer
    assert answer.confidence
    assert answer.confidence.level is Level.LOW


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**Topics**\n\nIt was invented on Mars in 2093. [1]", None),
        (
            "A topic is a named stream of messages. [1]\n\n**Topics**\n\nIt was invented on Mars in 2093. [1]",
            "A topic is a named stream of messages. [1]",
        ),
        (
            "A topic is a named stream of messages. [1]\n\n**Topics**",
            "A topic is a named stream of messages. [1]\n\n**Topics**",
        ),
    ],
    ids=["alone", "behind an answer", "as the last line"],
)
def test_a_heading_is_shown_only_with_what_stands_below_it(
    assistant: AnswerPipeline, written: str, shown: str | None
) -> None:
    answer = ask(replace(assistant, writer=Says(written)), "What is a topic?")
    assert (answer.text == shown) is (shown is not None)
    assert "Mars" not in answer.text
    assert (answer.outcome is Outcome.NOT_IN_BOOK) is (shown is None)


class HalfSure:
    """A reader that finds every claim carried by half."""

    def __init__(self, reader: Reader) -> None:
        self.read = reader.read

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        return [Support(0.5, 0.0, 0.5) for _ in windows]


def test_what_the_book_carries_by_half_is_marked_where_it_stands(assistant: AnswerPipeline) -> None:
    writer = Says("A topic is a stream that messages go over. [1]")
    asked = replace(assistant, writer=writer, reader=HalfSure(assistant.reader))
    answer = ask(asked, "What is a topic?")
    assert answer.text == "A topic is a stream that messages go over. *(only in part in the book)* [1]"
    assert answer.disclaimer
    assert "0 of 1 sentences" in answer.disclaimer


def test_on_the_terminal_an_answer_of_which_a_sentence_is_half_supported_is_said_to_be_so(
    assistant: AnswerPipeline,
) -> None:
    writer = Says("A topic is a named stream of messages. [1] It is a stream that messages go over. [1]")
    answer = ask(replace(assistant, writer=writer, reader=HalfSure(assistant.reader)), "What is a topic?")
    assert "The book may say this" in show_answer.below(answer, "")
    sure = replace(answer, outcome=Outcome.ANSWERED)
    assert "The book carries this only in part" in show_answer.below(sure, "")


def test_an_unsupported_sentence_is_marked_where_that_is_wanted(assistant: AnswerPipeline) -> None:
    writer = Says("A topic is a named stream of messages. [1] It was invented on Mars in 2093. [1]")
    answer = ask(replace(assistant, writer=writer, unsupported=Unsupported.MARK), "What is a topic?")
    assert answer.claims[-1].verdict is Verdict.UNSUPPORTED
    assert answer.claims[-1].citations == ()
    assert not answer.grounding.is_fully_grounded


def test_brackets_in_code_are_the_books_own_and_no_marks(assistant: AnswerPipeline) -> None:
    text = "The first value is `a[0]`, and `a[1]` follows it.\n\n```python\nprint(a[2])\n```"
    writer = Says(f"{text[:49]} [1]\n\n```python\nprint(a[2])\n```\n\n[1]")
    asked = replace(assistant, writer=writer, index=NoIndex(), least_confidence=0.0)
    answer = ask(asked, "What is the first value?", selection=Selection(text, only=True))
    assert answer.text == f"{text[:49]} [1]\n\n```python\nprint(a[2])\n```"
    assert [citation.n for citation in answer.citations] == [1]


def test_a_writer_is_not_asked_where_the_book_has_nothing(assistant: AnswerPipeline) -> None:
    writer = Says("A topic is a named stream of messages.")
    answer = ask(replace(assistant, writer=writer), "How do I bake sourdough bread?")
    assert answer.outcome is Outcome.NOT_IN_BOOK
    assert writer.briefs == []


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("A topic is a named stream of messages.", Outcome.ANSWERED_WITH_CAUTION),
        ("It was invented on Mars in 2093.", Outcome.NOT_IN_BOOK),
    ],
)
def test_where_less_confidence_is_asked_for_the_check_alone_decides(
    assistant: AnswerPipeline, text: str, outcome: Outcome
) -> None:
    """As with a language model, which reads the evidence better than the gate does."""
    writer = Says(text)
    bold = replace(assistant, writer=writer, least_confidence=0.0)
    answer = ask(bold, "How do I bake sourdough bread from topics?")
    assert len(writer.briefs) == 1
    assert answer.outcome is outcome


def test_when_nothing_is_left_the_question_is_refused(assistant: AnswerPipeline) -> None:
    answer = ask(replace(assistant, writer=Says("It was invented on Mars in 2093. [1]")), "What is a topic?")
    assert answer.outcome is Outcome.NOT_IN_BOOK
    assert answer.confidence
    assert (answer.confidence.level, answer.confidence.should_answer) == (Level.INSUFFICIENT, False)


def test_a_writer_that_finds_no_answer_refuses(assistant: AnswerPipeline) -> None:
    assert ask(replace(assistant, writer=Says("")), "What is a topic?").outcome is Outcome.NOT_IN_BOOK


def test_sentences_in_a_row_with_one_citation_have_one_mark(assistant: AnswerPipeline) -> None:
    copied = "Publishers send messages to it, and every subscriber receives a copy."
    rules = "Quality of service is the set of delivery rules of an endpoint."
    written = f"A topic is a named stream of messages. {copied}\n\n- {copied}\n- {copied}\n\n{rules} [1]"
    answer = ask(replace(assistant, writer=ExtractiveWriter(lambda _: [written])), "What is a topic?")
    marks = [re.findall(r"\[\d\]", claim.text) for claim in answer.claims]
    assert marks == [[], ["[1]"], [], ["[1]"], ["[2]"]]
    assert [claim.citations for claim in answer.claims] == [(1,), (1,), (1,), (1,), (2,)]


@pytest.mark.parametrize(
    "trap",
    [
        "![x](https://evil.example/p.png)",
        "[a topic is a named stream of messages](https://evil.example)",
        "<img src=https://evil.example/p.png>",
        "<script>alert(1)</script>",
        "[a][b]\n\n[b]: https://evil.example",
        "https://evil.example/?q=node",
    ],
)
def test_no_link_image_or_tag_that_the_book_lacks_leaves(assistant: AnswerPipeline, trap: str) -> None:
    writer = Says(f"A topic is a named stream of messages. {trap} [1]\n\n{trap}")
    events = asyncio.run(_events(replace(assistant, writer=writer), Question("What is a topic?")))
    shown = "".join(event.claim.text for event in events if isinstance(event, ClaimChecked))
    assert "evil" not in shown
    assert "<" not in shown


def test_a_citation_of_evidence_that_is_not_there_is_not_shown(assistant: AnswerPipeline) -> None:
    answer = ask(
        replace(assistant, writer=Says("A topic is a named stream of messages. [9]")), "What is a topic?"
    )
    assert [citation.n for citation in answer.citations] == [1]
    assert "[9]" not in answer.text


def test_a_writer_that_breaks_off_is_an_error_not_an_answer(assistant: AnswerPipeline) -> None:
    with pytest.raises(WriterBroken):
        ask(replace(assistant, writer=Says("A topic is", WriterBroken())), "What is a topic?")


def test_a_writer_that_hangs_is_given_up(assistant: AnswerPipeline) -> None:
    writer = Says("A topic is a named", hangs=True)
    with pytest.raises(WriterTimeout) as caught:
        ask(replace(assistant, writer=writer, timeouts=AnswerTimeouts(write=0.3)), "What is a topic?")
    assert caught.value.retryable
    assert writer.is_closed


def test_a_reader_who_leaves_hangs_up_on_the_writer(assistant: AnswerPipeline) -> None:
    writer = Says("A topic is a named stream of messages. [1] " * 3)

    async def leave() -> None:
        async for event in (stream := replace(assistant, writer=writer).stream(Question("What is a topic?"))):
            if isinstance(event, ClaimChecked):
                await stream.aclose()
                return

    asyncio.run(leave())
    assert writer.is_closed


def test_further_searches_bring_evidence_that_can_be_cited(assistant: AnswerPipeline) -> None:
    class Searches(Says):
        async def write(self, brief: Brief) -> AsyncIterator[str]:
            assert brief.search
            found = await brief.search("How long does the battery last?")
            assert [item.number for item in found] == list(
                range(len(brief.evidence) - len(found) + 1, len(brief.evidence) + 1)
            )
            yield "A lithium battery pack of this robot holds 480 watt hours and lasts four hours of walking."

    answer = ask(replace(assistant, writer=Searches("")), "What is a topic?", filters=Filters())
    assert "four hours" in answer.text


def _timeouts(failure: GlossatorError | None) -> AnswerTimeouts:
    """Little where something never comes back."""
    return AnswerTimeouts() if failure else AnswerTimeouts(search=0.2)


class Down:
    """An embedder and an index that fail, or never come back."""

    def __init__(self, real: object, failure: GlossatorError | None = None) -> None:
        self._real, self._failure = real, failure

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        return self._fail()

    def search(self, query: IndexQuery) -> Sequence[FoundPassage]:
        return self._fail()

    def _fail(self) -> Any:
        if self._failure:
            raise self._failure
        for _ in range(6000):
            # It never comes back by itself, and ends when nobody waits for it any more.
            check_cancelled()
            threading.Event().wait(0.01)


@pytest.mark.parametrize("failure", [EmbedderUnavailable(), None])
def test_an_embedder_that_is_down_or_slow_is_never_taken_for_an_empty_book(
    assistant: AnswerPipeline, failure: GlossatorError | None
) -> None:
    broken = replace(assistant, embedder=Down(assistant.embedder, failure), timeouts=_timeouts(failure))
    with pytest.raises(EmbedderUnavailable if failure else SearchTimeout) as caught:
        ask(broken, "What is a topic?")
    assert caught.value.retryable


@pytest.mark.parametrize("failure", [IndexUnavailable(), NoBookYet(), None])
def test_an_index_that_is_down_or_slow_is_never_taken_for_an_empty_book(
    assistant: AnswerPipeline, failure: GlossatorError | None
) -> None:
    broken = replace(assistant, index=Down(assistant.index, failure), timeouts=_timeouts(failure))
    with pytest.raises(type(failure) if failure else SearchTimeout):
        ask(broken, "What is a topic?")
