"""What the index on a Qdrant server promises beyond the contract: the network, keys, names."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from qdrant_client.models import (
    Datatype,
    Distance,
    Filter,
    OptimizersConfigDiff,
    ScalarQuantization,
    ScalarType,
    VectorParams,
)

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.adapters.index.payload import INTEGER_FIELDS, KEYWORD_FIELDS
from glossator.adapters.index.server import Server
from glossator.adapters.index.server_catalog import Catalog
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.errors import IndexFault, IndexUnavailable, SettingsError
from glossator.model import FoundPassage, Scores
from support.faulty_proxy import Fault, FaultyProxy
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
from support.qdrant_server import connected, qdrant_server

pytestmark = pytest.mark.qdrant


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
    assert Catalog(server).record(1) is None
    assert set(pages(index, asking("robot"))) == {"page-0.md", "page-1.md", "page-2.md"}
    assert index.manifest().generation == 3


def test_a_book_that_was_removed_and_ingested_again_is_not_taken_for_the_old_one(server: Server) -> None:
    clock = Clock()
    index = ServerIndex(server, clock=clock)
    publish(ServerIndexStore(server), three_chapters())
    assert index.manifest().generation == 1
    ServerIndexStore(server).remove()
    new = publish(ServerIndexStore(server), numbered_book(4, "robot"))
    assert new.generation == 1
    assert len(index.search(asking("robot"))) == 4
    clock.now = 1.0
    assert index.manifest() == new


def test_the_generation_before_is_kept_for_those_who_read_it(server: Server) -> None:
    for _ in range(3):
        publish(ServerIndexStore(server), three_chapters())
    kept = [number for number in range(1, 4) if Catalog(server).record(number)]
    assert kept == [2, 3]


def test_a_collection_of_that_name_which_is_not_ours_is_left_alone(server: Server) -> None:
    server.client.create_collection(server.name, VectorParams(size=4, distance=Distance.COSINE))
    with pytest.raises(SettingsError, match="that Glossator did not make"):
        publish(ServerIndexStore(server), three_chapters())
    with pytest.raises(SettingsError, match=server.name):
        ServerIndex(server).manifest()
    assert server.client.collection_exists(server.name)
    server.drop(server.name)


@pytest.mark.parametrize("damage", ["unreadable", "lost"])
def test_a_damaged_catalog_says_what_to_do_and_the_next_ingest_mends_it(server: Server, damage: str) -> None:
    publish(ServerIndexStore(server), three_chapters())
    if damage == "lost":
        server.client.delete(server.catalog, [1])
    else:
        server.client.set_payload(server.catalog, {"record": "{}"}, points=[1])
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


def test_a_server_that_did_not_get_the_request_in_time_is_worth_another_try() -> None:
    """As Qdrant replies to a machine that is too busy to send what it has begun."""
    too_late = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        proxy = FaultyProxy(silent.getsockname(), error=too_late, fault=Fault.ERROR)
        with (
            proxy.running(),
            closing(connected(f"http://127.0.0.1:{proxy.port}").client) as client,
            pytest.raises(IndexUnavailable, match="408") as raised,
        ):
            ServerIndex(Server(client, "book")).manifest()
    assert raised.value.retryable


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
        forbid_to_build_the_graph(server, server.collection(1))
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
        **dict.fromkeys([*INTEGER_FIELDS, "added_in", "removed_in"], "integer"),
        "text": "text",
    }
    size = asking("robot").vector.size
    found = server.client.query_points(server.name, query=[1.0] * size, using="dense", limit=1)
    assert "text" in (found.points[0].payload or {})


def test_another_program_reads_one_generation_with_the_filter_of_the_collection(server: Server) -> None:
    def texts() -> set[str]:
        metadata = server.client.get_collection(server.name).config.metadata or {}
        shown = Filter.model_validate(metadata["filter"])
        records, _ = server.client.scroll(server.name, shown, limit=100)
        return {(record.payload or {})["text"] for record in records}

    publish(ServerIndexStore(server), three_chapters())
    three = {passage.chunk.text for passage, _ in three_chapters()}
    assert texts() == three
    with ServerIndexStore(server).build(TOY, "english") as generation:
        fill(generation, numbered_book(2, "robot"))
        assert texts() == three
        generation.publish(manifest_of(generation.number, numbered_book(2, "robot")))
    assert texts() == {"robot number 0.", "robot number 1."}
    ServerIndexStore(server).roll_back()
    assert texts() == three


def test_a_book_that_an_earlier_version_stored_is_named_and_replaced(server: Server) -> None:
    old = server.collection(7)
    for name in (old, f"{old}-states"):
        server.client.create_collection(name, vectors_config={})
    server.move_alias(old)
    with pytest.raises(IndexFault, match=r"earlier version.*glossator ingest PATH"):
        ServerIndex(server).manifest()
    assert publish(ServerIndexStore(server), three_chapters()).generation == 8
    assert server.aliased() == server.collection(8)
    assert list(server.collections()) == [server.collection(8)]


def test_vectors_are_searched_by_eight_bits_and_kept_in_sixteen(server: Server) -> None:
    publish(ServerIndexStore(server), three_chapters())
    vectors = server.client.get_collection(server.name).config.params.vectors
    assert isinstance(vectors, dict)
    dense = vectors["dense"]
    assert isinstance(dense.quantization_config, ScalarQuantization)
    assert (dense.quantization_config.scalar.type, dense.datatype) == (ScalarType.INT8, Datatype.FLOAT16)


def test_a_passage_without_its_states_is_read_without_them(server: Server) -> None:
    publish(ServerIndexStore(server), with_states_and_units())
    server.client.delete_payload(server.collection(1), ["states"], Filter())
    found = ServerIndex(server).search(asking("joints", axis=2, limit=4, states=True))
    assert [hit.states for hit in found] == [None] * 4


def test_states_that_cannot_be_read_say_what_to_do(server: Server) -> None:
    publish(ServerIndexStore(server), with_states_and_units())
    server.client.set_payload(server.collection(1), {"states": "no states"}, points=Filter())
    with pytest.raises(IndexFault, match="glossator ingest PATH"):
        ServerIndex(server).search(asking("joints", axis=2, limit=4, states=True))


def test_a_search_finds_what_the_embedded_engine_finds_with_the_same_scores(
    server: Server, tmp_path: Path
) -> None:
    entries = [*three_chapters(), *numbered_book(40, "robot node")]
    publish(ServerIndexStore(server), entries)
    publish(EmbeddedIndexStore(tmp_path), entries)
    with closing(EmbeddedIndex(tmp_path)) as embedded:
        for text in ("which robot has joints", "node 17", "publishers and subscribers"):
            here = ServerIndex(server).search(asking(text, axis=3, limit=50, candidates=50))
            there = embedded.search(asking(text, axis=3, limit=50, candidates=50))
            assert {hit.passage for hit in here} == {hit.passage for hit in there}
            for one, other in zip(by_place(here), by_place(there), strict=True):
                assert one.dense == pytest.approx(other.dense, abs=1e-3)
                assert (one.sparse or 0.0) == pytest.approx(other.sparse or 0.0, rel=1e-5)


def by_place(hits: Sequence[FoundPassage]) -> list[Scores]:
    return [hit.scores for hit in sorted(hits, key=lambda hit: hit.passage.chunk.chunk_id)]
