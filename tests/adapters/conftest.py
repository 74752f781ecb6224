"""Every index keeps the same promises: the two engines, and the one in memory that tests use."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.ports import Index
from glossator.testing import MemoryIndex, MemoryIndexStore
from support.index_books import IndexUnderTest, publish, three_chapters
from support.qdrant_server import connected, drop_book, qdrant_server

ENGINES = ["embedded", pytest.param("server", marks=pytest.mark.qdrant)]
EVERY_INDEX = ["memory", *ENGINES]


@pytest.fixture(params=EVERY_INDEX)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IndexUnderTest]:
    with _place(request, tmp_path) as made:
        yield made


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IndexUnderTest]:
    """For what the index in memory is too simple to promise."""
    with _place(request, tmp_path) as made:
        yield made


@pytest.fixture(params=EVERY_INDEX, scope="module")
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """A small book, for the tests that only read it."""
    with _place(request, tmp_path_factory.mktemp("book")) as made:
        publish(made.index_store(), three_chapters())
        yield made.index()


@pytest.fixture(scope="session")
def qdrant_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    given = os.environ.get("GLOSSATOR_TEST_QDRANT")
    if given:
        yield given
        return
    with qdrant_server(tmp_path_factory.mktemp("qdrant")) as url:
        yield url


@contextmanager
def _place(request: pytest.FixtureRequest, folder: Path) -> Iterator[IndexUnderTest]:
    match request.param:
        case "memory":
            index_store = MemoryIndexStore()
            yield IndexUnderTest(index_store=lambda: index_store, index=partial(MemoryIndex, index_store))
        case "embedded":
            with embedded_place(folder / "home") as made:
                yield made
        case _:
            with server_place(request.getfixturevalue("qdrant_url")) as made:
                yield made


@contextmanager
def embedded_place(home: Path) -> Iterator[IndexUnderTest]:
    with ExitStack() as opened:

        def index(**options: object) -> EmbeddedIndex:
            return opened.enter_context(closing(EmbeddedIndex(home, **options)))  # type: ignore[arg-type]

        yield IndexUnderTest(index_store=partial(EmbeddedIndexStore, home), index=index)


@contextmanager
def server_place(url: str) -> Iterator[IndexUnderTest]:
    """On a clock so fast that the index looks for a new book every time."""
    server = connected(url)
    fast_clock = itertools.count(step=10).__next__
    with closing(server.client):
        yield IndexUnderTest(
            index_store=partial(ServerIndexStore, server),
            index=partial(ServerIndex, server, clock=fast_clock),
        )
        drop_book(server)


@pytest.fixture
def server(qdrant_url: str) -> Iterator[Server]:
    made = connected(qdrant_url)
    with closing(made.client):
        yield made
        drop_book(made)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 MB, where this process may make one."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may make a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
