"""What must be true of every page, over the sample book and over documents nobody would write."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glossator.ingest.parse import Dialect
from glossator.ingest.split import OVERLAP, SIZE
from support.page_properties import check_page, cut_page

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs"
SAMPLE_PAGES = sorted([*BOOK.rglob("*.md"), *BOOK.rglob("*.mdx")])

words = st.lists(
    st.sampled_from(
        [
            "a",
            "robot",
            "moves",
            "its",
            "arm.",
            "Why?",
            "It",
            "was",
            "told",
            "to!",
            "URDF,",
            "e.g.",
            "ros2_control",
            "v1.2",
            "کیا",
            "ہے؟",
            "机器人。",
            "`x.y`",
            "$a_1$",
        ]
    ),
    min_size=1,
    max_size=60,
).map(" ".join)
headings = st.builds(
    lambda level, text: f"{'#' * level} {text}", st.integers(1, 6), words.map(lambda w: w[:40])
)
fences = st.builds(
    lambda mark, lines: f"{mark}bash\n# {lines}\n## not a heading\n{mark}",
    st.sampled_from(["```", "~~~", "````"]),
    words,
)
items = st.lists(words, min_size=1, max_size=12).map(lambda texts: "\n".join(f"- {text}" for text in texts))
nested = st.lists(words, min_size=1, max_size=5).map(
    lambda texts: "\n".join(f"{'  ' * i}- {t}" for i, t in enumerate(texts))
)
tables = st.lists(words.map(lambda w: w.replace("|", "")[:80]), min_size=1, max_size=30).map(
    lambda rows: "| a | b |\n|---|---|\n" + "\n".join(f"| {row} | 1 |" for row in rows)
)
odd = st.sampled_from(
    [
        "```python\nprint(1)",
        ":::note[Mind this]\n\nIt bites.\n\n:::",
        "<Tabs>\n<TabItem value='a' label='Ay'>\n\nInside.\n\n</TabItem>\n</Tabs>",
        "import X from '@site/x';\n\nexport const y = {\n  a: 1,\n\n  b: 2,\n};",
        "<!-- a comment\nof two lines -->",
        "{/* another */}",
        "> quoted words.\n> - with a list",
        "$$\nx = \\frac{1}{2}\n$$",
        "Title\n-----",
        "[ref]: https://example.com 'Title'",
        "[^1]: A footnote that says something.",
        "![A robot arm](arm.png) and [a link](./x.md#y).",
        "<details>\n<summary>More</summary>\n\nHidden words.\n\n</details>",
        "***",
        "    indented code or not",
        "x" * 3000,
        "word " * 1500,
        "\\{ \\< & &amp; \x00 \u2028 \x0b",
    ]
)
blocks = st.one_of(headings, words, words, fences, items, nested, tables, odd)
joined = st.lists(blocks, max_size=25).map("\n\n".join)
front = st.sampled_from(
    ["", "---\ntitle: A\n---\n", "---\n: broken [\n---\n", "---\n---\n", "---\nnever closed\n"]
)
documents = st.builds(
    lambda front, body, newline: (front + body).replace("\n", newline),
    front,
    joined,
    st.sampled_from(["\n", "\r\n", "\r"]),
)
unlikely = settings(
    max_examples=150, deadline=None, suppress_health_check=cast("list[HealthCheck]", list(HealthCheck))
)


@pytest.mark.parametrize("path", SAMPLE_PAGES, ids=lambda path: path.relative_to(BOOK).as_posix())
def test_every_property_holds_on_the_sample_book(path: Path):
    check_page(cut_page(path.read_text(encoding="utf-8"), Dialect.MDX))


@unlikely
@given(documents, st.sampled_from(Dialect))
def test_every_property_holds_on_generated_documents(source: str, dialect: Dialect):
    check_page(cut_page(source, dialect))


@unlikely
@given(st.text(), st.sampled_from(Dialect))
def test_any_text_at_all_is_read_and_its_chunks_are_slices_of_it(source: str, dialect: Dialect):
    page = cut_page(source, dialect)
    assert all(page.source[chunk.start : chunk.end] == chunk.text for chunk in page.chunks)


@unlikely
@given(documents)
def test_the_same_page_gets_the_same_ids_and_cuts(source: str):
    first, second = cut_page(source, Dialect.MDX), cut_page(source, Dialect.MDX)
    assert first.chunks == second.chunks
    assert [passage.point_id for passage in first.passages] == [
        passage.point_id for passage in second.passages
    ]


def test_an_empty_page_has_no_chunks():
    for source in (
        "",
        "\n\n",
        "---\ntitle: Nothing\n---\n",
        "\ufeff".strip("\ufeff"),
        "<!-- only a comment -->",
    ):
        assert cut_page(source, Dialect.COMMONMARK).chunks == []


def test_a_page_of_200_000_words_is_cut_whole():
    source = "# Long\n\n" + "\n\n".join(f"Paragraph {n} says a thing. " * 8 for n in range(5000))
    page = cut_page(source, Dialect.COMMONMARK)
    assert page.chunks[0].start == 0
    assert page.chunks[-1].end == len(source.rstrip())
    assert all(SIZE.least <= chunk.token_count <= SIZE.most for chunk in page.chunks)


def test_neighbours_of_one_section_overlap_by_whole_sentences():
    source = "# One\n\n" + " ".join(f"Sentence number {n} stands here alone." for n in range(400))
    chunks = cut_page(source, Dialect.COMMONMARK).chunks
    assert len(chunks) > 2
    for before, after in itertools.pairwise(chunks):
        repeated = source[after.start : before.end]
        assert repeated.startswith("Sentence number")
        assert OVERLAP // 2 < len(repeated.split()) + repeated.count(".") <= OVERLAP


def test_sections_that_are_long_enough_stand_alone():
    section = " ".join(["Word upon word is written here."] * 90)
    page = cut_page(f"# Title\n\n## First\n\n{section}\n\n## Second\n\n{section}", Dialect.COMMONMARK)
    assert [chunk.sections[-1].title for chunk in page.chunks] == ["First", "Second"]


def test_small_neighbours_under_one_parent_are_joined_and_each_keeps_its_anchor():
    page = cut_page("# Title\n\n## First\n\nOne.\n\n## Second\n\nTwo.", Dialect.COMMONMARK)
    [chunk] = page.chunks
    assert [section.title for section in chunk.sections] == ["Title", "First", "Second"]
    assert [passage.section.title for passage in page.passages] == ["First", "Second"]
    assert [passage.url for passage in page.passages] == ["/page#h1", "/page#h2"]


def test_a_passage_begins_with_the_title_and_the_headings_above_it():
    page = cut_page("# Nodes\n\n## Executors\n\n### Single\n\nOne thread.", Dialect.COMMONMARK)
    assert [passage.reading for passage in page.passages] == [
        "A page > Nodes > Executors > Single\nOne thread."
    ]
