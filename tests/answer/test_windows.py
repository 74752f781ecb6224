"""What the reader reads at once."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.answer.windows import ROOM, neighbourhoods, parts_of, windows
from glossator.model import Passage, Span, Unit, UnitKind
from support.answer_hits import chunk
from support.answer_pages import passages_of

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs"

LISTING = "\n".join(["```python", *(f"    value_{number} = {number}" for number in range(60)), "```"])

sizes = st.lists(st.integers(1, 2 * ROOM), max_size=12)


def passage(*tokens: int) -> Passage:
    """A sentence of one letter for so many word pieces."""
    text = "".join("x." for _ in tokens)
    spans = [Span(2 * place, 2 * place + 2) for place in range(len(tokens))]
    units = tuple(
        Unit(UnitKind.PROSE, *span, size, Span(0, len(text)), span)
        for span, size in zip(spans, tokens, strict=True)
    )
    return Passage(chunk(text), 0, 0, len(text), text, units)


def test_a_short_passage_is_one_window_with_its_heading():
    [only] = windows(passages_of("# Nodes\n\nA node computes. It talks to others.")[0])
    assert only.heading == "A page > Nodes"
    assert only.texts == ["A node computes.", "It talks to others."]


def test_a_passage_of_headings_alone_has_nothing_to_read():
    assert windows(passage()) == []


@given(sizes)
def test_windows_together_cover_the_passage(tokens: list[int]):
    made = windows(passage(*tokens))
    assert {part.unit for window in made for part in window.parts} == set(range(len(tokens)))
    for window in made:
        places = [part.unit for part in window.parts]
        assert places == list(range(places[0], places[-1] + 1))


@given(sizes)
def test_a_window_has_room_unless_it_is_a_single_part(tokens: list[int]):
    for window in windows(passage(*tokens)):
        assert window.after - window.first <= ROOM or len(window.parts) == 1


@given(sizes)
def test_a_window_is_as_long_as_there_is_room(tokens: list[int]):
    for window in windows(passage(*tokens)):
        behind = window.parts[-1].unit + 1
        assert behind == len(tokens) or window.after - window.first + tokens[behind] > ROOM


@given(sizes)
def test_a_window_knows_its_word_pieces(tokens: list[int]):
    for window in windows(passage(*tokens)):
        first = window.parts[0].unit
        assert window.first == sum(tokens[:first])
        assert window.after - window.first == sum(part.tokens for part in window.parts)


@given(sizes)
def test_a_window_begins_near_the_middle_of_the_one_before(tokens: list[int]):
    for before, window in pairwise(windows(passage(*tokens))):
        middle = before.first + (before.after - before.first) // 2
        assert before.first < window.first <= before.after
        assert window.first <= middle or window.parts[0].unit == before.parts[0].unit + 1


def test_sentences_at_the_edge_of_one_window_stand_inside_another():
    made = windows(passage(*[20] * 15))
    assert [[part.unit for part in window.parts] for window in made][:2] == [
        [0, 1, 2, 3, 4],
        [2, 3, 4, 5, 6],
    ]


@given(sizes)
def test_a_claim_is_compared_with_each_part_and_those_beside_it(tokens: list[int]):
    made = neighbourhoods(passage(*tokens))
    assert len(made) == len(tokens)
    for place, window in enumerate(made):
        units = [part.unit for part in window.parts]
        assert units == [
            neighbour for neighbour in (place - 1, place, place + 1) if 0 <= neighbour < len(tokens)
        ]
        assert (window.first, window.after) == (sum(tokens[: units[0]]), sum(tokens[: units[-1] + 1]))


def test_code_is_read_by_its_lines():
    [only] = windows(passages_of("# Run\n\nRun this:\n\n```sh\nros2 run demo\n\n  --once\n```")[0])
    assert only.texts == ["Run this:", "ros2 run demo", "--once"]
    assert [part.unit for part in only.parts] == [0, 1, 1]


def test_a_long_listing_is_read_in_several_windows():
    passages = passages_of(f"# Values\n\n{LISTING}")
    read = [text for passage in passages for window in windows(passage) for text in window.texts]
    assert sorted(set(read), key=read.index) == [f"value_{number} = {number}" for number in range(60)]
    assert max(len(windows(passage)) for passage in passages) > 1


@pytest.mark.parametrize("page", sorted(BOOK.rglob("*.md*")), ids=lambda page: page.stem)
def test_the_parts_of_a_real_page_are_slices_of_its_reading_and_have_all_its_word_pieces(page: Path):
    for passage in passages_of(page.read_text("utf-8")):
        parts = parts_of(passage)
        assert sum(part.tokens for part in parts) == sum(unit.tokens for unit in passage.units)
        assert all(before.reading.end <= part.reading.start for before, part in pairwise(parts))
        for part in parts:
            unit = passage.units[part.unit]
            assert unit.reading.start <= part.reading.start < part.reading.end <= unit.reading.end
        for window in windows(passage):
            assert window.texts == [
                passage.reading[part.reading.start : part.reading.end] for part in window.parts
            ]
