"""The questions of an exam, made from the book alone; the same book always gets the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from glossator.answer.question_generation import (
    BookSection,
    GeneratedQuestion,
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
from glossator.answer.weigh import asked_for
from glossator.exam.elsewhere import BookIndexedByWords, ChunkWords
from glossator.exam.near import near_misses
from glossator.exam.question import ExamKind, ExamQuestion, by_chance
from glossator.exam.twins import Twin, twins_of
from glossator.model import Lexicon
from glossator.ports import Embedder, Index
from glossator.text.words import stems, word_spans


@dataclass(frozen=True, slots=True)
class ExamSizes:
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
    def all_of(cls, most: int) -> ExamSizes:
        return cls(*[most] * len(fields(cls)))


DEFAULT = ExamSizes()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    sections: Sequence[BookSection]
    words: ChunkWords
    questions: Sequence[ExamQuestion]
    twins: Sequence[Twin]


def set_paper(index: Index, embedder: Embedder, own: Sequence[ExamQuestion], sizes: ExamSizes) -> QuestionSet:
    lexicon = index.manifest().lexicon
    chunks = sorted(index.chunks(), key=lambda chunk: (chunk.page, chunk.index))
    sections = sections_of(chunks)
    book = _of_the_book(sections, lexicon.language)
    bookwide = BookIndexedByWords.of(sections, chunks, lexicon.language)
    told = _shuffled([*book[ExamKind.HEADING], *book[ExamKind.DEFINITION]])
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
    return QuestionSet(sections, bookwide.words, questions, twins_of(chunks, lexicon.language, sizes.twins))


def _of_the_book(sections: Sequence[BookSection], language: str) -> dict[ExamKind, list[GeneratedQuestion]]:
    """What a heading and a definition both ask is asked once, and either place answers it."""
    headings, terms = heading_questions(sections, language), definition_questions(sections, language)
    every = joined([*terms, *headings], language)
    defined = {question.text for question in terms}
    cells = table_questions(sections, language)
    code = code_questions(headings, sections)
    leaning = [*follow_ups(terms, [*headings, *code]), *table_follow_ups(sections, language)]
    return {
        ExamKind.HEADING: _shuffled(question for question in every if question.text not in defined),
        ExamKind.DEFINITION: _shuffled(question for question in every if question.text in defined),
        ExamKind.TABLE: _shuffled(question for question in cells if not _has_number(question)),
        ExamKind.NUMBER: _shuffled([*number_questions(sections, language), *filter(_has_number, cells)]),
        ExamKind.CODE: _shuffled(code),
        ExamKind.FOLLOW_UP: _shuffled(leaning),
    }


def _has_number(question: GeneratedQuestion) -> bool:
    return any(character.isdigit() for character in question.facts[0])


def _shuffled(questions: Iterable[GeneratedQuestion]) -> list[GeneratedQuestion]:
    return sorted(questions, key=lambda question: by_chance(question.text + question.after))


def _answerable(kind: ExamKind, questions: Iterable[GeneratedQuestion]) -> Iterator[ExamQuestion]:
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
        yield ExamQuestion(ExamKind.FOREIGN, text, is_answerable=False)


def _left_out(
    questions: Sequence[GeneratedQuestion], bookwide: BookIndexedByWords, most: int
) -> list[ExamQuestion]:
    """Mostly those that no other section tells, and for comparison a fourth as many that one does."""
    nowhere, somewhere = list[ExamQuestion](), list[ExamQuestion]()
    for question in questions:
        without = bookwide.chunks_of(question.places[0])
        if len(without) * 2 > len(bookwide.chunks):
            continue
        elsewhere = bookwide.elsewhere(question, without)
        (somewhere if elsewhere else nowhere).append(
            ExamQuestion(
                ExamKind.LEFT_OUT,
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


# Questions as they are typed in a hurry.

_LONG = 6
"""Letters of a word that can be guessed with one of them wrong."""
_OF_THE_FRAME = frozenset(["example", "command", "explain", "difference", "compare"])


def typos(questions: Sequence[ExamQuestion], lexicon: Lexicon, most: int) -> list[ExamQuestion]:
    """Each with one mistake in its rarest long word, which makes a word that the book does not have."""
    some = sorted(questions, key=lambda question: by_chance(f"typo {question.text}"))
    made = (_mistyped(question, lexicon, number) for number, question in enumerate(some))
    return [question for question in made if question][:most]


def _mistyped(question: ExamQuestion, lexicon: Lexicon, number: int) -> ExamQuestion | None:
    carrying = asked_for(question.text, lexicon.language)
    spans = [span for span in word_spans(question.text) if span.end - span.start >= _LONG]
    words = {span: question.text[span.start : span.end] for span in spans}
    known = [span for span in spans if _is_own(words[span]) and _stem(words[span], lexicon) in carrying]
    if not known:
        return None
    span = max(known, key=lambda span: lexicon.rarity(_stem(words[span], lexicon)))
    wrong = _wrong(words[span], number)
    if _stem(wrong, lexicon) in lexicon.counts:
        return None
    text = question.text[: span.start] + wrong + question.text[span.end :]
    return replace(question, kind=ExamKind.TYPO, text=text, note=f"{wrong} for {words[span]}")


def _wrong(word: str, number: int) -> str:
    """By turns two letters exchanged, one lost, one doubled; never the first, which is rarely mistyped."""
    at = len(word) // 2
    match number % 3:
        case 0 if word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case 1:
            return word[:at] + word[at + 1 :]
        case _:
            return word[:at] + word[at] + word[at:]


def _is_own(word: str) -> bool:
    """Whether it is of the book, and not of how questions are put."""
    return word.isalpha() and word.lower() not in _OF_THE_FRAME


def _stem(word: str, lexicon: Lexicon) -> str:
    return stems(word, lexicon.language)[0]
