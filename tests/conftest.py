"""What all tests share: a small book, read by the real model into the real index."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from answer_book import PAGES
from hypothesis import settings

from glossator.ingest.pipeline import ingest
from glossator.ingest.site import site_of
from glossator.ports import Embedder, Reader
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.wiring import embedder_of, reader_of, tools_of

# The same examples every time, so that a red build means a change; `HYPOTHESIS_PROFILE=searching` looks for more.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("searching", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="session")
def counted(record_testsuite_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """What a test did, and how often: `make proof` reads it from the JUnit report."""
    done = Counter[str]()
    yield done
    for name, many in done.items():
        record_testsuite_property(f"counted: {name}", many)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return embedder_of(Settings())


@pytest.fixture(scope="session")
def reader() -> Reader:
    return reader_of(Settings())


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    book = tmp_path_factory.mktemp("books") / "robots"
    for name, text in PAGES.items():
        page = book / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text.lstrip(), "utf-8")
    return book


@pytest.fixture(scope="session")
def home(book: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of the ingested book."""
    settings = Settings(home=tmp_path_factory.mktemp("home"))
    ingest(book, site_of(book), tools_of(settings, SilentProgress(), say=lambda message: None))
    return settings.home
