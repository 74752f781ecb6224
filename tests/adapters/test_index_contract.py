"""What every index promises, whichever engine stands behind it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from glossator.errors import GenerationIncomplete, NoBookYet, NoEarlierGeneration, WrongModel
from glossator.model import Embedding, Filters
from glossator.ports import Index, IndexStore
from support.index_books import (
    OTHER,
    TOY,
    IndexUnderTest,
    asking,
    fill,
    manifest_of,
    meaning,
    numbered_book,
    pages,
    passage,
    publish,
    three_chapters,
    with_states_and_units,
)

STATES_NEARNESS = 0.8
"""How near token states come back to what they were, as a cosine."""


def test_a_passage_is_found_by_its_meaning(book: Index) -> None:
    assert pages(book, asking("nothing in common", axis=2))[0] == "urdf.md"


def test_a_passage_is_found_by_its_words(book: Index) -> None:
    assert pages(book, asking("which publishers?"))[0] == "topics.md"


@pytest.mark.parametrize("name", ["ros2_control", "ros2 control", "rclpy.spin", "rclpy", "RCLPY"])
def test_an_identifier_is_found_whole_and_in_parts(book: Index, name: str) -> None:
    assert pages(book, asking(name))[0] == "control.md"


def test_a_passage_that_both_legs_find_comes_first(book: Index) -> None:
    found = book.search(asking("joints", axis=2))
    assert found[0].passage.chunk.page == "urdf.md"
    assert found[0].scores.fused > found[1].scores.fused


def test_each_leg_says_what_it_thought(book: Index) -> None:
    by_page = {found.passage.chunk.page: found.scores for found in book.search(asking("URDF", axis=0))}
    assert by_page["nodes.md"].dense == pytest.approx(1.0)
    assert by_page["nodes.md"].sparse is None
    assert by_page["urdf.md"].dense == pytest.approx(0.0)
    assert by_page["urdf.md"].sparse is not None
    assert by_page["urdf.md"].sparse > 0


def test_a_passage_found_by_words_alone_still_has_its_cosine(place: IndexUnderTest) -> None:
    publish(place.index_store(), [*numbered_book(30, "filler"), *three_chapters()])
    query = asking("publishers", axis=9, limit=10, candidates=3)
    scores = [found.scores for found in place.index().search(query)]
    assert any(score.sparse is not None for score in scores)
    assert all(score.dense is not None for score in scores)


def test_no_more_passages_come_back_than_were_asked_for(place: IndexUnderTest) -> None:
    publish(place.index_store(), numbered_book(30, "robot"))
    assert len(place.index().search(asking("robot", limit=7))) == 7


def test_equal_passages_come_in_the_order_of_the_book(place: IndexUnderTest) -> None:
    entries = [
        (passage("same.md", "The same words.", index=index, number=number), meaning(4))
        for index in range(3)
        for number in range(3)
    ]
    publish(place.index_store(), entries)
    found = place.index().search(asking("nothing", axis=4, limit=5))
    assert [hit.passage for hit in found] == [passage for passage, _ in entries[:5]]


def test_a_passage_found_by_words_alone_is_placed_by_its_own_cosine(engine: IndexUnderTest) -> None:
    publish(engine.index_store(), three_chapters())
    found = engine.index().search(asking("publishers", axis=0, limit=1, candidates=1))
    assert [hit.passage.chunk.page for hit in found] == ["nodes.md"]


def test_a_question_of_stop_words_alone_still_finds_by_meaning(engine: IndexUnderTest) -> None:
    publish(engine.index_store(), three_chapters())
    assert pages(engine.index(), asking("what is the", axis=1))[0] == "topics.md"


def test_words_of_another_script_are_found(place: IndexUnderTest) -> None:
    urdu = (passage("urdu.md", "روبوٹ ایک مشین ہے"), meaning(5))
    publish(place.index_store(), [*three_chapters(), urdu])
    assert pages(place.index(), asking("روبوٹ"))[0] == "urdu.md"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(chapter=("Graph",)), {"nodes.md", "topics.md"}),
        (Filters(chapter=("Graph", "Models")), {"nodes.md", "topics.md", "urdf.md"}),
        (Filters(chapter=("Graph",), page=("urdf.md",)), set()),
        (Filters(page=("urdf.md",)), {"urdf.md"}),
        (Filters(page_title=("Urdf",)), {"urdf.md"}),
        (Filters(section=("Part 0",)), {"nodes.md", "topics.md", "urdf.md", "control.md"}),
        (Filters(section=("Part 1",)), set()),
        (Filters(url=("/docs/nodes#part-0",)), {"nodes.md"}),
    ],
)
def test_only_what_matches_every_filter_is_found(book: Index, filters: Filters, expected: set[str]) -> None:
    assert set(pages(book, asking("publishers joints node", axis=3, filters=filters))) == expected


def test_a_passage_comes_back_as_it_went_in(place: IndexUnderTest) -> None:
    entries = three_chapters()
    publish(place.index_store(), entries)
    found = place.index().search(asking("joints", axis=2, limit=1))
    assert [hit.passage for hit in found] == [entries[2][0]]


def test_a_passage_comes_back_with_its_units(place: IndexUnderTest) -> None:
    entries = with_states_and_units()
    publish(place.index_store(), entries)
    found = place.index().search(asking("joints", axis=2, limit=4))
    assert {hit.passage for hit in found} == {passage for passage, _ in entries}


def test_states_come_back_when_they_are_asked_for(place: IndexUnderTest) -> None:
    entries = with_states_and_units()
    publish(place.index_store(), entries)
    found = place.index().search(asking("joints", axis=2, limit=4, states=True))
    went_in = {passage.chunk.page: made.states for passage, made in entries}
    assert len(found) == 4
    for hit in found:
        expected = went_in[hit.passage.chunk.page]
        assert hit.states is not None
        assert expected is not None
        assert hit.states.dtype == np.float32
        assert np.linalg.norm(hit.states, axis=1) == pytest.approx(1, abs=1e-5)
        nearness = (hit.states * expected).sum(axis=1)
        assert nearness.min(initial=1) > STATES_NEARNESS


def test_states_change_nothing_else_of_what_is_found(place: IndexUnderTest) -> None:
    publish(place.index_store(), with_states_and_units())
    query = asking("publishers joints node", axis=3, filters=Filters(chapter=("Graph", "Models")))
    without = place.index().search(query)
    stated = place.index().search(replace(query, states=True))
    assert [replace(hit, states=None) for hit in stated] == without
    assert all(hit.states is None for hit in without)


def test_a_passage_that_was_stored_without_states_has_none(place: IndexUnderTest) -> None:
    publish(place.index_store(), [*three_chapters()[:1], *with_states_and_units()[1:]])
    found = place.index().search(asking("node", axis=0, limit=4, states=True))
    assert [hit.states is None for hit in found] == [True, False, False, False]


def test_the_states_of_a_text_without_words_are_no_rows(place: IndexUnderTest) -> None:
    empty = Embedding(meaning(0), np.zeros((0, 8), np.float32))
    publish(place.index_store(), [(passage("empty.md", "…"), empty)])
    [found] = place.index().search(asking("", axis=0, states=True))
    assert found.states is not None
    assert found.states.shape == (0, 8)


def test_states_follow_the_passages_through_many_editions(place: IndexUnderTest) -> None:
    for edition in range(6):
        entries = with_states_and_units(changed=edition)
        publish(place.index_store(), entries)
        found = place.index().search(asking("joints", axis=2, limit=4, states=True))
        states = {hit.passage.chunk.page: hit.states for hit in found}
        for stored, made in entries:
            rows = states[stored.chunk.page]
            assert rows is not None
            assert made.states is not None
            assert (rows * made.states).sum(axis=1).min(initial=1) > STATES_NEARNESS


def test_a_chunk_is_read_by_its_id(place: IndexUnderTest) -> None:
    entries = three_chapters()
    publish(place.index_store(), entries)
    assert place.index().chunk("topics.md#0") == entries[1][0].chunk
    assert place.index().chunk("topics.md#1") is None


def test_every_chunk_is_listed_once(place: IndexUnderTest) -> None:
    first = passage("long.md", "A long chunk.", number=0)
    second = passage("long.md", "A long chunk.", number=1)
    publish(place.index_store(), [(first, meaning(0)), (second, meaning(1)), *numbered_book(300, "robot")])
    listed = sorted(chunk.chunk_id for chunk in place.index().chunks())
    assert listed == sorted(["long.md#0", *(f"page-{n}.md#0" for n in range(300))])


def test_chunks_are_listed_page_by_page(place: IndexUnderTest) -> None:
    entries = [
        (passage(f"page-{page}.md", f"Part {part} of {page}.", index=part), meaning(part))
        for part in reversed(range(12))
        for page in (3, 1, 20, *range(100, 200))
    ]
    publish(place.index_store(), entries)
    listed = [(chunk.page, chunk.index) for chunk in place.index().chunks()]
    assert listed == sorted((passage.chunk.page, passage.chunk.index) for passage, _ in entries)


def test_the_manifest_comes_back_as_it_was_published(place: IndexUnderTest) -> None:
    manifest = publish(place.index_store(), three_chapters())
    assert place.index().manifest() == manifest
    assert place.index_store().current() == manifest


def test_before_the_first_ingest_there_is_no_book(place: IndexUnderTest) -> None:
    assert place.index_store().current() is None
    with pytest.raises(NoBookYet, match="glossator ingest"):
        place.index().manifest()
    with pytest.raises(NoBookYet):
        place.index().search(asking("anything"))


def test_an_index_opened_before_the_first_ingest_finds_the_book_after_it(place: IndexUnderTest) -> None:
    index = place.index()
    with pytest.raises(NoBookYet):
        index.manifest()
    publish(place.index_store(), three_chapters())
    assert pages(index, asking("joints", axis=2))[0] == "urdf.md"


def test_an_index_made_with_another_model_is_refused_by_name(engine: IndexUnderTest) -> None:
    publish(engine.index_store(), three_chapters(), OTHER)
    index = engine.index(expects=TOY)
    with pytest.raises(WrongModel, match=r"(?s)other.*toy.*glossator ingest PATH.*GLOSSATOR_EMBEDDER"):
        index.search(asking("joints"))
    with pytest.raises(WrongModel):
        index.manifest()


def test_an_index_made_with_the_expected_model_is_read(engine: IndexUnderTest) -> None:
    publish(engine.index_store(), three_chapters(), TOY)
    assert pages(engine.index(expects=TOY), asking("joints", axis=2))[0] == "urdf.md"


def test_a_build_that_lacks_passages_is_not_published(engine: IndexUnderTest) -> None:
    old = publish(engine.index_store(), three_chapters())
    entries = numbered_book(5, "robot")
    with engine.index_store().build(TOY, "english") as generation:
        fill(generation, entries[:-1])
        with pytest.raises(GenerationIncomplete, match="5 passages of 5 chunks and holds 4 of 4"):
            generation.publish(manifest_of(generation.number, entries))
    assert engine.index().manifest() == old


def test_a_build_that_is_given_up_leaves_the_old_book_serving(place: IndexUnderTest) -> None:
    old = publish(place.index_store(), three_chapters())
    with pytest.raises(KeyboardInterrupt):
        _build_and_give_up(place.index_store())
    assert place.index().manifest() == old
    assert publish(place.index_store(), numbered_book(3, "robot")).generation == old.generation + 1


def _build_and_give_up(index_store: IndexStore) -> None:
    with index_store.build(TOY, "english") as generation:
        fill(generation, numbered_book(5, "robot"))
        raise KeyboardInterrupt


def test_an_open_index_follows_to_the_new_generation(place: IndexUnderTest) -> None:
    publish(place.index_store(), three_chapters())
    index = place.index()
    assert pages(index, asking("joints", axis=2))[0] == "urdf.md"
    new = publish(place.index_store(), numbered_book(3, "robot"))
    assert index.manifest() == new
    assert set(pages(index, asking("robot"))) == {"page-0.md", "page-1.md", "page-2.md"}


def test_an_open_index_follows_back_to_the_generation_before(place: IndexUnderTest) -> None:
    old = publish(place.index_store(), three_chapters())
    publish(place.index_store(), numbered_book(3, "robot"))
    index = place.index()
    assert index.manifest().chunks == 3
    assert place.index_store().roll_back() == old
    assert place.index_store().current() == old
    assert place.index().manifest() == old
    assert pages(place.index(), asking("joints", axis=2))[0] == "urdf.md"
    with pytest.raises(NoEarlierGeneration):
        place.index_store().roll_back()


def test_what_is_built_after_a_rollback_goes_back_to_what_it_was_built_upon(place: IndexUnderTest) -> None:
    old = publish(place.index_store(), three_chapters())
    publish(place.index_store(), numbered_book(3, "robot"))
    place.index_store().roll_back()
    newest = publish(place.index_store(), numbered_book(5, "robot"))
    assert newest.generation == 3
    assert place.index_store().roll_back() == old


def test_without_a_book_there_is_nothing_to_go_back_to(place: IndexUnderTest) -> None:
    with pytest.raises((NoBookYet, NoEarlierGeneration)):
        place.index_store().roll_back()
    publish(place.index_store(), three_chapters())
    with pytest.raises(NoEarlierGeneration):
        place.index_store().roll_back()


def test_a_chunk_that_left_the_book_is_gone(place: IndexUnderTest) -> None:
    publish(place.index_store(), three_chapters())
    publish(place.index_store(), three_chapters()[:2])
    assert place.index().chunk("urdf.md#0") is None
    assert "urdf.md" not in pages(place.index(), asking("joints", axis=2))


def test_a_chunk_that_changed_in_its_place_is_read_as_it_is_now(place: IndexUnderTest) -> None:
    publish(place.index_store(), three_chapters())
    for edition in range(3):
        changed = (passage("urdf.md", f"Edition {edition} of joints."), meaning(5 + edition))
        publish(place.index_store(), [*three_chapters()[:2], changed])
        chunk = place.index().chunk("urdf.md#0")
        assert chunk is not None
        assert chunk.text == f"Edition {edition} of joints."
        assert pages(place.index(), asking("", axis=5 + edition))[0] == "urdf.md"
        assert len(list(place.index().chunks())) == 3


def test_searches_go_on_without_an_error_while_generations_change(place: IndexUnderTest) -> None:
    publish(place.index_store(), numbered_book(5, "generation1"))
    index = place.index()
    is_over = threading.Event()

    def read_until_it_is_over() -> list[set[str]]:
        seen: list[set[str]] = []
        while not is_over.is_set():
            found = index.search(asking("number"))
            seen.append({hit.passage.chunk.text.split()[0] for hit in found})
        return seen

    with ThreadPoolExecutor() as threads:
        readers = [threads.submit(read_until_it_is_over) for _ in range(3)]
        try:
            for number in range(2, 6):
                publish(place.index_store(), numbered_book(5, f"generation{number}"))
        finally:
            is_over.set()
    generations = [words for reader in readers for words in reader.result()]
    assert all(len(words) == 1 for words in generations), "a search never mixes two generations"
    assert len(set.union(*generations)) > 1


def test_a_removed_book_is_gone_and_can_be_built_again(place: IndexUnderTest) -> None:
    publish(place.index_store(), three_chapters())
    index = place.index()
    assert index.manifest()
    place.index_store().remove()
    assert place.index_store().current() is None
    with pytest.raises(NoBookYet):
        place.index().manifest()
    with pytest.raises(NoBookYet):
        place.index_store().remove()
    publish(place.index_store(), three_chapters())
    assert place.index().search(asking("which publishers?"))
