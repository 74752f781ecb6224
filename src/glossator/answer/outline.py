"""The book's own table of contents, for who asks for it or for a part that the book does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.answer import wording
from glossator.answer.route.broad import (
    CHAPTER_WORDS,
    PART_WORDS,
    Broad,
    NamedPart,
    NumberedPart,
    WholeBook,
    broad,
)
from glossator.answer.route.lean import FUNCTION_WORDS
from glossator.model import Hit, Manifest, PageRecord, Suggestion
from glossator.text.markdown import escaped
from glossator.text.words import stems

_MOST_LINES = 40
_SHORT_FOR = {"ch": "chapter", "chap": "chapter", "mod": "module"}
_LABEL = re.compile(
    rf"(?:({'|'.join((*PART_WORDS, *_SHORT_FOR))})[\s_-]*)?0*(\d{{1,3}})(?=[\s._:)—–-]|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class OutlinePiece:
    """A sentence or a line of a list, with the white space before it and no citation mark yet."""

    text: str
    pages: tuple[PageRecord, ...]
    """What it rests on: a page to cite; none for a sentence that only leads to the list."""


@dataclass(frozen=True, slots=True)
class Outline:
    asked: Broad
    found: bool
    """False when the book has no such part; the pieces then say which chapters there are."""
    pieces: tuple[OutlinePiece, ...]


def outline(question: str, manifest: Manifest) -> Outline:
    """The chapters of the book, or the pages of the part that was asked for, in reading order."""
    asked = broad(question) or WholeBook()
    if isinstance(asked, WholeBook):
        heading = wording.chapters_of(manifest.book)
        return Outline(asked, bool(manifest.pages), tuple(_chapters(manifest, heading)))
    pages = part_of(asked, manifest)
    if not pages:
        named = f"{asked.word} {asked.number}" if isinstance(asked, NumberedPart) else asked.name
        heading = wording.no_such_chapter(named, manifest.book)
        return Outline(asked, False, tuple(_chapters(manifest, heading)))
    return Outline(asked, True, tuple(_pages(pages)))


def part_of(asked: NumberedPart | NamedPart, manifest: Manifest) -> list[PageRecord]:
    match asked:
        case NumberedPart():
            return _by_number(asked, manifest.pages)
        case NamedPart():
            return _by_name(asked.name, manifest)


def _chapters(manifest: Manifest, heading: str) -> Iterator[OutlinePiece]:
    firsts = dict[str, PageRecord]()
    for page in manifest.pages:
        firsts.setdefault(page.chapter, page)
    yield from _listed(heading, [(chapter, page) for chapter, page in firsts.items()])


def _pages(pages: Sequence[PageRecord]) -> Iterator[OutlinePiece]:
    chapters = list(dict.fromkeys(page.chapter for page in pages))
    heading = wording.pages_of([escaped(chapter) for chapter in chapters])
    yield from _listed(heading, [(page.title, page) for page in pages])


def _listed(heading: str, lines: Sequence[tuple[str, PageRecord]]) -> Iterator[OutlinePiece]:
    yield OutlinePiece(heading, ())
    for number, (title, page) in enumerate(lines[:_MOST_LINES]):
        gap = "\n" if number else "\n\n"
        yield OutlinePiece(f"{gap}- {escaped(title)}", (page,))
    if len(lines) > _MOST_LINES:
        yield OutlinePiece(f"\n\n{wording.and_more(len(lines) - _MOST_LINES)}", ())


def _by_number(asked: NumberedPart, pages: Sequence[PageRecord]) -> list[PageRecord]:
    """The book's own numbers before any counting of ours."""
    found = [page for page in pages if (asked.word, asked.number) in _labels(page)]
    if found or asked.word not in CHAPTER_WORDS:
        return found
    wanted = {(word, asked.number) for word in CHAPTER_WORDS}
    found = [page for page in pages if wanted & set(_labels(page))]
    return found or _by_place(asked.number, pages)


def _labels(page: PageRecord) -> list[tuple[str, int]]:
    """`Chapter 3: …` and `module02/ch03-01-….md` say what they are; `03-…` says only the number."""
    names = [page.chapter, page.title, *page.path.split("/")]
    found = (_LABEL.match(name) for name in names)
    return [(_SHORT_FOR.get(word := (one[1] or "").lower(), word), int(one[2])) for one in found if one]


def _by_place(number: int, pages: Sequence[PageRecord]) -> list[PageRecord]:
    """By the first number in a page's path; by counting chapters in a book without numbers."""
    numbers = [next((number for word, number in _labels(page) if not word), None) for page in pages]
    if any(numbers):
        return [page for page, its_number in zip(pages, numbers, strict=True) if its_number == number]
    chapters = list(dict.fromkeys(page.chapter for page in pages))
    return [page for page in pages if page.chapter in chapters[number - 1 : number]]


def _by_name(name: str, manifest: Manifest) -> list[PageRecord]:
    """The chapter whose title has all the words of the name, or the pages whose titles have."""
    language = manifest.lexicon.language
    wanted = {stem for stem in stems(name, language) if stem not in FUNCTION_WORDS}
    if not wanted:
        return []
    chapters = {page.chapter: set(stems(page.chapter, language)) for page in manifest.pages}
    fitting = [chapter for chapter, has in chapters.items() if wanted <= has]
    if fitting:
        nearest = min(fitting, key=lambda chapter: len(chapters[chapter]))
        return [page for page in manifest.pages if page.chapter == nearest]
    return [page for page in manifest.pages if wanted <= set(stems(page.title, language))]


# The sections nearest to a question that was refused; never an answer.

_MOST = 3
_LEAST_COSINE = 0.3
"""Below it a section is not even near. By likeness: nothing here answers, so all similarities are low."""


def suggest(hits: Sequence[Hit]) -> tuple[Suggestion, ...]:
    near = [hit for hit in hits if (hit.scores.dense or 0.0) >= _LEAST_COSINE]
    sections = {hit.passage.url: _suggestion(hit) for hit in near}
    return tuple(sections.values())[:_MOST]


def _suggestion(hit: Hit) -> Suggestion:
    path = [hit.chunk.page_title, *hit.passage.section.path[-1:]]
    return Suggestion(" > ".join(path), hit.passage.url, hit.chunk.chunk_id)
