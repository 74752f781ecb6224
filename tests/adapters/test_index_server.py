"""What the index on a Qdrant server promises beyond the contract: the network, keys, names."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from qdrant_client.models import Distance, OptimizersConfigDiff, VectorParams

from glossator.adapters.index.payload import INTEGER_FIELDS, KEYWORD_FIELDS, STATES
from glossator.adapters.index.server import Server, states_collection
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.errors import IndexFault, IndexUnavailable, SettingsError
from support.index_books import (
    TOY,
    asking,
    fill,
    manifest_of,
    numbered_book,
    pages,
    publish,
    three_chapters,
    with_states_and_units,
)
from support.qdrant_server import qdrant_server

pytestmark = pytest.mark.qdrant


@pytest.fixture
def server(qdrant_url: str) -> Iterator[Server]:
    made = connected(qdrant_url)
    with closing(made.client):
        yield made
        for collection in [*made.generations().values(), made.name]:
            made.drop(collection)


def connected(url: str, api_key: str | None = None, timeout: int = 30) -> Server:
    return Server.connect(url, f"book-{secrets.token_hex(4)}", api_key=api_key, timeout=timeout)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_index_looks_for_a_new_book_once_a_second(server: Server) -> None:
    clock = Clock()
    index = ServerIndex(server, clock=clock)
    old = publish(ServerIndexStore(server), three_chapters())
    assert index.manifest() == old
    new = publish(ServerIndexStore(server), numbered_book(3, "robot"))
    clock.now = 0.9
    assert index.manifest() == old
    assert pages(index, asking("joints", axis=2))[0] == "urdf.md", "hits and manifest belong together"
    clock.now = 1.0
    assert index.manifest() == new
    assert "urdf.md" not in pages(index, asking("joints", axis=2))


def test_a_search_in_a_book_that_was_removed_goes_on_in_the_new_one(server: Server) -> None:
    index = ServerIndex(server, clock=Clock())
    publish(ServerIndexStore(server), three_chapters())
    index.manifest()
    publish(ServerIndexStore(server), three_chapters())
    publish(ServerIndexStore(server), numbered_book(3, "robot"))
    assert server.collection(1) not in server.generations().values()
    assert set(pages(index, asking("robot"))) == {"page-0.md", "page-1.md", "page-2.md"}
    assert index.manifest().generation == 3


def test_the_generation_before_is_kept_for_those_who_read_it(server: Server) -> None:
    for _ in range(3):
        publish(ServerIndexStore(server), three_chapters())
    assert sorted(server.generations()) == [2, 3]
    assert server.current() == server.collection(3)


def test_what_a_killed_build_left_is_removed_by_the_next(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    abandoned = ServerIndexStore(server).build(TOY, "english")
    fill(abandoned.__enter__(), numbered_book(3, "robot"))
    assert sorted(server.generations()) == [1, 2]
    with ServerIndexStore(server).build(TOY, "english") as generation:
        assert generation.number == 3
        assert sorted(server.generations()) == [1, 3]


def test_a_collection_of_that_name_which_is_not_ours_is_left_alone(server: Server) -> None:
    server.client.create_collection(server.name, VectorParams(size=4, distance=Distance.COSINE))
    with pytest.raises(SettingsError, match="that Glossator did not make"):
        publish(ServerIndexStore(server), three_chapters())
    with pytest.raises(SettingsError, match=server.name):
        ServerIndex(server).manifest()
    assert server.client.collection_exists(server.name)


def test_a_collection_without_a_manifest_says_what_to_do_and_the_next_ingest_mends_it(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    server.client.update_collection(server.collection(1), metadata={"glossator": "{}"})
    index = ServerIndex(server)
    with pytest.raises(IndexFault, match="glossator ingest PATH"):
        index.manifest()
    assert ServerIndexStore(server).current() is None
    publish(ServerIndexStore(server), three_chapters())
    assert index.manifest().generation == 2


def test_a_manifest_of_two_thousand_pages_is_kept(server: Server) -> None:
    manifest = publish(ServerIndexStore(server), numbered_book(2000, "robot"))
    assert len(manifest.pages) == 2000
    assert ServerIndex(server).manifest() == manifest


def test_a_server_that_is_not_there_is_worth_another_try() -> None:
    with closing(connected("http://127.0.0.1:9").client) as client:
        index = ServerIndex(Server(client, "book"))
        with pytest.raises(IndexUnavailable, match="does not answer") as raised:
            index.search(asking("joints"))
    assert raised.value.retryable


def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = connected(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=1)
        with closing(server.client), pytest.raises(IndexUnavailable, match="timed out"):
            ServerIndex(server).manifest()


def test_a_wrong_key_is_a_matter_of_settings_and_is_not_shown(tmp_path: Path) -> None:
    with qdrant_server(tmp_path, api_key="the-right-key") as url:
        with pytest.warns(UserWarning, match="insecure connection"):
            server = connected(url, api_key="the-wrong-key")
        with closing(server.client), pytest.raises(SettingsError, match="refuses the API key") as raised:
            ServerIndex(server).manifest()
    assert "the-wrong-key" not in str(raised.value)


def test_an_address_that_is_none_is_a_matter_of_settings() -> None:
    with pytest.raises(SettingsError, match="is not the address of a Qdrant server"):
        connected("nonsense://nowhere")


def test_a_server_that_does_not_settle_in_time_leaves_the_old_book_serving(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    entries = numbered_book(2000, "robot")
    with ServerIndexStore(server, indexing_timeout=0).build(TOY, "english") as generation:
        fill(generation, entries)
        forbid_to_build_the_graph(server, server.collection(generation.number))
        with pytest.raises(IndexUnavailable, match="has not indexed"):
            generation.publish(manifest_of(generation.number, entries))
    assert ServerIndex(server).manifest().generation == 1


def forbid_to_build_the_graph(server: Server, collection: str) -> None:
    server.client.update_collection(
        collection, optimizers_config=OptimizersConfigDiff(indexing_threshold=1, max_optimization_threads=0)
    )


def test_the_collection_is_asked_by_words_by_place_and_by_its_named_vector(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    schema = server.client.get_collection(server.name).payload_schema
    assert {name: str(field.data_type.value) for name, field in schema.items()} == {
        **dict.fromkeys(KEYWORD_FIELDS, "keyword"),
        **dict.fromkeys(INTEGER_FIELDS, "integer"),
        "text": "text",
    }
    size = asking("robot").vector.size
    found = server.client.query_points(server.name, query=[1.0] * size, using="dense", limit=1)
    assert "text" in (found.points[0].payload or {})


def test_what_only_the_reader_needs_is_in_no_point_of_the_collection(server: Server) -> None:
    publish(ServerIndexStore(server), with_states_and_units())
    points, _ = server.client.scroll(server.name, limit=100)
    assert [point.id for point in points if STATES in (point.payload or {})] == []
    beside, _ = server.client.scroll(states_collection(server.collection(1)), limit=100)
    assert {point.id for point in beside} == {point.id for point in points}


def test_states_that_an_earlier_version_put_there_are_still_read(server: Server) -> None:
    publish(ServerIndexStore(server), with_states_and_units())
    asked = asking("joints", axis=2, limit=4, states=True)
    now = ServerIndex(server).search(asked)
    beside, _ = server.client.scroll(states_collection(server.collection(1)), limit=100)
    for point in beside:
        server.client.set_payload(server.collection(1), point.payload or {}, points=[point.id])
    server.client.delete_collection(states_collection(server.collection(1)))
    before = ServerIndex(server).search(asked)
    assert [hit.passage for hit in before] == [hit.passage for hit in now]
    assert all(hit.states is not None for hit in before)


def test_a_generation_of_an_earlier_version_may_have_none(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    server.client.delete_collection(states_collection(server.collection(1)))
    found = ServerIndex(server).search(asking("joints", axis=2, limit=4, states=True))
    assert [hit.states for hit in found if hit.states is not None] == []
    assert found


def test_states_are_dropped_with_their_generation(server: Server) -> None:
    for _ in range(3):
        publish(ServerIndexStore(server), with_states_and_units())
    names = {found.name for found in server.client.get_collections().collections}
    kept = [server.collection(2), server.collection(3)]
    assert {name for name in names if name.startswith(server.name)} == {*kept, *map(states_collection, kept)}
