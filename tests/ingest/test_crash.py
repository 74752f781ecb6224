"""kill -9 at any moment of an ingest: the old book serves, the next run finishes, nothing is lost or doubled."""

from __future__ import annotations

import multiprocessing
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.model import IndexQuery, Manifest
from glossator.testing import WordEmbedder
from support import crash_ingest
from support.proof_size import BATCH, repeats

KILLS = [repeats("KILLS", 10), pytest.param(40, marks=pytest.mark.nightly)]
PAGES = 6

# Children come from a process that has imported everything and started no engine.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(
    [
        "glossator.adapters.index.cache",
        "glossator.adapters.index.embedded_store",
        "glossator.adapters.terminal",
        "glossator.ingest.pipeline",
        "glossator.ingest.sites",
        "glossator.testing",
    ]
)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    for number in range(PAGES):
        write_page(folder, number, "first")
    return folder


def write_page(folder: Path, number: int, edition: str) -> None:
    sections = (
        f"## Part {part}\n\n" + f"Page {number} of the {edition} edition says {part}. " * 25
        for part in range(3)
    )
    (folder / f"page{number}.md").write_text(f"# Page {number}\n\n" + "\n\n".join(sections))


@pytest.mark.slow
@pytest.mark.parametrize("kills", KILLS)
def test_an_ingest_killed_at_each_step_loses_nothing(
    book: Path, tmp_path: Path, kills: int, counted: Counter[str]
):
    home = tmp_path / "home"
    crash_ingest.run(book, home)
    write_page(book, 0, "counted")
    steps = steps_of_an_ingest(book, home)
    for step in chosen_of(steps, kills):
        counted["ingests killed at a step"] += survive(book, home, crash_ingest.die_at_step, step)


def chosen_of(steps: int, kills: int) -> list[int]:
    """Spread evenly; each batch begins elsewhere between two of them."""
    begin = BATCH * 0.618 % 1
    chosen = {1 + int((begin + at) * steps / kills) for at in range(kills)}
    assert len(chosen) == min(kills, steps)
    return sorted(chosen)


@pytest.mark.slow
@pytest.mark.parametrize("kills", KILLS)
def test_an_ingest_killed_at_random_moments_loses_nothing(
    book: Path, tmp_path: Path, kills: int, counted: Counter[str]
):
    home = tmp_path / "home"
    crash_ingest.run(book, home)
    write_page(book, 1, "timed")
    begun = time.perf_counter()
    crash_ingest.run(book, home)
    whole = time.perf_counter() - begun
    moments = random.Random(7 + BATCH)
    for _ in range(kills):
        moment = moments.uniform(0, whole * 1.2)
        counted["ingests killed at a moment"] += survive(book, home, crash_ingest.die_after, moment)


def test_an_ingest_that_follows_a_killed_one_embeds_nothing_twice(book: Path, tmp_path: Path):
    home = tmp_path / "home"
    killed(crash_ingest.die_at_stage, book, home, "Storing passages")
    report = crash_ingest.run(book, home)
    assert (report.generation, report.embedded, report.reused) == (1, 0, report.passages)


def steps_of_an_ingest(book: Path, home: Path) -> int:
    with processes.Pool(1) as pool:
        return pool.apply(crash_ingest.count_steps, (book, home))


def survive(book: Path, home: Path, die: Callable[..., None], when: float) -> bool:
    """Edit a page, let an ingest die, look at what serves, let the next ingest finish, look again.

    Whether it died: one that is killed late may have ended before.
    """
    old = EmbeddedIndexStore(home).current()
    assert old is not None
    write_page(book, random.Random(when).randrange(PAGES), f"{die.__name__} {when}")
    has_died = killed(die, book, home, when)
    assert look(home).generation in (old.generation, old.generation + 1)
    crash_ingest.run(book, home)
    look(home, book)
    return has_died


def killed(die: Callable[..., None], *arguments: object) -> bool:
    child = processes.Process(target=die, args=arguments)
    child.start()
    child.join()
    return child.exitcode == -signal.SIGKILL


def look(home: Path, book: Path | None = None) -> Manifest:
    """What serves is whole and can be searched; and where `book` is given, is what stands there now."""
    with closing(EmbeddedIndex(home)) as index:
        chunks = list(index.chunks())
        manifest = index.manifest()
        assert len({chunk.chunk_id for chunk in chunks}) == len(chunks) == manifest.chunks
        assert index.search(IndexQuery("page edition", WordEmbedder().embed_query("page edition").vector))
        for chunk in chunks:
            assert not book or (book / chunk.page).read_text()[chunk.start : chunk.end] == chunk.text
    return manifest
