"""Building on a Qdrant server: by difference, one machine at a time, and never seen before it is published."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

import numpy as np
import pytest
from qdrant_client import QdrantClient
from qdrant_client.models import Filter

from glossator.adapters.index.server import Server
from glossator.adapters.index.server_catalog import Catalog
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_lease import LEASE_SECONDS, Lease, held_lease
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.errors import GenerationIncomplete, IngestRunning
from glossator.model import IndexQuery, Manifest
from support.index_books import (
    OTHER,
    TOY,
    Entry,
    asking,
    fill,
    manifest_of,
    meaning,
    numbered_book,
    pages,
    passage,
    publish,
    put,
    three_chapters,
)

pytestmark = pytest.mark.qdrant


def later() -> float:
    """A clock on which every lease that was taken until now has run out."""
    return time.time() + 2 * LEASE_SECONDS


def points(server: Server, collection: str) -> dict[str, str]:
    """The points of a collection, with the page of each."""
    records, _ = server.client.scroll(collection, limit=1000)
    return {str(record.id): (record.payload or {})["page"] for record in records}


def edition(number: int) -> list[Entry]:
    """The three chapters, of which one has changed."""
    changed = (passage("urdf.md", f"Edition {number} of joints.", chapter="Models"), meaning(2))
    return [changed if entry[0].chunk.page == "urdf.md" else entry for entry in three_chapters()]


# By difference.


def test_passages_that_have_not_changed_are_not_written_again(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    first = points(server, server.collection(1))
    publish(ServerIndexStore(server), edition(2))
    second = points(server, server.collection(1))
    assert [second[point] for point in second.keys() - first.keys()] == ["urdf.md"]
    assert first.keys() <= second.keys(), "the generation before can still be read"


class CountingClient(QdrantClient):
    """Counts the points that are read and written."""

    moved = 0

    def scroll(self, *arguments: Any, **options: Any) -> Any:
        records, offset = super().scroll(*arguments, **options)
        self.moved += len(records)
        return records, offset

    def upsert(self, collection_name: str, points: Any, **options: Any) -> Any:
        self.moved += len(points)
        return super().upsert(collection_name, points, **options)


def test_an_edit_moves_the_points_of_its_pages_alone(server: Server, qdrant_url: str) -> None:
    publish(ServerIndexStore(server), [*three_chapters(), *numbered_book(50, "robot")])
    with ExitStack() as opened:
        client = opened.enter_context(closing(CountingClient(qdrant_url, check_compatibility=False)))
        store = ServerIndexStore(Server(client, server.name))
        generation = opened.enter_context(store.build(TOY, "english"))
        put(generation, edition(2)[2:3])
        generation.publish(manifest_of(generation.number, [*edition(2), *numbered_book(50, "robot")]))
    one_read_one_written_and_the_record = 3
    assert client.moved == one_read_one_written_and_the_record
    assert ServerIndexStore(server).is_whole()


def test_what_two_generations_no_longer_have_is_deleted(server: Server) -> None:
    for number in range(5):
        publish(ServerIndexStore(server), edition(number))
    assert sorted(points(server, server.collection(1)).values()) == [
        "control.md",
        "nodes.md",
        "topics.md",
        "urdf.md",
        "urdf.md",
    ]
    assert list(server.collections()) == [server.collection(1)]


def test_what_a_rolled_back_generation_changed_is_undone_by_the_next_build(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    publish(ServerIndexStore(server), edition(2)[:3])
    ServerIndexStore(server).roll_back()
    publish(ServerIndexStore(server), [*three_chapters(), *numbered_book(1, "robot")])
    index = ServerIndex(server)
    assert {chunk.text for chunk in index.chunks()} == {
        entry.chunk.text for entry, _ in [*three_chapters(), *numbered_book(1, "robot")]
    }
    assert len(points(server, server.collection(1))) == 5


def test_another_model_gets_a_collection_of_its_own_and_a_rollback_returns_to_the_old_one(
    server: Server,
) -> None:
    publish(ServerIndexStore(server), three_chapters())
    publish(ServerIndexStore(server), three_chapters(), OTHER)
    assert server.aliased() == server.collection(2)
    ServerIndexStore(server).roll_back()
    assert server.aliased() == server.collection(1)
    publish(ServerIndexStore(server), edition(3))
    assert list(server.collections()) == [server.collection(1)]
    assert ServerIndex(server, expects=TOY).chunk("urdf.md#0")


def test_a_book_of_which_points_were_lost_is_written_anew(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    server.client.delete(server.collection(1), Filter(must=[]))
    assert not ServerIndexStore(server).is_whole()
    publish(ServerIndexStore(server), three_chapters())
    assert ServerIndexStore(server).is_whole()
    assert server.aliased() == server.collection(2)


# Never seen before it is published.


def test_a_search_finds_the_same_with_the_same_scores_while_the_next_generation_is_written(
    server: Server,
) -> None:
    publish(ServerIndexStore(server), numbered_book(20, "robot"))
    index = ServerIndex(server, clock=iter(range(0, 10_000, 10)).__next__)
    queries = [asking("robot number 7", axis=7), asking("joints of a robot", axis=3)]
    before = [index.search(query) for query in queries]
    entries = [*numbered_book(15, "robot"), *edition(2)]
    with ServerIndexStore(server).build(TOY, "english") as generation:
        fill(generation, entries)
        assert [index.search(query) for query in queries] == before
        assert len(list(index.chunks())) == 20
        generation.publish(manifest_of(generation.number, entries))
    assert [index.search(query) for query in queries] != before
    assert len(list(index.chunks())) == len(entries)


def test_scores_are_those_of_a_book_that_was_written_at_once(server: Server) -> None:
    for entries in (numbered_book(20, "robot"), edition(1), [*edition(2), *numbered_book(9, "robot")]):
        publish(ServerIndexStore(server), entries)
    other = Server(server.client, f"{server.name}-other")
    publish(ServerIndexStore(other), [*edition(2), *numbered_book(9, "robot")])
    for query in (asking("robot number 7", axis=7), asking("edition of joints", axis=3)):
        assert ServerIndex(server).search(query) == ServerIndex(other).search(query)
    ServerIndexStore(other).remove()


class InterruptedClient(QdrantClient):
    """Something happens between the search of a server and the reading of what it found."""

    interruptions: Iterator[Callable[[], object]] = iter(())

    def query_batch_points(self, *arguments: Any, **options: Any) -> Any:
        found = super().query_batch_points(*arguments, **options)
        for interruption in self.interruptions:
            interruption()
        return found


@pytest.mark.parametrize(("publications", "expected"), [(1, "edition0"), (2, "edition2"), (3, "edition3")])
def test_a_reader_that_is_overtaken_in_the_middle_of_a_search_reads_one_whole_generation(
    server: Server, qdrant_url: str, publications: int, expected: str
) -> None:
    """The one before still serves it; of an older one points are missing, so it searches the newest."""

    def publish_edition(number: int) -> Manifest:
        return publish(ServerIndexStore(server), numbered_book(5, f"edition{number}"))

    publish_edition(0)
    with closing(InterruptedClient(qdrant_url, check_compatibility=False)) as client:
        client.interruptions = (partial(publish_edition, 1 + number) for number in range(publications))
        found = ServerIndex(Server(client, server.name)).search(asking("number"))
    assert [hit.passage.chunk.text.split()[0] for hit in found] == [expected] * 5


# One machine at a time.


def test_of_two_ingests_at_once_the_second_is_told_who_holds_the_lock(server: Server) -> None:
    with ServerIndexStore(server).build(TOY, "english") as first:
        fill(first, three_chapters())
        with pytest.raises(IngestRunning, match=r"process \d+ on .*its lock is free in \d+ s") as raised:
            publish(ServerIndexStore(server), numbered_book(3, "robot"))
        first.publish(manifest_of(first.number, three_chapters()))
    assert raised.value.retryable
    assert publish(ServerIndexStore(server), numbered_book(3, "robot")).generation == 2


def test_of_many_machines_that_begin_at_once_one_gets_the_lock(server: Server) -> None:
    """Also where they have to create the catalog first."""
    begin, winners = threading.Barrier(6), list[Lease]()

    def take() -> None:
        lease = Lease(Catalog(server))
        begin.wait()
        try:
            lease.take()
        except IngestRunning:
            return
        winners.append(lease)

    machines = [threading.Thread(target=take) for _ in range(6)]
    for machine in machines:
        machine.start()
    for machine in machines:
        machine.join()
    assert len(winners) == 1


@pytest.mark.parametrize("change", ["roll_back", "remove"])
def test_during_an_ingest_the_book_is_neither_rolled_back_nor_removed(server: Server, change: str) -> None:
    publish(ServerIndexStore(server), three_chapters())
    with ServerIndexStore(server).build(TOY, "english"), pytest.raises(IngestRunning):
        getattr(ServerIndexStore(server), change)()
    assert ServerIndex(server).manifest().generation == 1


def test_a_failed_ingest_gives_the_lock_back_at_once(server: Server) -> None:
    with pytest.raises(GenerationIncomplete), ServerIndexStore(server).build(TOY, "english") as generation:
        generation.publish(manifest_of(generation.number, three_chapters()))
    assert publish(ServerIndexStore(server), three_chapters()).generation == 1


def test_an_ingest_whose_lock_ran_out_cannot_publish_over_the_one_that_took_over(server: Server) -> None:
    """Its machine slept: its clock has stood still, so it does not know."""
    publish(ServerIndexStore(server), three_chapters())
    asleep = time.time()
    with ExitStack() as machines:
        slow = machines.enter_context(ServerIndexStore(server, clock=lambda: asleep).build(TOY, "english"))
        fill(slow, edition(2))
        new = publish(ServerIndexStore(server, clock=later), [*edition(3), *numbered_book(2, "robot")])
        put(slow, numbered_book(5, "late"))
        with pytest.raises(IngestRunning, match="may have taken over"):
            slow.publish(manifest_of(slow.number, [*edition(2), *numbered_book(5, "late")]))
        assert_serves(server, new.generation, [*edition(3), *numbered_book(2, "robot")])
    assert_serves(server, new.generation, [*edition(3), *numbered_book(2, "robot")])


def assert_serves(server: Server, generation: int, entries: list[Entry]) -> None:
    index = ServerIndex(server)
    assert index.manifest().generation == generation
    assert {chunk.text for chunk in index.chunks()} == {entry.chunk.text for entry, _ in entries}
    assert ServerIndexStore(server).is_whole()


def test_an_ingest_that_knows_that_its_lock_ran_out_writes_nothing_more(server: Server) -> None:
    now = [time.time()]
    with ServerIndexStore(server, clock=lambda: now[0]).build(TOY, "english") as generation:
        now[0] += 2 * LEASE_SECONDS
        with pytest.raises(IngestRunning):
            fill(generation, three_chapters())
        assert points(server, server.collection(1)) == {}


def test_a_long_ingest_keeps_the_lock(server: Server) -> None:
    """Its lease is renewed while it does something else."""
    now, is_renewed = [0.0], threading.Event()

    def wait(is_over: threading.Event, seconds: float) -> bool:
        if now[0]:
            is_renewed.set()
            return is_over.wait()
        now[0] = seconds
        return False

    with held_lease(Catalog(server), lambda: now[0], wait) as lease:
        assert is_renewed.wait(60)
        now[0] = LEASE_SECONDS + 1
        lease.check()
        with pytest.raises(IngestRunning):
            Lease(Catalog(server), lambda: now[0]).take()


def test_vectors_of_sixteen_bits_find_what_the_whole_ones_would(server: Server) -> None:
    random = np.random.default_rng(0)
    entries = numbered_book(200, "robot")
    vectors = random.normal(size=(200, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    publish(
        ServerIndexStore(server),
        [(passage, vector) for (passage, _), vector in zip(entries, vectors, strict=True)],
    )
    found = pages(ServerIndex(server), IndexQuery("", vectors[5], limit=10, candidates=10))
    nearest = np.argsort(-(vectors @ vectors[5]), kind="stable")[:10]
    assert found == [f"page-{number}.md" for number in nearest]
