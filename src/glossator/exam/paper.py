"""The questions of an exam, made from the book alone; the same book always gets the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from glossator.answer.ask_itself import (
    BookSection,
    SelfQuestion,
    code_questions,
    definition_questions,
    follow_ups,
    foreign_questions,
    heading_questions,
    joined,
    number_questions,
    sections_of,
    table_follow_ups,
    table_questions,
)
from glossator.exam.elsewhere import Bookwide
from glossator.exam.hide import ChunkWords
from glossator.exam.near import near_misses
from glossator.exam.question import ExamQuestion, Kind, by_chance
from glossator.exam.twins import Twin, twins_of
from glossator.exam.typos import typos
from glossator.model import Lexicon
from glossator.ports import Embedder, Index


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many questions of each kind there are at most, and how many twins."""

    heading: int = 100
    definition: int = 80
    table: int = 40
    number: int = 40
    code: int = 40
    typo: int = 40
    follow_up: int = 40
    near: int = 40
    foreign: int = 60
    left_out: int = 60
    twins: int = 90

    @classmethod
    def all_of(cls, most: int) -> Sizes:
        return cls(*[most] * len(fields(cls)))


DEFAULT = Sizes()


@dataclass(frozen=True, slots=True)
class Paper:
    sections: Sequence[BookSection]
    words: ChunkWords
    questions: Sequence[ExamQuestion]
    twins: Sequence[Twin]


def set_paper(index: Index, embedder: Embedder, own: Sequence[ExamQuestion], sizes: Sizes) -> Paper:
    lexicon = index.manifest().lexicon
    chunks = sorted(index.chunks(), key=lambda chunk: (chunk.page, chunk.index))
    sections = sections_of(chunks)
    book = _of_the_book(sections, lexicon.language)
    bookwide = Bookwide.of(sections, chunks, lexicon.language)
    told = _shuffled([*book[Kind.HEADING], *book[Kind.DEFINITION]])
    answerable = [
        question
        for kind, some in book.items()
        for question in _answerable(kind, some[: getattr(sizes, kind)])
    ]
    questions = [
        *answerable,
        *typos([one for one in answerable if not one.after], lexicon, sizes.typo),
        *near_misses(told, lexicon, embedder, sizes.near),
        *_foreign(lexicon, sizes.foreign),
        *_left_out(told, bookwide, sizes.left_out),
        *own,
    ]
    return Paper(sections, bookwide.words, questions, twins_of(chunks, lexicon.language, sizes.twins))


def _of_the_book(sections: Sequence[BookSection], language: str) -> dict[Kind, list[SelfQuestion]]:
    """What a heading and a definition both ask is asked once, and either place answers it."""
    headings, terms = heading_questions(sections, language), definition_questions(sections, language)
    every = joined([*terms, *headings], language)
    defined = {question.text for question in terms}
    cells = table_questions(sections, language)
    code = code_questions(headings, sections)
    leaning = [*follow_ups(terms, [*headings, *code]), *table_follow_ups(sections, language)]
    return {
        Kind.HEADING: _shuffled(question for question in every if question.text not in defined),
        Kind.DEFINITION: _shuffled(question for question in every if question.text in defined),
        Kind.TABLE: _shuffled(question for question in cells if not _has_number(question)),
        Kind.NUMBER: _shuffled([*number_questions(sections, language), *filter(_has_number, cells)]),
        Kind.CODE: _shuffled(code),
        Kind.FOLLOW_UP: _shuffled(leaning),
    }


def _has_number(question: SelfQuestion) -> bool:
    return any(character.isdigit() for character in question.facts[0])


def _shuffled(questions: Iterable[SelfQuestion]) -> list[SelfQuestion]:
    return sorted(questions, key=lambda question: by_chance(question.text + question.after))


def _answerable(kind: Kind, questions: Iterable[SelfQuestion]) -> Iterator[ExamQuestion]:
    for question in questions:
        yield ExamQuestion(
            kind,
            question.text,
            is_answerable=True,
            places=question.places,
            facts=question.facts,
            after=question.after,
            note=f"after “{question.after}”" if question.after else "",
        )


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
