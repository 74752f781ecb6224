"""kill -9 between any two requests of an ingest: the old book serves, the lock is free again, nothing is lost."""

from __future__ import annotations

import multiprocessing
import signal
from collections import Counter
from pathlib import Path

import pytest

from glossator.adapters.index.server import Server
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_lease import LEASE_SECONDS
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.errors import IngestRunning
from glossator.model import IndexQuery, Manifest
from glossator.testing import WordEmbedder
from support import crash_ingest_server
from support.proof_size import BATCH, repeats

pytestmark = pytest.mark.qdrant

KILLS = [repeats("KILLS", 6), pytest.param(12, marks=pytest.mark.nightly)]
PAGES = 4

# Children come from a process that has imported everything and started no engine.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["support.crash_ingest_server"])


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    for number in range(PAGES):
        write_page(folder, number, "first")
    return folder


def write_page(folder: Path, number: int, edition: str) -> None:
    text = f"Page {number} of the {edition} edition says something. " * 40
    (folder / f"page{number}.md").write_text(f"# Page {number}\n\n{text}\n")


@pytest.mark.slow
@pytest.mark.parametrize("kills", KILLS)
def test_an_ingest_killed_before_each_of_its_requests_loses_nothing(
    book: Path, tmp_path: Path, qdrant_url: str, server: Server, kills: int, counted: Counter[str]
) -> None:
    now = 0.0
    crash_ingest_server.run(book, tmp_path, server, lambda: now)
    write_page(book, 0, "counted")
    requests = requests_of_an_ingest(book, tmp_path, qdrant_url, server.name, now)
    for request in chosen_of(requests, kills):
        serving = ServerIndexStore(server).current()
        assert serving is not None
        write_page(book, request % PAGES, f"request {request}")
        now += 2 * LEASE_SECONDS
        killed(book, tmp_path, qdrant_url, server.name, now, request)
        assert look(server).generation >= serving.generation
        now += 2 * LEASE_SECONDS
        crash_ingest_server.run(book, tmp_path, server, lambda: now)  # noqa: B023
        look(server, book)
        counted["ingests onto a server killed at a request"] += 1


def requests_of_an_ingest(*arguments: object) -> int:
    with processes.Pool(1) as pool:
        return pool.apply(crash_ingest_server.count_requests, arguments)


def chosen_of(requests: int, kills: int) -> list[int]:
    """Spread evenly; each batch begins elsewhere between two of them."""
    begin = BATCH * 0.618 % 1
    return sorted({1 + int((begin + at) * requests / kills) for at in range(kills)})


def killed(*arguments: object) -> None:
    child = processes.Process(target=crash_ingest_server.die_at_request, args=arguments)
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL


def look(server: Server, book: Path | None = None) -> Manifest:
    """What serves is whole and can be searched; and where `book` is given, is what stands there now."""
    index = ServerIndex(server)
    chunks, manifest = list(index.chunks()), index.manifest()
    assert ServerIndexStore(server).is_whole()
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks) == manifest.chunks
    assert index.search(IndexQuery("page edition", WordEmbedder().embed_query("page edition").vector))
    for chunk in chunks:
        assert not book or (book / chunk.page).read_text()[chunk.start : chunk.end] == chunk.text
    return manifest


def test_the_lock_of_a_killed_ingest_is_free_when_its_lease_is_over(
    book: Path, tmp_path: Path, qdrant_url: str, server: Server
) -> None:
    crash_ingest_server.run(book, tmp_path, server, lambda: 0.0)
    write_page(book, 1, "second")
    in_the_middle = 15
    killed(book, tmp_path, qdrant_url, server.name, 0.0, in_the_middle)
    with pytest.raises(IngestRunning, match="its lock is free in 1 s"):
        crash_ingest_server.run(book, tmp_path, server, lambda: LEASE_SECONDS - 1)
    assert look(server).generation == 1
    crash_ingest_server.run(book, tmp_path, server, lambda: LEASE_SECONDS + 1)
    look(server, book)
