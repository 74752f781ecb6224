"""Generates the questions of an exam from the book alone; the same book always gets the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from glossator.exam.elsewhere import ChunkWords, WordIndex
from glossator.exam.near import near_misses
from glossator.exam.question import ExamKind, ExamQuestion, shuffle_key
from glossator.exam.twins import Twin, twins_of
from glossator.model import Lexicon
from glossator.ports import Embedder, Index
from glossator.question_generation import (
    BookSection,
    GeneratedQuestion,
    code_questions,
    definition_questions,
    follow_ups,
    foreign_questions,
    heading_questions,
    merge_by_subject,
    number_questions,
    sections_of,
    table_follow_ups,
    table_questions,
)
from glossator.text.words import content_stems, stems, word_spans


@dataclass(frozen=True, slots=True)
class ExamSizes:
    """The largest number of questions of each kind, and of twins."""

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


def build_question_set(
    index: Index, embedder: Embedder, author_questions: Sequence[ExamQuestion], sizes: ExamSizes
) -> QuestionSet:
    lexicon = index.manifest().lexicon
    chunks = list(index.chunks())
    sections = list(sections_of(chunks))
    generated = _book_questions(sections, lexicon.language)
    word_index = WordIndex.of(sections, chunks, lexicon.language)
    subjects = _shuffled([*generated[ExamKind.HEADING], *generated[ExamKind.DEFINITION]])
    answerable = [
        question
        for kind, questions_of_kind in generated.items()
        for question in _answerable(kind, questions_of_kind[: getattr(sizes, kind)])
    ]
    questions = [
        *answerable,
        *typos([question for question in answerable if not question.after], lexicon, sizes.typo),
        *near_misses(subjects, lexicon, embedder, sizes.near),
        *_foreign(lexicon, sizes.foreign),
        *_left_out(subjects, word_index, sizes.left_out),
        *author_questions,
    ]
    return QuestionSet(sections, word_index.words, questions, twins_of(chunks, lexicon.language, sizes.twins))


def _book_questions(
    sections: Sequence[BookSection], language: str
) -> dict[ExamKind, list[GeneratedQuestion]]:
    """A question from both a heading and a definition is asked once, and either place answers it."""
    headings, terms = heading_questions(sections, language), definition_questions(sections, language)
    subjects = merge_by_subject([*terms, *headings], language)
    defined_terms = {question.text for question in terms}
    cells = table_questions(sections, language)
    code = code_questions(headings, sections)
    follow_up = [*follow_ups(terms, [*headings, *code]), *table_follow_ups(sections, language)]
    return {
        ExamKind.HEADING: _shuffled(question for question in subjects if question.text not in defined_terms),
        ExamKind.DEFINITION: _shuffled(question for question in subjects if question.text in defined_terms),
        ExamKind.TABLE: _shuffled(question for question in cells if not _has_number(question)),
        ExamKind.NUMBER: _shuffled([*number_questions(sections, language), *filter(_has_number, cells)]),
        ExamKind.CODE: _shuffled(code),
        ExamKind.FOLLOW_UP: _shuffled(follow_up),
    }


def _has_number(question: GeneratedQuestion) -> bool:
    return any(character.isdigit() for character in question.facts[0])


def _shuffled(questions: Iterable[GeneratedQuestion]) -> list[GeneratedQuestion]:
    return sorted(questions, key=lambda question: shuffle_key(question.text + question.after))


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
    for text in sorted(foreign_questions(lexicon), key=shuffle_key)[:most]:
        yield ExamQuestion(ExamKind.FOREIGN, text, is_answerable=False)


def _left_out(questions: Sequence[GeneratedQuestion], word_index: WordIndex, most: int) -> list[ExamQuestion]:
    """Mostly those that no other section answers; for comparison, a fourth as many that one does."""
    unanswered, answered_elsewhere = list[ExamQuestion](), list[ExamQuestion]()
    for question in questions:
        without = word_index.chunks_of(question.places[0])
        if len(without) * 2 > len(word_index.chunks):
            continue
        elsewhere = word_index.elsewhere(question, without)
        (answered_elsewhere if elsewhere else unanswered).append(
            ExamQuestion(
                ExamKind.LEFT_OUT,
                question.text,
                is_answerable=False,
                places=question.places[:1],
                without=without,
                elsewhere=elsewhere,
            )
        )
        if len(unanswered) >= most:
            break
    return [*unanswered[:most], *answered_elsewhere[: most // 4]]


_MIN_LETTERS = 6
"""The fewest letters of a word that is still recognized with one wrong letter."""
_QUESTION_WORDS = frozenset(["example", "command", "explain", "difference", "compare"])


def typos(questions: Sequence[ExamQuestion], lexicon: Lexicon, most: int) -> list[ExamQuestion]:
    """Questions with one typo in the rarest long word, which makes a word that the book does not have."""
    shuffled = sorted(questions, key=lambda question: shuffle_key(f"typo {question.text}"))
    mistyped = (_mistyped(question, lexicon, number) for number, question in enumerate(shuffled))
    return [question for question in mistyped if question][:most]


def _mistyped(question: ExamQuestion, lexicon: Lexicon, number: int) -> ExamQuestion | None:
    content = content_stems(question.text, lexicon.language)
    spans = [span for span in word_spans(question.text) if span.end - span.start >= _MIN_LETTERS]
    words = {span: question.text[span.start : span.end] for span in spans}
    candidates = [
        span for span in spans if _is_book_word(words[span]) and _stem(words[span], lexicon) in content
    ]
    if not candidates:
        return None
    span = max(candidates, key=lambda span: lexicon.rarity(_stem(words[span], lexicon)))
    typo = _with_typo(words[span], number)
    if _stem(typo, lexicon) in lexicon.counts:
        return None
    text = question.text[: span.start] + typo + question.text[span.end :]
    return replace(question, kind=ExamKind.TYPO, text=text, note=f"{typo} for {words[span]}")


def _with_typo(word: str, number: int) -> str:
    """By turns exchanges, loses or doubles a letter; never the first, which is rarely mistyped."""
    middle = len(word) // 2
    match number % 3:
        case 0 if word[middle] != word[middle + 1]:
            return word[:middle] + word[middle + 1] + word[middle] + word[middle + 2 :]
        case 1:
            return word[:middle] + word[middle + 1 :]
        case _:
            return word[:middle] + word[middle] + word[middle:]


def _is_book_word(word: str) -> bool:
    """Whether it comes from the book, not from the question template."""
    return word.isalpha() and word.lower() not in _QUESTION_WORDS


def _stem(word: str, lexicon: Lexicon) -> str:
    return stems(word, lexicon.language)[0]
