"""The fastembed adapter around a stand-in, because the models of the real one live on a hub."""

from __future__ import annotations

import sys

import pytest

from glossator.adapters.embedders.families import Prefixes
from glossator.adapters.embedders.fastembed import FastembedEmbedder
from glossator.errors import SettingsError
from support.embedders_standin import StandIn, tokenizer

E5 = Prefixes("query: ", "passage: ")


def test_without_the_extra_the_error_gives_the_line_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(SettingsError, match=r"pip install 'glossator\[fastembed\]'"):
        FastembedEmbedder.open()


def test_questions_and_passages_get_the_prefixes_of_the_model() -> None:
    model = StandIn()
    embedder = FastembedEmbedder(model, tokenizer(), E5)
    embedder.embed_query("What is a node?")
    embedder.embed_passages(["A node is a process.", "Short."])
    assert model.read == ["query: What is a node?", "passage: Short.", "passage: A node is a process."]


def test_the_window_leaves_room_for_the_prefix() -> None:
    assert FastembedEmbedder(StandIn(), tokenizer(), Prefixes()).identity.window == 20
    assert FastembedEmbedder(StandIn(), tokenizer(), E5).identity.window == 18


def test_the_fingerprint_changes_with_the_model_and_with_the_prefixes() -> None:
    marks = {
        FastembedEmbedder(model, tokenizer(), prefixes).identity.fingerprint
        for model in (StandIn("one"), StandIn("other"))
        for prefixes in (Prefixes(), E5)
    }
    assert len(marks) == 4
