"""Hits become evidence, with every unit that was found of them."""

from __future__ import annotations

import pytest

from glossator.answer.evidence import gather
from glossator.answer.retrieve import RankedPassages, read
from glossator.model import Evidence, Passage
from glossator.testing import WordReader
from support.answer_pages import found, passages_of, passages_of_pages, query

TOPICS = "# Topics\n\nNodes talk to each other. A topic has a name and a type.\n\nPublishers send messages."
FRUIT = "# Fruit\n\nBananas ripen in the sun."
LONG = "# Wheels\n\n" + "\n\n".join(f"The wheel number {n} turns {n} times in a minute." for n in range(60))

QUESTION = "What type does a topic have?"


def result_of(question: str, *passages: Passage, states: bool = True) -> RankedPassages:
    return read(
        query(question, states=states), found(question, passages, states=states), WordReader(), top_k=5
    )


def gathered(question: str, *pages: str, states: bool = True) -> list[Evidence]:
    return gather(result_of(question, *passages_of_pages(*pages), states=states))


@pytest.mark.parametrize("states", [True, False])
def test_the_units_of_a_chunk_come_in_reading_order_with_their_own_words(states: bool):
    first, second = gathered(QUESTION, FRUIT, TOPICS, states=states)
    assert [unit.text for unit in first.units] == [
        "Nodes talk to each other.",
        "A topic has a name and a type.",
        "Publishers send messages.",
    ]
    assert [unit.text for unit in second.units] == ["Bananas ripen in the sun."]
    assert (first.number, second.number) == (1, 2)


@pytest.mark.parametrize("states", [True, False])
def test_a_unit_that_the_reader_says_belongs_to_the_answer_is_worth_more(states: bool):
    topics, fruit = gathered(QUESTION, FRUIT, TOPICS, states=states)
    nodes, topic, publishers = (unit.relevance for unit in topics.units)
    assert topic > max(nodes, publishers, fruit.units[0].relevance)
    assert all(0.0 <= unit.relevance <= 1.0 for item in (topics, fruit) for unit in item.units)


def test_the_best_unit_is_worth_one_and_the_others_are_worth_less():
    result = result_of(QUESTION, *passages_of_pages(FRUIT, TOPICS))
    evidence = gather(result)
    assert max(unit.relevance for item in evidence for unit in item.units) == 1.0
    assert [item.similarity for item in evidence] == [hit.similarity for hit in result.hits]


def test_a_unit_that_was_not_read_is_worth_nothing():
    passages = passages_of(LONG)
    result = result_of("How often does wheel number 7 turn?", *passages)
    read_units = {
        (window.window.passage.number, part.unit) for window in result.windows for part in window.window.parts
    }
    for item in gather(result):
        places = [(passage.number, place) for passage in item.passages for place in range(len(passage.units))]
        for place, unit in zip(places, item.units, strict=True):
            assert (unit.relevance > 0.0) is (place in read_units)


def test_evidence_has_the_passages_of_its_chunk_that_were_found_in_reading_order():
    passages = passages_of(LONG)
    for item in gather(result_of("How often does wheel number 7 turn?", *reversed(passages))):
        assert item.passages == tuple(passage for passage in passages if passage.chunk == item.chunk)
        assert [unit.unit for unit in item.units] == [unit for each in item.passages for unit in each.units]


def test_every_text_is_exactly_its_characters_of_the_page():
    for item in gathered(QUESTION, FRUIT, TOPICS):
        source = TOPICS if "Topics" in item.chunk.text else FRUIT
        assert all(source[unit.unit.start : unit.unit.end] == unit.text for unit in item.units)


def test_the_best_for_each_part_of_a_question_comes_first_and_counts_alike():
    whole, *parts = (
        result_of(text, *passages_of_pages(FRUIT, TOPICS))
        for text in (f"{QUESTION} Where do bananas ripen?", QUESTION, "Where do bananas ripen?")
    )
    topics, fruit = gather(whole, *parts)
    best = [max(item.units, key=lambda unit: unit.relevance) for item in (topics, fruit)]
    assert [unit.text for unit in best] == ["A topic has a name and a type.", "Bananas ripen in the sun."]
    assert [unit.relevance for unit in best] == [1.0, 1.0]


def test_nothing_found_is_no_evidence():
    assert gather(result_of(QUESTION)) == []
