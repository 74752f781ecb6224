"""A small book, and edits of it: pages that change, appear, move and go, and one that is ingested empty."""

from __future__ import annotations

from pathlib import Path
from random import Random

WORDS = [
    "harbour",
    "crane",
    "ship",
    "rope",
    "sail",
    "tide",
    "pilot",
    "anchor",
    "cargo",
    "dock",
    "wave",
    "light",
    "storm",
    "keel",
    "mast",
]


def write_pages(folder: Path, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        write_page(folder / f"page-{number:02}.md", Random(number))


def write_page(page: Path, chance: Random) -> None:
    """Words are few, so pages share chunks and stems."""
    sections = [f"# {page.stem}\n\nA page about a {chance.choice(WORDS)}."]
    for _ in range(chance.randrange(4)):
        said = " ".join(chance.choices(WORDS, k=6))
        sections.append(f"## The {chance.choice(WORDS)}\n\nThe {said} of the {chance.choice(WORDS)}.")
    page.write_text("\n\n".join(sections) + "\n")


def edit_at_random(folder: Path, chance: Random) -> None:
    for _ in range(chance.randrange(1, 4)):
        pages = sorted(folder.glob("*.md"))
        page, number = chance.choice(pages), chance.randrange(1000)
        match chance.randrange(5):
            case 0:
                write_page(page, chance)
            case 1:
                write_page(folder / f"new-{number:03}.md", chance)
            case 2:
                page.rename(folder / f"moved-{number:03}.md")
            case 3:
                page.unlink()
            case _:
                page.write_text("")
