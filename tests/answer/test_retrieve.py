"""Likeness finds the places that bear on a question, the reader decides: a small book in memory, and found passages by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import pytest

from glossator.answer.retrieve import READ, RankedPassages, candidates, read, retrieve
from glossator.errors import NoBookYet
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import site_of
from glossator.model import Filters, Reading, Support, Window
from glossator.ports import Index
from glossator.testing import (
    MemoryCache,
    MemoryIndex,
    MemoryIndexStore,
    SilentProgress,
    WordEmbedder,
    WordReader,
)
from support.answer_book import PAGES
from support.answer_pages import found, passages_of, passages_of_pages, query

LONG = "# Wheels\n\n" + " ".join(
    f"Wheel number {n} of the robot turns {n} times a minute." for n in range(40)
)
CAMERA = "# Cameras\n\nA camera takes pictures of the room."
LIDAR = "# Lidars\n\nA lidar measures the distance to the walls."


@dataclass
class Listening:
    """Reads as the twin does, and remembers what it was given."""

    windows: list[Window] = field(default_factory=list[Window])

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        self.windows += windows
        return WordReader().read(question, windows)

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        return WordReader().check(claim, windows)


@dataclass
class Wants(Listening):
    """Knows that the answer stands where a word does, however little else does."""

    word: str = ""

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        return [
            _reading(window, 25.0 if self.word in " ".join(window.texts) else -25.0) for window in windows
        ]


def _reading(window: Window, logit: float) -> Reading:
    each = (logit,) * len(window.parts)
    return Reading(logit, each, each)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The small book, with one of its pages twice."""
    book = tmp_path_factory.mktemp("books") / "robots"
    for name, text in {**PAGES, "03-again/01-topics.md": PAGES["01-start/02-topics.md"]}.items():
        page = book / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text.lstrip(), "utf-8")
    index_store = MemoryIndexStore()
    ingest(
        book,
        site_of(book, title="robots"),
        IngestTools(WordEmbedder(), index_store, MemoryCache(), SilentProgress()),
    )
    return MemoryIndex(index_store)


def retrieved(index: Index, text: str, *, top_k: int = 5, filters: Filters | None = None) -> RankedPassages:
    return retrieve(text, WordEmbedder(), WordReader(), index, top_k=top_k, filters=filters)


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("How many watt hours does the battery pack hold?", "02-motion/01-batteries.md"),
        ("How is a node killed that does not react?", "01-start/01-nodes.md"),
    ],
)
def test_the_page_that_tells_it_comes_first(index: Index, question: str, page: str):
    assert retrieved(index, question).hits[0].chunk.page == page


def test_hits_come_best_first_and_are_no_more_than_were_asked_for(index: Index):
    for top_k in (1, 2, 5):
        hits = retrieved(index, "What is a topic?", top_k=top_k).hits
        assert 0 < len(hits) <= top_k
        assert all(0.0 <= hit.similarity <= 1.0 for hit in hits)
        assert all(one.similarity >= other.similarity for one, other in pairwise(hits))


def test_no_text_comes_twice(index: Index):
    texts = [hit.chunk.text for hit in retrieved(index, "What is a topic?", top_k=20).hits]
    assert len(texts) == len(set(texts))


def test_a_hit_is_shown_by_the_passage_of_its_best_window(index: Index):
    result = retrieved(index, "How is a node killed that does not react?")
    for hit in result.hits:
        best = next(window for window in result.windows if window.window.passage.chunk == hit.chunk)
        assert hit.passage == best.window.passage


def test_filters_hold(index: Index):
    result = retrieved(index, "What is a topic?", filters=Filters(page=("02-motion/01-batteries.md",)))
    assert {hit.chunk.page for hit in result.hits} == {"02-motion/01-batteries.md"}
    assert retrieved(index, "What is a topic?", filters=Filters(page=("nowhere.md",))).hits == ()


def test_without_a_book_it_says_so():
    with pytest.raises(NoBookYet):
        retrieve("What is a topic?", WordEmbedder(), WordReader(), MemoryIndex(MemoryIndexStore()))


