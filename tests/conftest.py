"""What all tests share: a small book and the sample book, read by the real model into the real index."""

from __future__ import annotations

import fcntl
import gc
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.ports import Embedder, Reader
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.wiring import embedder_of, ingest_tools_of, reader_of
from support.answer_book import PAGES

SAMPLE = Path(__file__).parents[1] / "examples" / "physical-ai-book"

# The same examples every time, so that a red build means a change; `HYPOTHESIS_PROFILE=searching` looks for more.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("searching", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests also wait, for servers, browsers and limits that have to run out."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: the garbage collector need not look at it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long goes first, so that no process waits at the end for a last long test."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


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
    ingest(
        book,
        site_of(book, title="robots"),
        ingest_tools_of(settings, SilentProgress(), say=lambda message: None),
    )
    return settings.home


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The home folder of the ingested sample book, made once for all processes of a test run."""
    base = tmp_path_factory.getbasetemp()
    home = (base if worker_id == "master" else base.parent) / "sample-home"
    home.mkdir(exist_ok=True)
    with (home / "making").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "CURRENT").exists():
            tools = ingest_tools_of(Settings(home=home), SilentProgress(), say=lambda message: None)
            ingest(SAMPLE, site_of(SAMPLE), tools)
    return home
