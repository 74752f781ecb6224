"""What a writer says in pieces becomes sentences and blocks."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from glossator.answer.assemble import Assembler

TOLD = (
    "A node is a process. [1] It talks over topics [2]. Use `ros2 run` e.g. for that [1][2].\n\n"
    "```bash\nros2 run a b\n\n# x. y\n```\n[3]\n\n- First item. More of it. [1]\n- Second item [2]\n1. third\n\n"
    "| a | b |\n|---|---|\n| 1 | 2. |\n\n[4]\n\n**3. Find it. Now?**\n\n- It is. [1]\n\nThe end."
)


def assembled(*pieces: str) -> list[str]:
    assembler = Assembler()
    parts = [part for piece in pieces for part in assembler.feed(piece)]
    return [*parts, *assembler.end()]


def test_sentences_items_fences_and_tables_are_parts_with_their_marks():
    assert assembled(TOLD) == [
        "A node is a process. [1]",
        " It talks over topics [2].",
        " Use `ros2 run` e.g. for that [1][2].",
        "\n\n```bash\nros2 run a b\n\n# x. y\n```\n[3]",
        "\n\n- First item.",
        " More of it. [1]",
        "\n- Second item [2]",
        "\n1. third",
        "\n\n| a | b |\n|---|---|\n| 1 | 2. |\n\n[4]",
        "\n\n**3. Find it. Now?**",
        "\n\n- It is. [1]",
        "\n\nThe end.",
    ]


@given(st.lists(st.integers(1, len(TOLD) - 1), max_size=40))
def test_how_it_was_cut_into_pieces_makes_no_difference(cuts: list[int]):
    bounds = [0, *sorted(set(cuts)), len(TOLD)]
    pieces = [TOLD[start:end] for start, end in itertools.pairwise(bounds)]
    assert assembled(*pieces) == assembled(TOLD)


_ANY = st.text(st.sampled_from("ab. \n`|-[1]*#"), max_size=60)


@given(st.lists(_ANY, max_size=8))
def test_nothing_that_was_said_is_lost(pieces: list[str]):
    assert "".join(assembled(*pieces)).split() == "".join(pieces).split()


def test_a_sentence_is_given_out_as_soon_as_the_next_begins():
    assembler = Assembler()
    assert assembler.feed("One is here. ") == []
    assert assembler.feed("[1] ") == []
    assert assembler.feed("Two") == ["One is here. [1]"]


def test_a_paragraph_is_given_out_at_its_mark_and_the_blank_line_below_it():
    assembler = Assembler()
    assert assembler.feed("One. Two. [1]\n\n") == ["One.", " Two. [1]"]
    assert assembler.feed("Three.") == []
    assert assembler.end() == ["\n\nThree."]
    assert assembler.feed("```\na [1]\n\n") == []


def test_what_ends_with_a_mark_ends_also_without_a_full_stop():
    assert assembled("A false edge ruins the map [1] *Loop closure* is a constraint. [1]") == [
        "A false edge ruins the map [1]",
        " *Loop closure* is a constraint. [1]",
    ]
    assert len(assembled("ROS [1] and DDS [2] are both here. [3]")) == 1


def test_a_fence_that_is_never_closed_is_one_part():
    assert assembled("```\nrm. A b. C\n\nmore. And") == ["```\nrm. A b. C\n\nmore. And"]


CODE = "Write `a[0]. B[1] C` there. Then `x` and `y[2]` [1] Go on."


@given(st.lists(st.integers(1, len(CODE) - 1), max_size=20))
def test_code_is_never_cut_however_it_comes(cuts: list[int]):
    bounds = [0, *sorted(set(cuts)), len(CODE)]
    pieces = [CODE[start:end] for start, end in itertools.pairwise(bounds)]
    assert assembled(*pieces) == ["Write `a[0]. B[1] C` there.", " Then `x` and `y[2]` [1]", " Go on."]


def test_a_tick_without_a_partner_holds_back_no_more_than_its_paragraph():
    assembler = Assembler()
    assert assembler.feed("One. Two ` three. Four. ") == ["One."]
    assert assembler.feed("Five.\n\nSix") == [" Two ` three.", " Four.", " Five."]


def test_sentences_end_by_the_rules_of_the_books_language():
    assembler = Assembler("german")
    assembler.feed("Die Anlage läuft seit dem 3. Oktober, z. B. nachts. Sie ist neu.")
    assert assembler.end() == [" Sie ist neu."]
