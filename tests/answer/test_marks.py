"""What is a citation mark, and what are brackets of the book's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.text.markdown import citation_marks, clean, strip_citation_marks

KEPT = [
    "`a[0]`",
    "``a[0] ` b[1]``",
    "```python\na[0] = b[1]\n```",
    "~~~\na[0]\n~~~",
    "> ```\n> a[0]\n> ```",
    "```python\na[0]",
    "$x[1]$",
    "$$x[1] + y$$",
    r"see \[1\]",
    r"see \[1]",
    "`arr[i][2]` and `m[1][2]`",
]


@pytest.mark.parametrize("text", KEPT)
def test_brackets_in_code_and_formulas_are_no_marks(text: str):
    assert strip_citation_marks(text) == text
    assert strip_citation_marks(f"{text} [1][2]") == text or text.endswith("a[0]")


def test_marks_behind_code_are_marks():
    assert strip_citation_marks("Use `a[0]`[1] and `a[1]` [2].") == "Use `a[0]` and `a[1]`."
    assert [mark["n"] for mark in citation_marks("`a[7]` [1], costs $5 [2] and $6 [3].")] == ["1", "2", "3"]
    assert strip_citation_marks("```\na[0]\n```\n\n[1]") == "```\na[0]\n```\n\n"


def test_code_of_the_book_is_shown_as_it_stands_and_its_brackets_in_words_are_escaped():
    assert clean("[Read](x) `a[0]` first.") == "Read `a[0]` first."
    assert clean("As in [1] and `b[1]` *and* $x[1]$.") == r"As in \[1\] and `b[1]` *and* $x[1]$."


@given(st.text(st.sampled_from("a1[]`~$\\ \n"), max_size=60))
def test_nothing_but_marks_ever_goes(text: str):
    rest = strip_citation_marks(text)
    spans = [mark.span() for mark in citation_marks(text)]
    assert len(rest) == len(text) - sum(end - start for start, end in spans)
    assert all(text[start:end].strip(" \t[]").isdigit() for start, end in spans)
