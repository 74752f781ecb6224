"""A passage and a manifest survive being written down."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.adapters.index.generations import StoredManifest, read_manifest
from glossator.adapters.index.payload import mark_of, passage_of, payload_of
from glossator.errors import IndexFault
from glossator.model import Chunk, Lexicon, Manifest, PageRecord, Passage, Section, Span, Unit, UnitKind
from support.index_books import manifest_of, three_chapters

sections = st.builds(Section, path=st.lists(st.text()).map(tuple))
chunks = st.builds(Chunk, sections=st.lists(sections, min_size=1, max_size=4).map(tuple))
passages = st.builds(Passage, chunk=chunks, units=st.lists(st.builds(Unit), max_size=5).map(tuple))
lexicons = st.builds(Lexicon, counts=st.dictionaries(st.text(), st.integers()))
orders = st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.text(), max_size=4).map(tuple)
pages = st.lists(st.builds(PageRecord, order=orders), max_size=4).map(tuple)
manifests = st.builds(Manifest, lexicon=lexicons, pages=pages)


@given(passages)
def test_a_passage_comes_back_from_its_payload_as_it_was(passage: Passage) -> None:
    stored = json.loads(json.dumps(payload_of(passage, "2026-01-01T00:00:00Z")))
    assert passage_of(stored) == passage


def test_a_passage_whose_units_moved_has_another_mark() -> None:
    passage, _ = three_chapters()[0]
    unit = Unit(UnitKind.PROSE, 0, 10, 3, Span(0, 10), Span(6, 16))
    others = [
        unit._replace(kind=UnitKind.ITEM),
        unit._replace(tokens=4),
        unit._replace(block=Span(0, 11)),
        unit._replace(reading=Span(7, 17)),
    ]
    marks = {
        mark_of(replace(passage, units=units)) for units in ((), (unit,), *((other,) for other in others))
    }
    assert len(marks) == 6


def test_the_payload_has_the_fields_other_tools_rely_on() -> None:
    passage, _ = three_chapters()[0]
    payload = payload_of(passage, "2026-01-01T00:00:00Z")
    assert {
        name: payload[name] for name in ("chunk_id", "page", "page_title", "chapter", "section", "url")
    } == {
        "chunk_id": "nodes.md#0",
        "page": "nodes.md",
        "page_title": "Nodes",
        "chapter": "Graph",
        "section": "Part 0",
        "url": "/docs/nodes#part-0",
    }
    assert payload["text"] == passage.chunk.text
    assert {"chunk_index", "content_hash", "token_count", "start", "end", "created_at"} <= set(payload)


def test_a_passage_belongs_to_the_section_it_begins_in() -> None:
    chunk = Chunk(
        page="a.md",
        page_title="A",
        page_url="/a",
        chapter="",
        index=0,
        sections=(Section("One", "one", ("One",), 0), Section("Two", "two", ("Two",), 10)),
        text="x" * 20,
        start=0,
        end=20,
        token_count=2,
        content_hash="",
    )
    payload = payload_of(Passage(chunk, 1, 12, 20, "Two"), "")
    assert (payload["section"], payload["url"]) == ("Two", "/a#two")


@pytest.mark.parametrize("units", ["", "[1,2,3]", "[0,0,1,1,0,1]", "[99,0,1,1,0,1,0,1]", '["a"]'])
def test_a_payload_whose_units_are_none_is_refused(units: str) -> None:
    payload = payload_of(three_chapters()[0][0], "") | {"units": units}
    with pytest.raises(IndexFault, match="glossator ingest PATH"):
        passage_of(payload)


@pytest.mark.parametrize("payload", [None, {}, {"chunk_id": "a#0"}])
def test_a_payload_of_another_make_is_refused(payload: dict[str, object] | None) -> None:
    with pytest.raises(IndexFault, match="glossator ingest PATH"):
        passage_of(payload)


def test_a_payload_with_a_field_of_another_kind_is_refused() -> None:
    payload = payload_of(three_chapters()[0][0], "") | {"start": "0"}
    with pytest.raises(IndexFault):
        passage_of(payload)


@given(manifests)
def test_a_manifest_comes_back_as_it_was(manifest: Manifest) -> None:
    written = StoredManifest(language="english", manifest=manifest).model_dump_json()
    assert read_manifest(written, "a test").manifest == manifest


def test_a_manifest_of_a_later_format_is_refused() -> None:
    stored = StoredManifest(language="english", manifest=manifest_of(1, three_chapters()))
    later = json.dumps(stored.model_dump(mode="json") | {"format": 99})
    with pytest.raises(IndexFault, match="glossator ingest PATH"):
        read_manifest(later, "a test")
