"""The book itself, for those who look around in it: search, chapters, sections."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TypeVar

from glossator.answer.evidence import retrieve_from_book
from glossator.answer.pipeline import Assistant
from glossator.answer.question_generation import SectionPlace, sections_of
from glossator.answer.route import Standalone
from glossator.answer.validate import validate
from glossator.errors import SearchTimeout, SectionUnknown
from glossator.model import Chunk, Confidence, Filters, Hit, Manifest, PageRecord, Question, Vector
from glossator.work import in_thread

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
    assistant: Assistant
    _contents: tuple[int, tuple[Chapter, ...]] | None = field(default=None)
    _places: tuple[int, tuple[SectionPlace, ...]] | None = field(default=None)

    async def search(self, question: Question, *, with_embedding: bool = False) -> SearchOutcome:
        question = validate(question, longest=self.assistant.longest)
        question = replace(question, filters=await self.known(question.filters))
        one = self.assistant
        await one.load()
        begun = perf_counter()
        retrieval = await self.in_time(
            lambda: retrieve_from_book(
                Standalone.of(question.text), question, one.embedder, one.reader, one.index, one.policy
            )
        )
        milliseconds = (perf_counter() - begun) * 1000
        embedding = await self._embedded(question.text) if with_embedding else None
        return SearchOutcome(question.text, retrieval.hits, retrieval.confidence, milliseconds, embedding)

    async def _embedded(self, text: str) -> Vector:
        return await self.in_time(lambda: self.assistant.embedder.embed_query(text).vector)

    async def manifest(self) -> Manifest:
        return await self.in_time(self.assistant.index.manifest)

    async def section(self, chunk_id: str) -> Chunk:
        chunk = await self.in_time(lambda: self.assistant.index.chunk(chunk_id))
        if chunk is None:
            raise SectionUnknown
        return chunk

    async def known(self, filters: Filters) -> Filters:
        """With each chapter by its title, however it was named; what names none is left and finds nothing."""
        if not filters.chapter:
            return filters
        chapters = tuple(_chapters(await self.manifest(), {}))
        titles = [title for named in filters.chapter for title in _titles(named, chapters) or (named,)]
        return replace(filters, chapter=tuple(dict.fromkeys(titles)))

    async def chapters(self) -> tuple[Chapter, ...]:
        """In reading order; read from the index once a generation."""
        manifest = await self.manifest()
        if self._contents is None or self._contents[0] != manifest.generation:
            self._contents = (manifest.generation, await self.in_time(lambda: self._read(manifest)))
        return self._contents[1]

    def _read(self, manifest: Manifest) -> tuple[Chapter, ...]:
        titles = dict[str, list[str]]()
        chunks = sorted(self.assistant.index.chunks(), key=lambda chunk: (chunk.page, chunk.index))
        for chunk in chunks:
            titles.setdefault(chunk.page, []).extend(section.title for section in chunk.sections)
        return tuple(_chapters(manifest, titles))

    async def places(self) -> tuple[SectionPlace, ...]:
        """Sections that have words of their own, in reading order; read from the index once a generation."""
        manifest = await self.manifest()
        if self._places is None or self._places[0] != manifest.generation:
            self._places = (manifest.generation, await self.in_time(lambda: self._read_places(manifest)))
        return self._places[1]

    def _read_places(self, manifest: Manifest) -> tuple[SectionPlace, ...]:
        order = {page.path: place for place, page in enumerate(manifest.pages)}
        found = [
            section.place for section in sections_of(self.assistant.index.chunks()) if section.body.strip()
        ]
        return tuple(sorted(found, key=lambda place: order.get(place.page, len(order))))

    async def in_time(self, work: Callable[[], Result]) -> Result:
        """In a thread; raises SearchTimeout."""
        try:
            async with asyncio.timeout(self.assistant.timeouts.search):
                return await in_thread(work)
        except TimeoutError as error:
            raise SearchTimeout from error


def _chapters(manifest: Manifest, titles: Mapping[str, Sequence[str]]) -> Iterator[Chapter]:
    pages = dict[str, list[PageRecord]]()
    for page in manifest.pages:
        pages.setdefault(page.chapter, []).append(page)
    for title, its_pages in pages.items():
        sections = [section for page in its_pages for section in titles.get(page.path, ())]
        yield Chapter(
            id=_name(its_pages), title=title, sections=tuple(dict.fromkeys(sections)), url=its_pages[0].url
        )


def _name(pages: Sequence[PageRecord]) -> str:
    """What names a chapter in the book's own files: its folder, or its only page."""
    folder, _, _ = pages[0].path.rpartition("/")
    return folder if folder and len(pages) > 1 else pages[0].path.rsplit(".", 1)[0]


_NUMBERED = re.compile(r"(?:([^\W\d]+) +)?0*(\d+)")
"""`3`, or with a word before it: `Module 3`."""


def _titles(named: str, chapters: Sequence[Chapter]) -> Sequence[str]:
    """Of the chapters that have this title or id, in any letters; else of those that have its number."""
    wanted = named.strip().casefold()
    found = [one.title for one in chapters if wanted in (one.title.casefold(), one.id.casefold())]
    number = _NUMBERED.fullmatch(wanted)
    if found or number is None:
        return found
    # The number without its word is only looked for in folders: "Module 3" may be in `03-motion`.
    said, counted = (re.compile(rf"{word}\W*0*{number[2]}(?!\d)") for word in (number[1] or "", ""))
    spoken = [
        one.title for one in chapters if said.match(one.title.casefold()) or said.match(_folder(one.id))
    ]
    return spoken or [one.title for one in chapters if counted.match(_folder(one.id))]


def _folder(chapter_id: str) -> str:
    return chapter_id.rpartition("/")[2].casefold()
