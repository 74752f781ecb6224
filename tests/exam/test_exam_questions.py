"""The questions that a book asks of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import Lexicon
from glossator.question_generation import (
    BookSection,
    GeneratedQuestion,
    SectionPlace,
    code_questions,
    definition_questions,
    first_sentence,
    follow_ups,
    foreign_questions,
    heading_questions,
    number_questions,
    sections_of,
    table_follow_ups,
    table_questions,
)
from glossator.testing import MemoryCache, MemoryIndex, MemoryIndexStore, SilentProgress, WordEmbedder
from glossator.text.words import stems
from support.harbour_book import PAGES, write_book

BODY = (
    "\n\nIt is told here in so many words that there is surely something to answer such a question from.\n\n"
)


def read(folder: Path, language: str = "english") -> MemoryIndex:
    index_store = MemoryIndexStore()
    tools = IngestTools(
        embedder=WordEmbedder(),
        index_store=index_store,
        cache=MemoryCache(),
        progress=SilentProgress(),
        language=language,
    )
    ingest(folder, site_of(folder, kind=SiteKind.PLAIN), tools)
    return MemoryIndex(index_store)


def book_sections(folder: Path) -> list[BookSection]:
    return list(sections_of(read(write_book(folder)).chunks()))


def sections(folder: Path, text: str) -> list[BookSection]:
    folder.joinpath("page.md").write_text(text, encoding="utf-8")
    return list(sections_of(read(folder).chunks()))


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Lamp Oil", "What is lamp oil?"),
        ("3.2 Quaternions", "What are quaternions?"),
        ("Chapter 4: Kinematics", "What is kinematics?"),
        ("What a topic is", "What is a topic?"),
        ("What is a topic?", "What is a topic?"),
        ("Introduction to Ownership", "What is ownership?"),
        ("Creating a Workspace", "How do you create a workspace?"),
        ("Running the Tests", "How do you run the tests?"),
        ("Installing Packages", "How do you install packages?"),
        ("Install the driver", "How do you install the driver?"),
        ("Test coverage", "What is test coverage?"),
        ("Test the driver", "How do you test the driver?"),
        ("Cloning avoids moves", "Is it true that cloning avoids moves?"),
        ("Using if in a let statement", "How do you use if in a let statement?"),
        ("Why lamps smoke", "Can you explain why lamps smoke?"),
        ("Sloops and cutters compared", "How do sloops and cutters compare?"),
        ("Three Rigs", "What are the three rigs?"),
        ("Lamp Oil (15 minutes)", "What is lamp oil?"),
        ("Threads vs. processes", "What is the difference between threads and processes?"),
        ("Services: ask once, get one answer", "What are services?"),
        ("Example: zeroing a sensor", "How do you zero a sensor?"),
        ("Emergency stops and stop categories", "What are emergency stops and stop categories?"),
    ],
)
def test_a_heading_is_asked_as_a_reader_would_ask_it(tmp_path: Path, heading: str, question: str):
    text = f"# Book\n\n## {heading}{BODY}## Other{BODY}So much for {heading.lower()}, which others zero.\n"
    asked = [generated.text for generated in heading_questions(sections(tmp_path, text), "english")]
    assert question in asked


@pytest.mark.parametrize(
    "heading",
    [
        "Summary",
        "Exercises",
        "Further Reading",
        "Step 3: Build",
        "How It Works",
        "Your First Node",
        "What's Next?",
        "`move_to()`",
        "Required",
        "Method 3: by hand",
        "From the lamp to the wall",
        "Worked example: does the bell ring?",
    ],
)
def test_a_heading_that_says_nothing_by_itself_is_not_asked(tmp_path: Path, heading: str):
    text = f"# Book\n\n## {heading}{BODY}"
    assert not heading_questions(sections(tmp_path, text), "english")


def test_a_heading_that_stands_over_many_sections_is_not_asked(tmp_path: Path):
    text = "# Book\n\n" + "".join(f"## Harbour {name}{BODY}### Tide tables{BODY}" for name in "abc")
    asked = [question.text for question in heading_questions(sections(tmp_path, text), "english")]
    assert not [question for question in asked if "tide" in question]


def test_a_heading_over_nothing_but_code_is_not_asked(tmp_path: Path):
    code = "\n\n```sh\n" + "build the whole house and everything that stands around it\n" * 4 + "```\n\n"
    assert not heading_questions(sections(tmp_path, f"# Book\n\n## Compiler flags{code}"), "english")


def test_a_sentence_that_defines_a_term_becomes_a_question(tmp_path: Path):
    asked = {
        question.text: question
        for question in definition_questions(
            list(sections_of(read(write_book(tmp_path)).chunks())), "english"
        )
    }
    assert "What is a tally board?" in asked
    assert "What is caulking?" in asked
    assert "What is warden?" in asked
    (place,) = asked["What is a tally board?"].places
    assert (place.page, place.title) == ("gates.md", "What a tally board is")
    (fact,) = asked["What is a tally board?"].facts
    assert fact == (
        "A tally board is a painted plank on which the warden chalks every boat that passes a gate."
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "*q* is the number of boats.",
        "`q` is a boat.",
        "**Low Latency**: voice commands need replies in less than three seconds.",
        "**Installation**: follow the guide to set up your boat and all that is in it.",
        "Aborted is a state of the goal.",
        "Seamanship is the study of those questions.",
    ],
)
def test_what_is_no_term_of_the_book_is_not_asked(tmp_path: Path, sentence: str):
    text = f"# Book\n\n{sentence} Then q is told, and low latency and aborted boats, and the installation.\n"
    assert not definition_questions(sections(tmp_path, text), "english")


def test_a_cell_of_a_table_is_asked_for_by_its_row_and_its_column(tmp_path: Path):
    asked = {question.text: question for question in table_questions(book_sections(tmp_path), "english")}
    assert asked["What is the fee of the trawler?"].facts == ("40 crowns",)
    assert asked["What is the purpose of the barge?"].facts == ("new chains for the sluice",)
    assert not [text for text in asked if "dinghy" in text]


def test_a_row_without_a_name_is_not_asked_for(tmp_path: Path):
    text = "# Boats\n\n| Boat | Description |\n|---|---|\n|  | It has no name at all, for now. |\n| trawler | It tows a net. |\n"
    asked = [question.text for question in table_questions(sections(tmp_path, text), "english")]
    assert all("trawler" in question for question in asked)


def test_a_follow_up_asks_the_same_of_the_next_row(tmp_path: Path):
    asked = [
        (question.after, question.text, question.facts)
        for question in table_follow_ups(book_sections(tmp_path), "english")
    ]
    assert ("What is the fee of the trawler?", "What about the barge?", ("65 crowns",)) in asked


def test_a_follow_up_calls_what_was_defined_by_a_pronoun():
    place = SectionPlace("a.md", "A", "/a", 0, 9)
    term = GeneratedQuestion("What is a sluice?", "sluice", (place,), ("A sluice is a gate.",))
    tasks = [
        GeneratedQuestion(text, "", (place,))
        for text in (
            "How do you open a sluice at night?",
            "How do you mend sluices?",
            "What is the difference between a sluice and a gate?",
            "How do you open a gate?",
        )
    ]
    assert [(question.after, question.text) for question in follow_ups([term], tasks)] == [
        ("What is a sluice?", "How do you open one at night?"),
        ("What is a sluice?", "How do you mend them?"),
        ("What is a sluice?", "How does it differ from a gate?"),
    ]


def test_a_number_is_asked_for_by_what_it_counts(tmp_path: Path):
    asked = {
        question.text: question.facts for question in number_questions(book_sections(tmp_path), "english")
    }
    assert asked == {"How many leaves does a dues book have?": ("300 leaves",)}


def test_code_is_asked_for_by_the_heading_over_it(tmp_path: Path):
    found = book_sections(tmp_path)
    asked = {
        question.text: question.facts
        for question in code_questions(heading_questions(found, "english"), found)
    }
    assert asked == {"What is the command to open the sluice?": ("sluice --turns 8 --wait level",)}


def test_what_two_sections_define_is_asked_once_and_either_may_answer(tmp_path: Path):
    text = "# Book\n\n## Here\n\nA capstan is a winch.\n\n## There\n\nA capstan is a drum that is turned by hand.\n"
    (question,) = definition_questions(sections(tmp_path, text), "english")
    assert [place.title for place in question.places] == ["Here", "There"]


def test_a_sentence_about_something_said_before_defines_nothing(tmp_path: Path):
    text = (
        "# Book\n\nThis is a winch. It is a drum. The result is a number. There are the ropes of the winch.\n"
    )
    assert not definition_questions(sections(tmp_path, text), "english")


def test_a_section_is_all_of_its_source_and_its_place_has_what_stands_below(tmp_path: Path):
    long = "\n\n".join(
        f"Paragraph {number} tells of boat {number}. {'It sails on. ' * 40}" for number in range(30)
    )
    source = f"# Book\n\nBegin.\n\n## Boats\n\n{long}\n\n### Masts\n\nTall.\n\n## Lamps\n\nBright.\n"
    found = {section.title: section for section in sections(tmp_path, source)}
    assert found["Boats"].body.strip() == long.strip()
    place = found["Boats"].place
    assert source[place.start : place.end].startswith("## Boats")
    assert source[place.start : place.end].rstrip().endswith("### Masts\n\nTall.")
    assert source[found["Book"].place.start : found["Book"].place.end] == source.rstrip()


def test_the_first_sentence_of_a_section_is_whole_and_without_markup(tmp_path: Path):
    text = "# Book\n\n```sh\nrun\n```\n\nNo.\n\nA *red* lamp stands on [the left](lamps.md) wall. So be it.\n"
    (section,) = sections(tmp_path, text)
    assert first_sentence(section) == "A red lamp stands on the left wall."


def test_questions_from_elsewhere_leave_out_what_the_book_knows():
    nothing = Lexicon("english", 100, {})
    every = foreign_questions(nothing)
    sourdough = "How long should I knead sourdough before proofing it overnight?"
    assert len(every) >= 100
    assert sourdough in every
    bread = dict.fromkeys(stems("long knead sourdough proofing overnight", "english"), 30)
    assert sourdough not in foreign_questions(Lexicon("english", 100, bread))


def test_a_book_in_another_language_is_asked_by_its_bare_headings(tmp_path: Path):
    body = "\n\nDas Öl wird aus Raps gepresst, riecht nicht und brennt in jeder Lampe elf lange Nächte hindurch ruhig.\n\n"
    tmp_path.joinpath("seite.md").write_text(f"# Buch\n\n## Das Lampenöl{body}", encoding="utf-8")
    found = list(sections_of(read(tmp_path, "german").chunks()))
    assert [question.text for question in heading_questions(found, "german")] == ["Das Lampenöl"]
    assert not definition_questions(found, "german")


def test_the_book_of_the_other_tests_is_asked_about_what_it_tells(tmp_path: Path):
    asked = {
        question.text
        for question in heading_questions(list(sections_of(read(write_book(tmp_path)).chunks())), "english")
    }
    assert "How do you open the sluice?" in asked
    assert "What is the difference between red lamps and green lamps?" in asked
    assert not [question for question in asked if "summary" in question.lower()]
    assert len(asked) >= len(PAGES)
