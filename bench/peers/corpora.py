"""The books that every product ingests, with the questions to each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sets import Set, book_with_quiz, read_lines, records, write_chunks

from peers.product import pages_of

SAMPLE = Path(__file__).parents[2] / "examples" / "physical-ai-book"
TIMED = 200
"""Questions that are asked of the 5,000 chunks, which have none of their own."""


@dataclass(frozen=True)
class Question:
    text: str
    pages: tuple[str, ...] = ()
    """Where the answer stands; any of them."""
    quotes: tuple[str, ...] = ()
    """The words that answer it, where the set has them."""
    answerable: bool = True

    def is_gold(self, page: str) -> bool:
        """By the end of the path, because a product may leave out the folders that all pages share."""
        return any(f"/{page}".endswith(f"/{gold}") or f"/{gold}".endswith(f"/{page}") for gold in self.pages)


@dataclass(frozen=True)
class Corpus:
    name: str
    folder: Path
    sets: dict[str, list[Question]]
    has_gold: bool = True

    @property
    def questions(self) -> list[Question]:
        return [question for questions in self.sets.values() for question in questions]


def corpora_of(data: Path, scratch: Path, limit: int | None) -> Iterator[Corpus]:
    """Those of a folder like `shared/data`."""
    every = (*speed_corpora(data, scratch), *quiz_corpora(data / "eval", scratch), *reader_corpora(data))
    return (limited(corpus, scratch / "limited", limit) if limit else corpus for corpus in every)


def speed_corpora(data: Path, scratch: Path) -> Iterator[Corpus]:
    book = book_with_quiz(data / "eval" / "rust-quiz", scratch)
    assert book
    quiz = quiz_questions(book)
    yield Corpus("rust-book", book.folder, {"rust-quiz": quiz} | readers_of(data, "rust-book"))
    chunks = scratch / "chunks-5000"
    write_chunks(data / "chunks-5000.jsonl.gz", chunks)
    yield Corpus("chunks-5000", chunks, {"timed": quiz[:TIMED]}, has_gold=False)


def quiz_corpora(folder: Path, scratch: Path) -> Iterator[Corpus]:
    curriculum = book_with_quiz(folder / "physical-ai-quiz", scratch)
    manual = records(folder / "anthropic-docs", scratch)
    for book in (curriculum, manual):
        assert book
        yield Corpus(book.name, book.folder, {book.name: quiz_questions(book)})


def reader_corpora(data: Path) -> Iterator[Corpus]:
    yield Corpus("physical-ai-book", SAMPLE, readers_of(data, "physical-ai-book"))
    for name in ("humanoid-gurupak", "docusaurus"):
        yield Corpus(name, data / "corpora" / name, readers_of(data, name))


def quiz_questions(book: Set) -> list[Question]:
    return [Question(asked.text, asked.pages) for asked in book.questions]


def readers_of(data: Path, book: str) -> dict[str, list[Question]]:
    """Without questions that lean on an earlier turn, because a search gets one question."""
    rows = read_lines(data / "eval" / "readers" / f"{book}.jsonl")
    return {f"readers: {book}": [reader_question(row) for row in rows if not row.get("history")]}


def reader_question(row: dict) -> Question:
    gold = row.get("gold", ())
    pages = tuple(dict.fromkeys(place["page"] for place in gold))
    return Question(row["question"], pages, tuple(place["quote"] for place in gold), row["answerable"])


def limited(corpus: Corpus, scratch: Path, limit: int) -> Corpus:
    """The first questions of each set, with their pages and the book's first pages."""
    sets = {name: questions[:limit] for name, questions in corpus.sets.items()}
    small = replace(corpus, folder=scratch / corpus.name, sets=sets)
    shutil.rmtree(small.folder, ignore_errors=True)
    for number, page in enumerate(pages_of(corpus.folder)):
        path = page.relative_to(corpus.folder)
        if number < limit or any(question.is_gold(str(path)) for question in small.questions):
            (small.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, small.folder / path)
    return small
