"""Citations: exact quotes, numbered as they come."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.answer.cite import Citations, lines_of
from glossator.answer.select import chunk_of
from glossator.model import Checked, Evidence, Origin, Selection, Span, Verdict
from support.answer_hits import evidence

TEXT = "First sentence here. Second one follows.\n\n- Item one\n- Item two\n\nFar away stands the last."


def cited(*words: str, source: Evidence | None = None) -> tuple[Citations, list[tuple[int, ...]]]:
    source = source or evidence(TEXT, start=100)
    citations, numbers = Citations(), []
    for some in words:
        start = source.chunk.text.index(some) + source.chunk.start
        numbers.append(
            citations.number(Checked(Verdict.SUPPORTED, 1.0, source, Span(start, start + len(some))))
        )
    return citations, numbers


def test_a_quote_is_exactly_its_characters():
    citations, _ = cited("Second one follows.")
    (one,) = citations.all()
    assert one.quote == "Second one follows." == TEXT[one.start - 100 : one.end - 100]


def test_what_follows_right_behind_is_the_same_citation():
    citations, numbers = cited("First sentence here.", "Second one follows.", "Item one", "Item two")
    assert numbers == [(1,), (1,), (1,), (1,)]
    assert citations.all()[0].quote == TEXT[: TEXT.index("Item two") + 8]


def test_what_stands_apart_has_its_own_number():
    _, numbers = cited("First sentence here.", "Far away stands the last.", "First sentence here.")
    assert numbers == [(1,), (2,), (1,)]


def test_what_nothing_carries_has_none():
    assert Citations().number(Checked(Verdict.UNSUPPORTED, 0.0)) == ()


def test_the_address_leads_to_the_very_words():
    citations, _ = cited("Far away stands the last.")
    assert citations.all()[0].url == "/a#here:~:text=Far%20away%20stands%20the%20last."


def test_of_a_long_quote_the_address_has_its_beginning_and_its_end():
    text = "One two three four five six seven eight nine ten eleven twelve thirteen, fourteen fif-teen."
    citations, _ = cited(text, source=evidence(text))
    assert citations.all()[0].url == (
        "/a#here:~:text=One%20two%20three%20four%20five%20six,"
        "ten%20eleven%20twelve%20thirteen%2C%20fourteen%20fif%2Dteen."
    )


@pytest.mark.parametrize(
    ("url", "section_url"),
    [
        ("/docs/a#nodes:~:text=A%20node", "/docs/a#nodes"),
        ("/docs/a#:~:text=A%20node", "/docs/a"),
        ("/docs/a#nodes", "/docs/a#nodes"),
        ("", ""),
    ],
)
def test_the_address_of_the_section_is_the_page_and_its_anchor(url: str, section_url: str):
    (one,) = cited("Item one")[0].all()
    assert replace(one, url=url).section_url == section_url


@pytest.mark.parametrize("page_url", [None, "/docs/a"])
def test_a_selection_stays_the_readers_text_when_the_address_of_its_page_is_sent(page_url: str | None):
    chunk = chunk_of(Selection(TEXT, page_url=page_url))
    (one,) = cited("Item one", source=replace(evidence(TEXT), chunk=chunk))[0].all()
    assert chunk.is_selection
    assert one.is_selection
    assert not evidence(TEXT).chunk.is_selection
    assert not replace(one, page="a.md", chapter="User Selection").is_selection


def test_code_has_an_address_without_words():
    text = "```bash\nros2 run\n```"
    citations, _ = cited(text, source=evidence(text))
    assert citations.all()[0].url == "/a#here"


def test_code_is_cited_with_the_words_that_lead_to_it():
    text = "Run this:\n\n```bash\nros2 run\n```\n\nThen wait."
    citations, numbers = cited("Run this:", "ros2 run", "Then wait.", source=evidence(text))
    assert numbers == [(1,), (1,), (1,)]
    assert citations.all()[0].quote == text


def test_lines_count_from_one_and_a_line_break_belongs_to_the_line_it_ends():
    text = "one\ntwo\nthree"
    assert lines_of(text, Span(0, 3)) == (1, 1)
    assert lines_of(text, Span(0, 4)) == (1, 1)
    assert lines_of(text, Span(2, 5)) == (1, 2)
    assert lines_of(text, Span(8, 13)) == (3, 3)


def test_what_a_page_includes_is_cited_at_the_line_that_includes_it():
    source = evidence("Look: fn main() {} and more.")
    included = Origin(Span(6, 18), Span(6, 30))
    origins = (Origin(Span(0, 6), Span(0, 6)), included, Origin(Span(18, 28), Span(30, 40)))
    source = replace(source, chunk=replace(source.chunk, origins=origins))
    (code,) = cited("fn main() {}", source=source)[0].all()
    assert (code.quote, code.start, code.end) == ("fn main() {}", 6, 30)
    (words,) = cited("and more.", source=source)[0].all()
    assert (words.quote, words.start, words.end) == ("and more.", 31, 40)
