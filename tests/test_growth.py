"""`make growth` at a tiny size: every figure of a result is there, and what was measured is not measured again."""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path

import pytest
from growth import main
from growth_book import Corpus, questions, write_book
from growth_plot import plot
from growth_report import table

SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprst" for vowel in "aeiou"]
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES[::5]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Chunks like those of `chunks-5000.jsonl.gz`."""
    chance, folder = random.Random(3), tmp_path / "data"
    folder.mkdir()
    rows = [
        {
            "path": f"docs/page-{number // 5}.md",
            "heading": f"Part {number}",
            "text": f"## Part {number} The {' '.join(chance.choices(WORDS, k=60))} weighs {number} tons.",
        }
        for number in range(100)
    ]
    with gzip.open(folder / "chunks-5000.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


@pytest.fixture
def corpus(data: Path) -> Corpus:
    return Corpus.read(data / "chunks-5000.jsonl.gz")


def test_a_copy_exchanges_words_and_numbers_and_keeps_the_size(corpus: Corpus):
    first, second = (corpus.variant(copy).of(corpus.chunks[40]) for copy in (0, 1))
    words, other = first.text.split(), second.text.split()
    assert first.text == corpus.chunks[40].text
    assert len(words) == len(other)
    assert 0 < sum(one == two for one, two in zip(words, other, strict=True)) < len(words)
    assert (words[-2], other[-2]) == ("40", "41")


def test_a_question_has_words_of_its_page(corpus: Corpus, tmp_path: Path):
    write_book(corpus, tmp_path / "book", 250)
    for question, page in questions(corpus, 250, 20):
        text = (tmp_path / "book" / page).read_text()
        assert all(word in text for word in question.split()[2:-2])


def test_a_run_measures_every_figure_once(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    options = [
        "--data",
        str(data),
        "--folder",
        str(tmp_path / "growth"),
        "--sizes",
        "250",
        "--real-up-to",
        "0",
    ]
    few = ["--engines", "embedded", "--questions", "8", "--answers", "2"]
    steps = ["--steps", "first_ingest", "start", "search", "answer", "edit_named"]
    monkeypatch.setattr(sys, "argv", ["growth.py", *options, *few, *steps])
    main()
    main()
    [line] = (tmp_path / "growth" / "results.jsonl").read_text().splitlines()
    result = json.loads(line)
    assert result["first_ingest"]["passages"] >= 40
    assert result["first_ingest"]["peak_mb"] >= result["first_ingest"]["peak_own_mb"] > 0
    assert min(result["index_bytes"], result["cache_bytes"]) > 0
    assert result["start"]["open_seconds"] > 0
    assert result["search"]["p50_ms"] <= result["search"]["p95_ms"] <= result["search"]["p99_ms"]
    assert result["search"]["hit@5"] > 0.5
    assert result["answer"]["p99_ms"] > 0
    assert 0 < result["edit_named"]["embedded"] < result["first_ingest"]["embedded"]
    assert table([result]) in capsys.readouterr().out
    assert "embedded" in plot([result])
