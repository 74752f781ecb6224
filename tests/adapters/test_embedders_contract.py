"""What every embedder does, whichever model stands behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.ports import Embedder
from support.embedders_contract import OPENERS

TEXTS = [
    "Nodes publish messages on topics.",
    "What is a node?",
    "def f(x):\n    return x**2",
    "",
    " \n\t ",
    "یہ کتاب روبوٹ کے بارے میں ہے",
    "🤖 e\u0301 [SEP] ==========",
    "half a pair \ud83e of surrogates",
    "words " * 600,
    "Nodes publish messages on topics.",
]


@pytest.fixture(scope="module", params=OPENERS)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    with OPENERS[request.param]() as opened:
        yield opened


def test_it_says_which_model_it_is(embedder: Embedder) -> None:
    identity = embedder.identity
    assert identity.name
    assert identity.window > 0
    assert re.fullmatch("[0-9a-f]{64}", identity.fingerprint)
    assert embedder.identity == identity


def test_every_vector_has_the_dimension_and_length_one(embedder: Embedder) -> None:
    for embedding in [*embedder.embed_passages(TEXTS), *map(embedder.embed_query, TEXTS)]:
        assert embedding.vector.shape == (embedder.identity.dimension,)
        assert embedding.vector.dtype == np.float32
        assert np.linalg.norm(embedding.vector) == pytest.approx(1, abs=1e-5)


def test_vectors_come_in_the_order_of_their_texts(embedder: Embedder) -> None:
    together = embedder.embed_passages(TEXTS)
    for text, embedding in zip(TEXTS, together, strict=True):
        (alone,) = embedder.embed_passages([text])
        assert alone.vector @ embedding.vector > 0.9999


def test_the_same_text_always_gets_the_same_vector(embedder: Embedder) -> None:
    first, second = embedder.embed_passages(TEXTS), embedder.embed_passages(TEXTS)
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.vector, other.vector)


def test_no_texts_give_no_vectors_and_no_counts(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []
    assert embedder.count_tokens([]) == []


def test_several_threads_may_ask_at_once(embedder: Embedder) -> None:
    questions = [f"What is node {number}?" for number in range(40)]
    expected = [embedder.embed_query(question).vector for question in questions]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(embedder.embed_query, questions))
    for embedding, vector in zip(found, expected, strict=True):
        assert np.array_equal(embedding.vector, vector)


def test_states_are_as_many_as_the_tokens_or_none_at_all(embedder: Embedder) -> None:
    counts = embedder.count_tokens(TEXTS)
    for embedding, count in zip(embedder.embed_passages(TEXTS, states=True), counts, strict=True):
        if embedding.states is not None:
            read = min(count, embedder.identity.window)
            assert len(embedding.states) == len(embedding.pieces) == read
            assert embedding.states.dtype == np.float32
            assert np.linalg.norm(embedding.states, axis=1) == pytest.approx(1, abs=1e-5)
    assert all(embedding.states is None for embedding in embedder.embed_passages(TEXTS))
    assert embedder.embed_query("What?").states is None


@given(st.text())
def test_every_word_has_a_token_and_no_token_is_without_a_character(embedder: Embedder, text: str) -> None:
    (count,) = embedder.count_tokens([text])
    words = [word for word in re.split("[ \t\r\n]+", text) if re.search("[a-zA-Z]", word)]
    assert len(words) <= count or not text.isascii()
    assert count <= len(text) or not text.isascii()


@given(st.lists(st.text(alphabet=st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1)))
def test_words_are_counted_apart(embedder: Embedder, words: list[str]) -> None:
    assert embedder.count_tokens([" ".join(words)]) == [sum(embedder.count_tokens(words))]


def test_a_text_of_nothing_has_no_tokens(embedder: Embedder) -> None:
    assert embedder.count_tokens(["", " \n\t "]) == [0, 0]


def test_a_very_long_page_is_counted_whole(embedder: Embedder) -> None:
    words = [f"word{number}" for number in range(200_000)]
    first, second, both = embedder.count_tokens(
        [" ".join(words[:100_000]), " ".join(words[100_000:]), " ".join(words)]
    )
    assert both == first + second
