"""Search, chapters and sections of the book, for callers that want no written answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TypeVar

from glossator.answer.evidence import retrieve_from_book
from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.route import Standalone
from glossator.answer.validate import validate
from glossator.errors import SectionUnknown
from glossator.model import Chunk, Confidence, Filters, Hit, Manifest, PageRecord, Question, Vector
from glossator.question_generation import BookSections, SectionPlace

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    query: str
    hits: Sequence[Hit]
    confidence: Confidence
    milliseconds: float
    embedding: Vector | None = None


@dataclass(frozen=True, slots=True)
class Chapter:
    id: str
    title: str
    sections: tuple[str, ...]
    url: str


@dataclass(slots=True)
class ServedBook:
    assistant: AnswerPipeline
    _contents: tuple[int, tuple[Chapter, ...]] | None = field(default=None)
    _places: tuple[int, tuple[SectionPlace, ...]] | None = field(default=None)

    async def search(self, question: Question, *, with_embedding: bool = False) -> SearchOutcome:
        question = validate(question, longest=self.assistant.longest)
        question = replace(question, filters=await self.resolve_chapters(question.filters))
        assistant = self.assistant
        await assistant.load()
        started = perf_counter()
        retrieval = await self.in_time(
            lambda: retrieve_from_book(
                Standalone.of(question.text),
                question,
                assistant.embedder,
                assistant.reader,
                assistant.index,
                assistant.policy,
            )
        )
        milliseconds = (perf_counter() - started) * 1000
        embedding = await self._embed(question.text) if with_embedding else None
        return SearchOutcome(question.text, retrieval.hits, retrieval.confidence, milliseconds, embedding)

    async def _embed(self, text: str) -> Vector:
        return await self.in_time(lambda: self.assistant.embedder.embed_query(text).vector)

    async def manifest(self) -> Manifest:
        return await self.in_time(self.assistant.index.manifest)

    async def section(self, chunk_id: str) -> Chunk:
        chunk = await self.in_time(lambda: self.assistant.index.chunk(chunk_id))
        if chunk is None:
            raise SectionUnknown
        return chunk

    async def resolve_chapters(self, filters: Filters) -> Filters:
        """The filters with every chapter by its title. An unknown name stays, and matches nothing."""
        if not filters.chapter:
            return filters
        chapters = tuple(_chapters(await self.manifest(), {}))
        titles = [title for named in filters.chapter for title in _titles(named, chapters) or (named,)]
        return replace(filters, chapter=tuple(dict.fromkeys(titles)))

    async def chapters(self) -> tuple[Chapter, ...]:
        """The chapters in reading order, cached until the index has a new generation."""
        manifest = await self.manifest()
        if self._contents is None or self._contents[0] != manifest.generation:
            self._contents = (manifest.generation, await self.in_time(lambda: self._read_chapters(manifest)))
        return self._contents[1]

    def _read_chapters(self, manifest: Manifest) -> tuple[Chapter, ...]:
        titles = dict[str, list[str]]()
        for chunk in self.assistant.index.chunks():
            titles.setdefault(chunk.page, []).extend(section.title for section in chunk.sections)
        return tuple(_chapters(manifest, titles))

    async def places(self) -> tuple[SectionPlace, ...]:
        """Sections that have text, in reading order; cached until the index has a new generation."""
        manifest = await self.manifest()
        if self._places is None or self._places[0] != manifest.generation:
            self._places = (manifest.generation, await self.in_time(lambda: self._read_places(manifest)))
        return self._places[1]

    def _read_places(self, manifest: Manifest) -> tuple[SectionPlace, ...]:
        order = {page.path: place for place, page in enumerate(manifest.pages)}
        sections = BookSections(self.assistant.index)
        places = [section.place for section in sections if section.body.strip()]
        return tuple(sorted(places, key=lambda place: order.get(place.page, len(order))))

    async def in_time(self, work: Callable[[], Result]) -> Result:
        """Runs the call in a thread; raises SearchTimeout."""
        return await self.assistant.in_time(work)


def _chapters(manifest: Manifest, titles: Mapping[str, Sequence[str]]) -> Iterator[Chapter]:
    pages = dict[str, list[PageRecord]]()
    for page in manifest.pages:
        pages.setdefault(page.chapter, []).append(page)
    for title, chapter_pages in pages.items():
        sections = [section for page in chapter_pages for section in titles.get(page.path, ())]
        yield Chapter(
            id=_chapter_id(chapter_pages),
            title=title,
            sections=tuple(dict.fromkeys(sections)),
            url=chapter_pages[0].url,
        )


def _chapter_id(pages: Sequence[PageRecord]) -> str:
    """The chapter's folder, or the path of its only page."""
    folder, _, _ = pages[0].path.rpartition("/")
    return folder if folder and len(pages) > 1 else pages[0].path.rsplit(".", 1)[0]


_NUMBERED = re.compile(r"(?:([^\W\d]+) +)?0*(\d+)")
"""`3` or `Module 3`."""


def _titles(requested: str, chapters: Sequence[Chapter]) -> Sequence[str]:
    """Titles of the chapters with this title or id, ignoring case; otherwise of those with its number."""
    name = requested.strip().casefold()
    exact = [
        chapter.title for chapter in chapters if name in (chapter.title.casefold(), chapter.id.casefold())
    ]
    number = _NUMBERED.fullmatch(name)
    if exact or number is None:
        return exact
    # The number alone is only looked for in folder names: "Module 3" may be `03-motion`.
    with_word, number_only = (re.compile(rf"{word}\W*0*{number[2]}(?!\d)") for word in (number[1] or "", ""))
    numbered = [
        chapter.title
        for chapter in chapters
        if with_word.match(chapter.title.casefold()) or with_word.match(_folder(chapter.id))
    ]
    return numbered or [chapter.title for chapter in chapters if number_only.match(_folder(chapter.id))]


def _folder(chapter_id: str) -> str:
    return chapter_id.rpartition("/")[2].casefold()