def test_the_reader_has_the_last_word():
    pages = passages_of_pages(CAMERA, LIDAR)
    question = "What does a camera take pictures of?"
    by_words = read(query(question), found(question, pages), WordReader(), top_k=5)
    assert "camera" in by_words.hits[0].chunk.text
    by_reader = read(query(question), found(question, pages), Wants(word="walls"), top_k=5)
    assert "walls" in by_reader.hits[0].chunk.text
    assert by_reader.hits[0].similarity > 0.5 > by_reader.hits[-1].similarity


def test_the_reader_reads_a_few_windows_and_each_once():
    reader, question = Listening(), "Which wheel turns?"
    pages = passages_of_pages(*(LONG.replace("Wheel", f"Wheel {n}") for n in range(6)))
    result = read(query(question), found(question, pages), reader, top_k=5)
    assert len(reader.windows) == len(result.windows) == READ
    assert len({(window.passage.point_id, window.first) for window in reader.windows}) == READ


def test_a_chunk_that_was_not_read_is_ranked_as_the_least_likely_one_that_was():
    question = "What does a camera take pictures of?"
    pages = passages_of_pages(CAMERA, LIDAR, LONG)
    result = read(query(question), found(question, pages), Wants(word="camera"), top_k=5, most_windows=2)
    lowest = min(window.reading.answers for window in result.windows)
    was_read = {window.window.passage.chunk.content_hash for window in result.windows}
    unread = [chunk for chunk in result.chunks if chunk.found.passage.chunk.content_hash not in was_read]
    assert unread
    assert {chunk.answers for chunk in unread} == {lowest}
    assert result.hits == tuple(sorted(result.hits, key=lambda hit: -hit.similarity))


def test_the_most_promising_windows_are_chosen_best_first():
    question = "How often does wheel number 33 turn?"
    chosen = candidates(query(question), found(question, passages_of(LONG)), 3)
    assert len(chosen) == 3
    assert any("number 33 " in text for text in chosen[0].window.texts)
    assert all(one.promise >= other.promise for one, other in pairwise(chosen))


@pytest.mark.parametrize("states", [True, False])
def test_of_windows_that_overlap_the_better_one_is_chosen(states: bool):
    question = "How often does wheel number 33 turn?"
    chosen = candidates(query(question, states=states), found(question, passages_of(LONG), states=states), 50)
    assert len(chosen) > 2
    for one, other in combinations((candidate.window for candidate in chosen), 2):
        shared = min(one.after, other.after) - max(one.first, other.first)
        shorter = min(one.after - one.first, other.after - other.first)
        assert one.passage != other.passage or 3 * shared <= shorter


def test_without_token_states_the_cosine_stands_for_the_match():
    question = "What does a camera take pictures of?"
    pages = passages_of_pages(CAMERA, LIDAR)
    brought = found(question, pages, states=False)
    chosen = candidates(query(question, states=False), brought, 5)
    assert [candidate.match for candidate in chosen] == [candidate.found.scores.dense for candidate in chosen]
    result = read(query(question, states=False), brought, WordReader(), top_k=5)
    assert "camera" in result.hits[0].chunk.text
    assert result.diversity == 0.0


def test_nothing_found_says_nothing():
    result = read(query("What is a topic?"), [], WordReader(), top_k=5)
    assert (result.hits, result.windows, result.diversity) == ((), (), 0.0)
    assert result.any_answers is None


def test_that_any_window_answers_is_likelier_than_that_the_best_does():
    question = "What does a camera take pictures of?"
    result = read(query(question), found(question, passages_of_pages(CAMERA, LIDAR)), WordReader(), top_k=5)
    answers = [window.reading.answers for window in result.windows]
    assert result.any_answers is not None
    assert result.any_answers > max(answers)


def test_the_same_words_under_two_headings_differ_less_than_other_words():
    def diversity(*pages: str) -> float:
        return read(
            query("robot"), found("robot", passages_of_pages(*pages)), WordReader(), top_k=5
        ).diversity

    assert diversity(CAMERA) == 0.0
    assert 0.0 <= diversity(CAMERA, CAMERA.replace("# Cameras", "# Eyes")) < diversity(CAMERA, LIDAR) <= 1.0
