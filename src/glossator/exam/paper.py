"""The questions of an exam, made from the book alone; the same book always gets the same ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from glossator.answer.ask_itself import (
    BookSection,
    SelfQuestion,
    definition_questions,
    foreign_questions,
    heading_questions,
    joined,
    sections_of,
)
from glossator.exam.elsewhere import Bookwide
from glossator.exam.hide import ChunkWords
from glossator.exam.near import near_misses
from glossator.exam.question import ExamQuestion, Kind
from glossator.model import Lexicon
from glossator.ports import Embedder, Index


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many questions of each kind there are at most."""

    heading: int = 150
    definition: int = 100
    near: int = 60
    foreign: int = 60
    left_out: int = 60

    @classmethod
    def all_of(cls, most: int) -> Sizes:
        return cls(most, most, most, most, most)


DEFAULT = Sizes()


@dataclass(frozen=True, slots=True)
class Paper:
    sections: Sequence[BookSection]
    words: ChunkWords
    questions: Sequence[ExamQuestion]


def set_paper(index: Index, embedder: Embedder, own: Sequence[ExamQuestion], sizes: Sizes) -> Paper:
    lexicon = index.manifest().lexicon
    chunks = sorted(index.chunks(), key=lambda chunk: (chunk.page, chunk.index))
    sections = sections_of(chunks)
    headings, definitions = _of_the_book(sections, lexicon.language)
    bookwide = Bookwide.of(sections, chunks, lexicon.language)
    questions = [
        *_answerable(Kind.HEADING, headings[: sizes.heading]),
        *_answerable(Kind.DEFINITION, definitions[: sizes.definition]),
        *near_misses(_shuffled([*headings, *definitions]), lexicon, embedder, sizes.near),
        *_foreign(lexicon, sizes.foreign),
        *_left_out(_shuffled([*headings, *definitions]), bookwide, sizes.left_out),
        *own,
    ]
    return Paper(sections, bookwide.words, questions)


def _of_the_book(
    sections: Sequence[BookSection], language: str
) -> tuple[list[SelfQuestion], list[SelfQuestion]]:
    """Heading and definition questions; what both ask is asked once, and both places answer it."""
    headings = heading_questions(sections, language)
    every = joined([*headings, *definition_questions(sections, language)], language)
    texts = {question.text for question in headings}
    return (
        _shuffled(question for question in every if question.text in texts),
        _shuffled(question for question in every if question.text not in texts),
    )


def _shuffled(questions: Iterable[SelfQuestion]) -> list[SelfQuestion]:
    return sorted(questions, key=lambda question: by_chance(question.text))


def by_chance(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _answerable(kind: Kind, questions: Iterable[SelfQuestion]) -> Iterator[ExamQuestion]:
    for question in questions:
        yield ExamQuestion(kind, question.text, is_answerable=True, places=question.places)


def _foreign(lexicon: Lexicon, most: int) -> Iterator[ExamQuestion]:
    for text in sorted(foreign_questions(lexicon), key=by_chance)[:most]:
        yield ExamQuestion(Kind.FOREIGN, text, is_answerable=False)


def _left_out(questions: Sequence[SelfQuestion], bookwide: Bookwide, most: int) -> list[ExamQuestion]:
    """Mostly those that no other section tells, and for comparison a fourth as many that one does."""
    nowhere, somewhere = list[ExamQuestion](), list[ExamQuestion]()
    for question in questions:
        without = bookwide.chunks_of(question.places[0])
        if len(without) * 2 > len(bookwide.chunks):
            continue
        elsewhere = bookwide.elsewhere(question, without)
        (somewhere if elsewhere else nowhere).append(
            ExamQuestion(
                Kind.LEFT_OUT,
                question.text,
                is_answerable=False,
                places=question.places[:1],
                without=without,
                elsewhere=elsewhere,
            )
        )
        if len(nowhere) >= most:
            break
    return [*nowhere[:most], *somewhere[: most // 4]]
