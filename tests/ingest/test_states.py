"""Token states in two bits a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from glossator.model import PackedStates

shapes = st.tuples(st.integers(0, 9), st.integers(1, 13))
rows = shapes.flatmap(lambda shape: arrays.arrays(np.float32, shape, elements=st.floats(-1, 1, width=32)))


@given(rows)
def test_states_of_any_shape_come_back_in_that_shape_and_of_length_one(states: np.ndarray) -> None:
    back = PackedStates.of(states).unpacked()
    assert (back.shape, back.dtype) == (states.shape, np.float32)
    assert np.isfinite(back).all()
    if np.abs(states).max(initial=0) > 0.01:
        assert np.linalg.norm(back, axis=1) == pytest.approx(1, abs=1e-5)


def test_states_come_back_near_to_what_they_were_though_their_columns_differ_in_size() -> None:
    random = np.random.default_rng(0)
    states = random.normal(size=(175, 128)) * np.geomspace(1, 0.02, 128)
    states = (states / np.linalg.norm(states, axis=1, keepdims=True)).astype(np.float32)
    back = PackedStates.of(states).unpacked()
    assert (back * states).sum(axis=1).mean() > 0.93


def test_a_passage_of_175_tokens_takes_less_than_six_kilobytes() -> None:
    states = np.random.default_rng(0).normal(size=(175, 128)).astype(np.float32)
    assert len(PackedStates.of(states).content) < 6000


@pytest.mark.parametrize("content", [b"", b"\x00", b"\x04\x00", b"\x04\x00abcdefg" + b"x", b"\x00\x00x"])
def test_a_content_that_is_no_states_is_an_error(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        PackedStates(content[:3]).unpacked()
