"""Hits become evidence, with every unit that was seen of them."""

from __future__ import annotations

import numpy as np
import pytest
from answer_hits import chunk

from glossator.answer.gather import gather
from glossator.answer.retrieve import Asked, rank
from glossator.model import (
    Calibration,
    Chunk,
    Evidence,
    FoundPassage,
    Lexicon,
    Passage,
    Scores,
    Span,
    TokenStates,
    Unit,
    UnitKind,
)
from glossator.testing import WordEmbedder

LEXICON = Lexicon("english", 10, {"nodes": 3, "topic": 3})
FIRST, SECOND = "Nodes talk.", "A topic has a type."


def gathered(question: str, *, states: bool) -> list[Evidence]:
    """Of a chunk of two passages, and of one that says nothing to it."""
    embedder = WordEmbedder()
    one = chunk(f"{FIRST} {SECOND}", 0, start=50)
    passages = [
        _passage(one, 1, SECOND, embedder),
        _passage(one, 0, FIRST, embedder),
        _passage(chunk("Bananas ripen.", 1), 0, "Bananas ripen.", embedder),
    ]
    found = [
        FoundPassage(each, Scores(0.5, 1.0, 0.9 - 0.1 * place), _states(each, embedder) if states else None)
        for place, each in enumerate(passages)
    ]
    asked = Asked(question, embedder.embed_query(question, states=states), LEXICON, Calibration(10.0, 0.4))
    return gather(question, rank(asked, found, top_k=5), LEXICON)


def _passage(one: Chunk, number: int, words: str, embedder: WordEmbedder) -> Passage:
    start = one.start + one.text.index(words)
    end = start + len(words)
    unit = Unit(UnitKind.PROSE, start, end, *embedder.count_tokens([words]), Span(start, end))
    return Passage(one, number, start, end, words, (unit,))


def _states(passage: Passage, embedder: WordEmbedder) -> TokenStates | None:
    return embedder.embed_passages([passage.reading], states=True)[0].states


@pytest.mark.parametrize("states", [True, False])
def test_the_units_of_a_chunk_come_in_reading_order_with_their_own_words(states: bool) -> None:
    first, second = gathered("What is a topic?", states=states)
    assert [unit.text for unit in first.units] == [FIRST, SECOND]
    assert [unit.text for unit in second.units] == ["Bananas ripen."]
    assert (first.number, second.number) == (1, 2)


@pytest.mark.parametrize("states", [True, False])
def test_a_unit_that_speaks_to_the_question_is_worth_more(states: bool) -> None:
    first, second = gathered("What is a topic?", states=states)
    nodes, topic = (unit.relevance for unit in first.units)
    assert topic > max(nodes, second.units[0].relevance)
    assert all(0.0 <= unit.relevance <= 1.0 + 1e-6 for one in (first, second) for unit in one.units)


def test_what_a_unit_is_worth_does_not_depend_on_its_neighbours() -> None:
    first, _ = gathered("What is a topic?", states=True)
    embedder = WordEmbedder()
    alone = chunk(SECOND, 0)
    passage = _passage(alone, 0, SECOND, embedder)
    found = [FoundPassage(passage, Scores(0.5, 1.0, 0.9), _states(passage, embedder))]
    asked = Asked(
        "What is a topic?",
        embedder.embed_query("What is a topic?", states=True),
        LEXICON,
        Calibration(10.0, 0.4),
    )
    [evidence] = gather(asked.text, rank(asked, found, top_k=5), LEXICON)
    assert evidence.units[0].relevance == pytest.approx(first.units[1].relevance, abs=1e-6)


def test_nothing_found_is_no_evidence() -> None:
    asked = Asked("?", WordEmbedder().embed_query("?", states=True), LEXICON, Calibration(10.0, 0.4))
    assert gather("?", rank(asked, [], top_k=5), LEXICON) == []


def test_a_unit_that_the_model_did_not_read_is_worth_nothing() -> None:
    embedder = WordEmbedder()
    one = chunk(f"{FIRST} {SECOND}")
    units = tuple(unit for words in (FIRST, SECOND) for unit in _passage(one, 0, words, embedder).units)
    passage = Passage(one, 0, one.start, one.end, FIRST, units)
    asked = Asked(SECOND, embedder.embed_query(SECOND, states=True), LEXICON, Calibration(10.0, 0.4))
    read = embedder.embed_passages([FIRST], states=True)[0].states
    found = [FoundPassage(passage, Scores(0.5, 1.0, 0.9), np.asarray(read, np.float32))]
    [evidence] = gather(SECOND, rank(asked, found, top_k=5), LEXICON)
    assert evidence.units[1].relevance == 0.0
