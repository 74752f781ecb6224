"""What a passage is made of, and where that stands in the source."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from test_split import BOOK, SAMPLE_PAGES, documents, unlikely

from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.ingest.parse import Dialect
from glossator.model import Unit, UnitKind
from glossator.settings import load_settings
from support.page_properties import (
    CountTokens,
    cut_page,
    units_are_the_whole_reading,
    units_know_where_they_stand_in_the_reading,
)


def units(source: str, window: int = 254) -> list[Unit]:
    page = cut_page(source, Dialect.MDX, window=window)
    return [unit for passage in page.passages for unit in passage.units]


def texts(source: str) -> list[str]:
    return [source[unit.start : unit.end] for unit in units(source)]


def blocks(source: str) -> list[str]:
    return [source[unit.block.start : unit.block.end] for unit in units(source)]


def readings(source: str) -> list[str]:
    return [
        passage.reading[unit.reading.start : unit.reading.end]
        for passage in cut_page(source, Dialect.MDX).passages
        for unit in passage.units
    ]


def kinds(source: str) -> list[UnitKind]:
    return [unit.kind for unit in units(source)]


def test_a_short_paragraph_is_its_sentences():
    source = "# Title\n\nA node computes. It talks to others.\n\nAlone."
    assert texts(source) == ["A node computes.", "It talks to others.", "Alone."]
    assert blocks(source) == ["A node computes. It talks to others."] * 2 + ["Alone."]
    assert set(kinds(source)) == {UnitKind.PROSE}


def test_an_item_begins_after_its_mark_and_knows_the_outermost_list():
    source = "- One thing. And more.\n- Two:\n  1. Inner words.\n\n* Another list."
    assert texts(source) == ["One thing.", "And more.", "Two:", "Inner words.", "Another list."]
    assert set(kinds(source)) == {UnitKind.ITEM}
    first = "- One thing. And more.\n- Two:\n  1. Inner words."
    assert blocks(source) == [first] * 4 + ["* Another list."]


def test_the_lines_of_a_quote_are_read_without_their_marks():
    source = "> A sentence that\n> goes on here. And\n> another one."
    page = cut_page(source, Dialect.MDX)
    assert page.passages[0].reading == "A page\nA sentence that goes on here. And another one."
    assert texts(source) == ["A sentence that\n> goes on here.", "And\n> another one."]
    assert set(kinds(source)) == {UnitKind.PROSE}


def test_a_row_is_its_line_and_the_first_has_the_names_of_the_columns():
    source = "| Name | Rate |\n|---|---|\n| IMU | 200 Hz |\n| Lidar | 10 Hz |"
    assert texts(source) == ["| Name | Rate |\n|---|---|\n| IMU | 200 Hz |", "| Lidar | 10 Hz |"]
    assert blocks(source) == [source] * 2
    assert set(kinds(source)) == {UnitKind.ROW}


def test_a_fence_is_one_unit_with_its_marks():
    fence = "```python\nx = 1\n\ny = 2\n```"
    source = f"Do this:\n\n{fence}\n\nDone."
    assert texts(source) == ["Do this:", fence, "Done."]
    assert kinds(source) == [UnitKind.PROSE, UnitKind.CODE, UnitKind.PROSE]
    assert blocks(source)[1] == fence


def test_code_in_a_list_is_code_and_a_table_in_a_list_is_a_table():
    source = "1. Run:\n   ```sh\n   ls\n   ```\n2. See\n\n   | a | b |\n   |---|---|\n   | c | d |"
    assert kinds(source) == [UnitKind.ITEM, UnitKind.CODE, UnitKind.ITEM, UnitKind.ROW]
    assert texts(source)[1] == "```sh\n   ls\n   ```"
    assert texts(source)[3].startswith("| a | b |")


def test_a_fence_of_several_passages_is_one_unit_in_each_of_them():
    lines = "\n".join(f"value_{number} = {number}" for number in range(100))
    source = f"```python\n{lines}\n```"
    found = units(source, window=100)
    assert len(found) == len(cut_page(source, Dialect.MDX, window=100).passages) > 2
    assert {unit.block for unit in found} == {(0, len(source))}
    parts = [source[unit.start : unit.end] for unit in found]
    assert parts[0].startswith("```python\nvalue_0")
    assert "\n".join(parts) == source


def test_a_unit_knows_its_words_without_markup():
    source = "# Rates\n\nThe *IMU* is [fast](imu.md). Mind:\n\n- **ten** times\n\n| a | b |\n|---|---|\n| c | `d` |\n\n```sh\nls\n\npwd\n```"
    assert readings(source) == ["The IMU is fast.", "Mind:", "ten times", "a | b\nc | d", "ls\n\npwd"]
    [passage] = cut_page(source, Dialect.MDX).passages
    assert passage.heading == "A page > Rates"


def test_a_passage_without_units_is_all_heading():
    [passage] = cut_page("# Rates", Dialect.MDX).passages
    assert (passage.heading, passage.units) == ("A page > Rates", ())


def test_sentences_that_share_emphasis_stay_together():
    source = "Before. **Mind this. It bites.** After *it. Not* more. End."
    assert texts(source) == ["Before.", "**Mind this. It bites.**", "After *it. Not* more.", "End."]
    assert (
        cut_page(source, Dialect.MDX)
        .passages[0]
        .reading.endswith("Before. Mind this. It bites. After it. Not more. End.")
    )


def test_an_emphasis_that_never_ends_well_costs_nothing_but_its_units():
    source = "*" + "Go on. " * 30 + "Now*."
    [passage] = cut_page(source, Dialect.MDX).passages
    assert passage.reading.count("Go on.") == 30
    assert "*" not in passage.reading


def test_the_title_of_an_admonition_and_the_label_of_a_tab_stand_where_they_are_written():
    source = (
        ':::tip[Read this]\n\nBody.\n\n:::\n\n<TabItem value="py" label="Python">\n\nUse it.\n\n</TabItem>'
    )
    assert texts(source) == ["Read this", "Body.", "Python", "Use it."]


def test_a_footnote_begins_with_its_words():
    source = "Text.[^a]\n\n[^a]: Said elsewhere. Twice."
    assert texts(source) == ["Text.[^a]", "Said elsewhere.", "Twice."]


def test_raw_html_is_prose():
    page = cut_page("<div>\nWords <b>inside</b>.\n</div>", Dialect.COMMONMARK)
    [unit] = page.passages[0].units
    assert (unit.kind, unit.start) == (UnitKind.PROSE, 0)


def test_sentences_of_other_scripts_stand_apart():
    source = "机器人会走路。它也会说话！ روبوٹ چلتا ہے۔ کیا؟"
    assert texts(source) == ["机器人会走路。", "它也会说话！", "روبوٹ چلتا ہے۔", "کیا؟"]


@pytest.fixture(scope="module")
def count_tokens() -> CountTokens:
    """By the pieces of the bundled model."""
    return BundledEmbedder.open(load_settings().cache).count_tokens


@pytest.mark.parametrize("path", SAMPLE_PAGES, ids=lambda path: path.relative_to(BOOK).as_posix())
def test_heading_and_units_have_all_tokens_of_the_reading(path: Path, count_tokens: CountTokens):
    page = cut_page(path.read_text(encoding="utf-8"), Dialect.MDX, count_tokens)
    units_are_the_whole_reading(page)
    units_know_where_they_stand_in_the_reading(page)


@unlikely
@given(documents)
def test_heading_and_units_have_all_tokens_of_any_document(count_tokens: CountTokens, source: str):
    page = cut_page(source, Dialect.MDX, count_tokens)
    units_are_the_whole_reading(page)
    units_know_where_they_stand_in_the_reading(page)
