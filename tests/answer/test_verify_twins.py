"""What a careful writer says about the sample book is kept, and what a careless one says is dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from verify_twins import DENIALS, NAMES, NUMBERS, TWINS, Twin

from glossator.answer.verify import Verifier
from glossator.model import Checked, Chunk, Evidence, Section, Verdict
from glossator.ports import Embedder
from glossator.testing import WordEmbedder

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs"


@cache
def evidence_of(page: str) -> tuple[Evidence, ...]:
    """Each section of the page, as a search would bring them."""
    source = (BOOK / page).read_text("utf-8")
    body = source.index("\n---\n", 4) + 5 if source.startswith("---\n") else 0
    title = re.search(r"^(?:# |title: )(.*)$", source, re.MULTILINE)
    cuts = [body, *(match.start() for match in re.finditer(r"^## ", source, re.MULTILINE)), len(source)]
    found = list[Evidence]()
    for start, end in pairwise(cuts):
        heading = re.match(r"## (.*)", source[start:end])
        section = Section(heading[1] if heading else "", "", (heading[1],) if heading else (), start)
        chunk = Chunk(
            page, title[1] if title else "", "", "", 0, (section,), source[start:end], start, end, 0, ""
        )
        found.append(Evidence(len(found) + 1, chunk, section, (), 1.0))
    return tuple(found)


def checked(twins: Sequence[Twin], verifier: Verifier) -> tuple[list[Checked], list[Checked]]:
    ledgers = {page: verifier.read(evidence_of(page)) for page in {twin.page for twin in twins}}
    return (
        [verifier.check(twin.faithful, ledgers[twin.page]) for twin in twins],
        [verifier.check(twin.corrupted, ledgers[twin.page]) for twin in twins],
    )


def share(results: Sequence[Checked], *verdicts: Verdict) -> float:
    return sum(one.verdict in verdicts for one in results) / len(results)


@pytest.fixture(scope="module")
def verdicts(embedder: Embedder) -> Mapping[Twin, tuple[Checked, Checked]]:
    faithful, corrupted = checked(TWINS, Verifier(embedder, "english"))
    return dict(zip(TWINS, zip(faithful, corrupted, strict=True), strict=True))


def test_what_a_careful_writer_says_is_kept(verdicts: Mapping[Twin, tuple[Checked, Checked]]) -> None:
    faithful = [pair[0] for pair in verdicts.values()]
    assert share(faithful, Verdict.SUPPORTED, Verdict.PARTLY) >= 0.92
    assert share(faithful, Verdict.SUPPORTED) >= 0.7


def test_what_the_book_does_not_say_is_dropped(verdicts: Mapping[Twin, tuple[Checked, Checked]]) -> None:
    corrupted = [pair[1] for pair in verdicts.values()]
    assert share(corrupted, Verdict.UNSUPPORTED) >= 0.82
    assert share(corrupted, Verdict.SUPPORTED) <= 0.1


@pytest.mark.parametrize("twins", [NUMBERS, DENIALS, NAMES], ids=["number", "denial", "name"])
def test_a_changed_number_a_lost_not_and_another_name_are_noticed(
    twins: Sequence[Twin], verdicts: Mapping[Twin, tuple[Checked, Checked]]
) -> None:
    assert share([verdicts[twin][1] for twin in twins], Verdict.UNSUPPORTED) >= 0.9


def test_an_embedder_that_says_nothing_of_single_words_is_enough() -> None:
    faithful, corrupted = checked(TWINS, Verifier(WordEmbedder(), "english"))
    assert share(faithful, Verdict.SUPPORTED, Verdict.PARTLY) >= 0.9
    assert share(corrupted, Verdict.UNSUPPORTED) >= 0.78


def test_a_verdict_points_into_the_chunk_it_names(verdicts: Mapping[Twin, tuple[Checked, Checked]]) -> None:
    for pair in verdicts.values():
        for one in pair:
            assert one.evidence is not None
            assert one.span is not None
            assert one.evidence.chunk.start <= one.span.start < one.span.end <= one.evidence.chunk.end
