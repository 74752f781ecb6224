"""A small book, read by the real model into the real index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from answer_book import PAGES

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.compose import compose
from glossator.answer.pipeline import Assistant
from glossator.ingest.pipeline import ingest
from glossator.ingest.site import site_of
from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.wiring import calibration_of, embedder_of, index_of, tools_of


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return embedder_of(Settings())


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of the ingested book."""
    book = tmp_path_factory.mktemp("books") / "robots"
    for name, text in PAGES.items():
        page = book / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text.lstrip(), "utf-8")
    settings = Settings(home=tmp_path_factory.mktemp("home"))
    ingest(book, site_of(book), tools_of(settings, SilentProgress(), say=lambda message: None))
    return settings.home


@pytest.fixture
def assistant(home: Path, embedder: Embedder) -> Iterator[Assistant]:
    with closing(index_of(Settings(home=home), expects=embedder.identity)) as index:
        yield Assistant(embedder, index, ExtractiveWriter(compose), calibration_of(embedder.identity))
