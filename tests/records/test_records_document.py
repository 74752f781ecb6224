"""An answer is read back exactly as it was stored, but for its trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.adapters.records.completing import (
    answer_from_json,
    answer_to_json,
    filters_from_json,
    filters_to_json,
    mapping_from_json,
    mapping_to_json,
    selection_from_json,
    selection_to_json,
    strings_from_json,
    strings_to_json,
)
from glossator.errors import RecordsOutdated
from glossator.model import Answer, Filters, Selection
from support.records_story import answer

# No text has half a character in it; NUL is looked at below.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBER = st.floats(allow_nan=False, allow_infinity=False)

WHOLE = st.integers(-(2**53), 2**53)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """All values of a type, of whatever our answers are made of."""
    known = {str: TEXT, float: NUMBER, int: WHOLE, bool: st.booleans(), type(None): st.none(), object: TEXT}
    inner = get_args(kind)
    if kind in known:
        return known[kind]
    if get_origin(kind) is tuple:
        return st.lists(values(inner[0]), max_size=3).map(tuple)
    if get_origin(kind) is Mapping:
        return st.dictionaries(*map(values, inner), max_size=3)
    if get_origin(kind) is UnionType:
        return st.one_of(*map(values, inner))
    if isinstance(kind, type) and is_dataclass(kind):
        return st.builds(kind, **{name: values(hint) for name, hint in get_type_hints(kind).items()})
    return st.sampled_from(kind)


ANSWERS = values(Answer)


@given(ANSWERS)
def test_every_answer_reads_back_without_its_trace(given: Answer):
    assert answer_from_json(answer_to_json(given)) == replace(given, trace=())


@given(values(Selection))
def test_every_selection_reads_back(selection: Selection):
    assert selection_from_json(selection_to_json(selection)) == selection


@given(values(Filters))
def test_all_filters_read_back(filters: Filters):
    assert filters_from_json(filters_to_json(filters)) == filters


@given(st.lists(TEXT).map(tuple))
def test_all_titles_read_back(strings: tuple[str, ...]):
    assert strings_from_json(strings_to_json(strings)) == strings


JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(TEXT, JSON, max_size=3))
def test_all_metadata_reads_back(metadata: dict[str, object]):
    assert mapping_from_json(mapping_to_json(metadata)) == metadata


@given(st.text(), st.text())
def test_whatever_a_model_says_can_be_stored_and_read(text: str, title: str):
    written = answer_to_json(answer(text, disclaimer=title))
    assert "\\u0000" not in written.replace("\\\\", "")
    written.encode("utf-8")
    answer_from_json(written)


def test_text_that_only_looks_like_an_escape_stays_as_it_is():
    said = r"In C a string ends with \0, in JSON that is \u0000."
    assert answer_from_json(answer_to_json(answer(said))).text == said


@pytest.mark.parametrize("document", ["{}", "not JSON", '{"id": "x", "outcome": "of another version"}'])
def test_what_another_version_wrote_is_an_error_of_ours(document: str):
    with pytest.raises(RecordsOutdated):
        answer_from_json(document)
