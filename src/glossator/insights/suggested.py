"""Questions to suggest to a reader: made from the book's own headings, and tried before they are offered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from glossator.answer.book import ServedBook
from glossator.model import Level, Manifest, Question
from glossator.question_generation import BookSections, questions_of_headings, subject_of
from glossator.question_generation.phrase import is_plural

_MOST = 3
_MOST_TRIED_TO_BEGIN, _MOST_TRIED_AFTER = 10, 4
"""How many questions are tried at most: each costs a search. Results are remembered."""
_LONGEST = 80
"""Characters, so that a question fits into two lines of the panel."""


@dataclass(frozen=True, slots=True)
class HeadingQuestion:
    text: str
    page: str
    heading: str


@dataclass(slots=True)
class SuggestedQuestions:
    """Remembers what it made and tried until the index has a new generation."""

    book: ServedBook
    _generation: int = -1
    _questions: Sequence[HeadingQuestion] = ()
    """In reading order."""
    _is_answered: dict[str, bool] = field(default_factory=dict[str, bool])
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def to_begin(self) -> list[str]:
        """Questions from the first chapters, a chapter each."""
        manifest = await self._load()
        chapter_of = {page.path: page.chapter for page in manifest.pages}
        by_chapter = dict[str, list[HeadingQuestion]]()
        for question in self._questions:
            by_chapter.setdefault(chapter_of.get(question.page, ""), []).append(question)
        return await self._answered(_in_turns(by_chapter.values()), _MOST_TRIED_TO_BEGIN)

    async def after(self, chunk_id: str) -> list[str]:
        """Questions from the sections after a chunk on its page, those before it, and the next pages."""
        manifest = await self._load()
        chunk = await self.book.section(chunk_id)
        covered = {section.title for section in chunk.sections}
        on_page = [question for question in self._questions if question.page == chunk.page]
        titles = [question.heading for question in on_page]
        start = max((place for place, title in enumerate(titles) if title in covered), default=-1) + 1
        order = [page.path for page in manifest.pages]
        later = set(order[order.index(chunk.page) + 1 :]) if chunk.page in order else set[str]()
        on_later = (question for question in self._questions if question.page in later)
        near = chain(on_page[start:], reversed(on_page[:start]), on_later)
        others = (question for question in near if question.heading not in covered)
        return await self._answered(others, _MOST_TRIED_AFTER)

    async def _load(self) -> Manifest:
        manifest = await self.book.manifest()
        async with self._lock:
            if manifest.generation != self._generation:
                self._questions = await self.book.in_time(lambda: self._make(manifest))
                self._is_answered.clear()
                self._generation = manifest.generation
        return manifest

    def _make(self, manifest: Manifest) -> list[HeadingQuestion]:
        order = {page.path: place for place, page in enumerate(manifest.pages)}
        return sorted(
            self._read(manifest.lexicon.language),
            key=lambda question: order.get(question.page, len(order)),
        )

    def _read(self, language: str) -> Iterator[HeadingQuestion]:
        """The first question about each subject, if it fits."""
        seen = set[int]()
        for question in questions_of_headings(BookSections(self.book.assistant.index), language):
            # The words of all subjects would take ten times the memory.
            subject, place = hash(subject_of(question, language)), question.places[0]
            if subject not in seen and len(question.text) <= _LONGEST and _reads_well(question.text):
                yield HeadingQuestion(question.text, place.page, place.title)
            seen.add(subject)

    async def _answered(self, questions: Iterable[HeadingQuestion], most_tried: int) -> list[str]:
        """The first of the questions that the book answers well."""
        found = list[str]()
        for question, _ in zip(questions, range(most_tried), strict=False):
            if await self._answers(question.text):
                found.append(question.text)
            if len(found) == _MOST:
                break
        return found

    async def _answers(self, text: str) -> bool:
        if text not in self._is_answered:
            confidence = (await self.book.search(Question(text))).confidence
            self._is_answered[text] = confidence.level in (Level.HIGH, Level.MEDIUM)
        return self._is_answered[text]


def _reads_well(text: str) -> bool:
    """The exam's questions may be clumsy (`What is safety rules?`); a reader should not see those."""
    words = text.rstrip("?").split()
    match words[:3]:
        case ["Is", "it", "true"]:
            return False
        case ["What", "is", *_]:
            return not is_plural(words[-1])
        case ["How", "do", "you"]:
            return len(words) > 3 and not is_plural(words[3])
        case _:
            return True


def _in_turns(groups: Iterable[Sequence[HeadingQuestion]]) -> Iterator[HeadingQuestion]:
    """The first of each group, then the second of each, and so on."""
    for questions in zip_longest(*groups):
        yield from (question for question in questions if question)
