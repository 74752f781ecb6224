"""Broad questions, answered from the table of contents."""

from __future__ import annotations

import pytest

from glossator.answer.outline import outline
from glossator.answer.route.broad import NamedPart, NumberedPart, WholeBook
from glossator.model import EmbedderIdentity, Lexicon, Manifest, PageRecord


def book(*pages: tuple[str, str, str]) -> Manifest:
    """Of chapter, title and path."""
    records = tuple(PageRecord(path, title, f"/{path}", chapter, "", 1, "") for chapter, title, path in pages)
    return Manifest(
        generation=1,
        book="robots",
        site="plain",
        embedder=EmbedderIdentity("words", 8, 254, "words"),
        splitter="1",
        lexicon=Lexicon("english", 10, {}),
        pages=records,
        chunks=len(records),
        passages=len(records),
        content_hash="",
        created_at="2025-01-01T00:00:00Z",
    )


NUMBERED_FOLDERS = book(
    ("Introduction", "Introduction", "docs/intro.md"),
    ("Foundations", "The Robot Stack", "docs/01-foundations/01-stack.md"),
    ("Foundations", "The Math You Need", "docs/01-foundations/02-math.md"),
    ("ROS 2", "Nodes: The Building Blocks", "docs/02-ros2/01-nodes.md"),
    ("Perception and Navigation", "SLAM: Mapping While Lost", "docs/03-perception/01-slam.md"),
    ("Glossary", "Glossary", "docs/glossary.md"),
)


def told(question: str, manifest: Manifest = NUMBERED_FOLDERS) -> list[str]:
    """The titles that were listed."""
    return [piece.text.strip("\n- ") for piece in outline(question, manifest).pieces if piece.pages]


def test_the_whole_book_is_told_by_its_chapters_in_reading_order():
    found = outline("What is this book about?", NUMBERED_FOLDERS)
    assert found.asked == WholeBook()
    assert found.found
    assert "".join(piece.text for piece in found.pieces) == (
        "These are the chapters of *robots*, in reading order:\n\n"
        "- Introduction\n- Foundations\n- ROS 2\n- Perception and Navigation\n- Glossary"
    )
    assert [piece.pages[0].path for piece in found.pieces[1:3]] == [
        "docs/intro.md",
        "docs/01-foundations/01-stack.md",
    ]


def test_a_chapter_is_told_by_its_pages():
    assert told("What does chapter 1 cover?") == ["The Robot Stack", "The Math You Need"]
    assert told("summarise the second chapter") == ["Nodes: The Building Blocks"]


def test_a_number_that_the_book_does_not_have_is_answered_with_those_it_has():
    found = outline("What does chapter 6 cover?", NUMBERED_FOLDERS)
    assert found.asked == NumberedPart("chapter", 6)
    assert not found.found
    assert found.pieces[0].text.startswith("There is no chapter 6 in *robots*.")
    assert "- ROS 2" in [piece.text.strip() for piece in found.pieces]


def test_a_chapter_with_a_title_that_the_book_does_not_have_is_not_taken_for_the_one_of_its_number():
    assert not outline("Summarize chapter 2, Advanced Grasping.", NUMBERED_FOLDERS).found
    assert told("Summarize chapter 2, ROS Nodes.") == ["Nodes: The Building Blocks"]


def test_a_chapter_or_a_page_is_found_by_its_name():
    assert told("what is the perception chapter about?") == ["SLAM: Mapping While Lost"]
    assert told("What does the chapter on the robot stack cover?") == ["The Robot Stack"]
    assert outline("what does the cooking chapter cover?", NUMBERED_FOLDERS).asked == NamedPart("cooking")
    assert not outline("what does the cooking chapter cover?", NUMBERED_FOLDERS).found


def test_a_section_is_a_page_of_that_name_and_not_the_chapter_around_it():
    manifest = book(
        ("Understanding Ownership", "Understanding Ownership", "ch04-00-ownership.md"),
        ("Understanding Ownership", "What Is Ownership?", "ch04-01-what-is-ownership.md"),
        ("Understanding Ownership", "The Slice Type", "ch04-03-slices.md"),
    )
    assert len(told("summarize the ownership chapter", manifest)) == 3
    assert told("recap the ownership section (4.1) in a few bullets please", manifest) == [
        "What Is Ownership?"
    ]


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("What does chapter 3 cover?", ["Isaac Sim", "Nav2"]),
        ("what is in module 2?", ["Digital Twins"]),
        ("what does chapter 2 cover?", ["Digital Twins"]),
        ("What does lesson 1 cover?", ["Isaac Sim", "Digital Twins"]),
    ],
)
def test_the_words_that_a_book_uses_for_its_parts_are_understood(question: str, titles: list[str]):
    manifest = book(
        ("Chapter 3: The Brain", "Isaac Sim", "brain/lesson01_isaac.md"),
        ("Chapter 3: The Brain", "Nav2", "brain/lesson02_nav2.md"),
        ("Twins", "Digital Twins", "module02/lesson01_twins.md"),
    )
    assert told(question, manifest) == titles


def test_a_book_without_numbers_is_counted():
    manifest = book(
        ("Start", "Hello", "start.md"), ("Middle", "2D Worlds", "middle/2d.md"), ("End", "Bye", "end.md")
    )
    assert told("What does chapter 2 cover?", manifest) == ["2D Worlds"]
    assert told("What does chapter iii cover?", manifest) == ["Bye"]
    assert not outline("What does chapter 4 cover?", manifest).found


def test_a_book_of_many_pages_is_cut_short_and_says_so():
    manifest = book(*((f"Part {n}", f"Title {n}", f"{n}.md") for n in range(1, 101)))
    found = outline("List the chapters", manifest)
    assert len(found.pieces) == 42
    assert found.pieces[-1].text.strip() == "There are 60 more."


def test_titles_stand_as_they_are():
    manifest = book(("A *star* [1]", "x", "a.md"))
    assert outline("list the chapters", manifest).pieces[1].text == "\n\n- A \\*star\\* \\[1\\]"


def test_an_empty_book_has_nothing_to_tell():
    assert not outline("what is this book about?", book()).found
