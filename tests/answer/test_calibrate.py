"""What a raw score means in a book."""

from __future__ import annotations

from pathlib import Path

import pytest
from answer_book import PAGES

from glossator.ingest.pipeline import ingest
from glossator.ingest.site import site_of
from glossator.model import Calibration
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.wiring import index_of, tools_of

SUBJECTS = [
    "Rivers",
    "Bridges",
    "Violins",
    "Glaciers",
    "Markets",
    "Comets",
    "Orchids",
    "Castles",
    "Vaccines",
    "Sonnets",
    "Whales",
    "Canals",
    "Deserts",
    "Tunnels",
]


def ingested(home: Path, book: Path) -> Calibration:
    settings = Settings(home=home)
    ingest(book, site_of(book), tools_of(settings, SilentProgress(), say=lambda message: None))
    return index_of(settings).manifest().calibration


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("books") / "subjects"
    folder.mkdir()
    for subject in SUBJECTS:
        text = (
            f"# {subject}\n\n{subject} are the subject of this page, and nothing else is told here about them. "
            f"Long ago people who studied {subject.lower()} wrote down what they saw in small grey books.\n"
        )
        (folder / f"{subject.lower()}.md").write_text(text, "utf-8")
    return folder


def test_a_book_is_fitted_at_ingest_and_a_small_change_keeps_the_fit(tmp_path: Path, book: Path):
    fitted = ingested(tmp_path, book)
    assert fitted.source == "book"
    assert fitted.slope > 0
    assert 0.2 < fitted.midpoint < 0.8
    page = book / "rivers.md"
    page.write_text(page.read_text("utf-8").replace("grey", "green"), "utf-8")
    assert ingested(tmp_path, book) == fitted


def test_a_book_too_small_for_a_fit_gets_the_shipped_curve(tmp_path: Path):
    folder = tmp_path / "small"
    for name, text in PAGES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    assert ingested(tmp_path / "home", folder).source == "default"
