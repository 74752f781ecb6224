from __future__ import annotations

from pathlib import Path

import pytest

from glossator.lint import FindingKind
from support.check_books import check_book, found

PADDING = "The arm moves to the cup and the gripper closes with care, for the cup is full of tea.\n"


def unexplained(folder: Path, *pages: str) -> list[str]:
    files = {f"{number}.md": f"{PADDING}\n{page}\n" for number, page in enumerate(pages, 1)}
    return [text for _, _, text in found(check_book(folder, files), FindingKind.UNEXPLAINED_TERM)]


def test_an_acronym_that_two_pages_use_and_none_explains_is_found_where_it_is_first_used(
    tmp_path: Path,
) -> None:
    files = {"1.md": f"{PADDING}\nWe mount\nthe IMU here.\n", "2.md": f"{PADDING}\nTwo IMUs drift.\n"}
    (finding,) = check_book(tmp_path, files).findings
    assert (finding.page, finding.line, finding.text) == ("1.md", 4, "IMU")
    assert finding.message == "“IMU” is used 2 times on 2 pages and never explained."


def test_the_most_used_comes_first(tmp_path: Path) -> None:
    assert unexplained(tmp_path, "A PRM, then a VLM.", "See VLM, VLM and PRM.") == ["VLM", "PRM"]


def test_four_uses_on_one_page_are_enough_and_three_are_not(tmp_path: Path) -> None:
    assert unexplained(tmp_path, "No PRM and one PRM per PRM and PRM. No VLM and one VLM per VLM.") == ["PRM"]


@pytest.mark.parametrize(
    "explanation",
    [
        "An inertial measurement unit (IMU) is bolted on.",
        "Mount the IMU (inertial measurement unit).",
        "IMU stands for something.",
        "The IMU is a sensor of rotation.",
        "IMUs are sensors of rotation.",
        "An inertial measurement unit, or IMU, is bolted on.",
        "A box that feels rotation is called an IMU.",
        "We use an IMU, a sensor of rotation.",
        "- **IMU**: a sensor of rotation.",
        "**IMU** – a sensor of rotation.",
        "IMU\n: A sensor of rotation.",
        "## What an IMU does",
        "| Short | Long |\n|---|---|\n| IMU | Inertial measurement unit |",
        "Read about the [IMU](https://x.example).",
        "IMU measures rotation.",
    ],
)
def test_an_acronym_that_is_explained_anywhere_is_not_found(tmp_path: Path, explanation: str) -> None:
    assert unexplained(tmp_path, "First the IMU.", "Then the IMU.", explanation) == []


@pytest.mark.parametrize(
    "mention",
    [
        "The cheap robot (IMU) is here.",
        "Integration with the IMU provides accuracy.",
        "We use the IMU, which we will cover later.",
        "The robot has lidar, radar, IMU, or sonar.",
        "`IMU` is code.",
    ],
)
def test_a_mere_mention_explains_nothing(tmp_path: Path, mention: str) -> None:
    assert unexplained(tmp_path, "First the IMU.", "Then the IMU.", mention) == ["IMU"]


@pytest.mark.parametrize(
    "text",
    [
        "The API has a URL, says the PDF.",
        "You must NOT touch it; do not touch it.",
        "Chapter III follows.",
        "Run `IMU` or $IMU$.",
        "See ROS_IMU and /IMU and IMU.cpp.",
        "The Jetson AGX Orin runs it.",
        "The matrices A and B give BA.",
        "Rotate in the order ZYX.",
    ],
)
def test_what_is_well_known_shouted_code_or_a_symbol_is_no_acronym(tmp_path: Path, text: str) -> None:
    assert unexplained(tmp_path, text, text) == []


def test_a_term_that_is_marked_twice_and_never_explained_is_found(tmp_path: Path) -> None:
    pages = (
        "It reads the *cost map* before it moves.",
        "It writes a **cost map** as well.",
        "Cost maps grow.",
    )
    assert unexplained(tmp_path, *pages) == ["cost map"]


@pytest.mark.parametrize(
    "explanation",
    [
        "A cost map is a grid of prices.",
        "A grid of prices is called a *cost map*.",
        "A grid of prices is the *cost map*.",
        "## Cost maps",
        "- **Cost map**: a grid of prices.",
        "Then the cost map (a grid of prices) is read.",
        "It reads the cost map, which holds prices.",
    ],
)
def test_a_term_that_is_explained_anywhere_is_not_found(tmp_path: Path, explanation: str) -> None:
    pages = ("It reads the *cost map* first.", "It writes the *cost map* then.", explanation)
    assert unexplained(tmp_path, *pages) == []


@pytest.mark.parametrize(
    "text",
    [
        "It is *not* so, and the *same* robot is *very* slow.",
        "**Note** the arm. **Step one** of it.",
        "Press the **Save** button of the **Main Menu**.",
        "It is in *Probabilistic Robotics* of old.",
        "Use the *`cost map`* here.",
    ],
)
def test_emphasis_that_marks_no_term_is_left_alone(tmp_path: Path, text: str) -> None:
    assert unexplained(tmp_path, text, text) == []


def test_a_book_in_another_language_is_not_judged(tmp_path: Path) -> None:
    german = (
        "Der Roboter greift mit der IMU nach der Tasse, und die Tasse ist voll. Die IMU misst die Drehung.\n"
    )
    report = check_book(tmp_path, {"1.md": german, "2.md": german})
    assert report.findings == ()
