"""What is known of a model by its name."""

from __future__ import annotations

import pytest

from glossator.adapters.embedders.families import Prefixes, family_of

SEARCHING = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("text-embedding-3-small", "", ""),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("BAAI/bge-small-en-v1.5", SEARCHING, ""),
        ("BAAI/bge-m3", "", ""),
        ("mxbai-embed-large", SEARCHING, ""),
        ("Snowflake/snowflake-arctic-embed-m", SEARCHING, ""),
        ("Snowflake/snowflake-arctic-embed-m-v2.0", "query: ", ""),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("a-model-nobody-knows", "", ""),
    ],
)
def test_a_model_is_known_by_its_family(model: str, query: str, passage: str) -> None:
    assert family_of(model).prefixes == Prefixes(query, passage)


def test_models_that_follow_instructions_get_one_before_the_question_only() -> None:
    prefixes = family_of("intfloat/multilingual-e5-large-instruct").prefixes
    assert prefixes.query.startswith("Instruct: ")
    assert prefixes.passage == ""


def test_the_window_of_an_unknown_model_is_a_cautious_one() -> None:
    assert family_of("a-model-nobody-knows").window == 512
    assert family_of("text-embedding-3-large").window == 8191


def test_an_empty_prefix_of_the_operator_counts() -> None:
    assert Prefixes("query: ", "passage: ").replaced("", None) == Prefixes("", "passage: ")
