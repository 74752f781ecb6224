"""Answers from the table of contents: chapters, pages of a part, and sections to suggest on a refusal."""

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
from glossator.model import Hit, Manifest, PageRecord, Suggestion
from glossator.text.english import EMPTY_WORDS
from glossator.text.markdown import escape
from glossator.text.words import stems

_MOST_LINES = 40
_SHORT_FOR = {"ch": "chapter", "chap": "chapter", "mod": "module"}
_LABEL = re.compile(
    rf"(?:({'|'.join((*PART_WORDS, *_SHORT_FOR))})[\s_-]*)?0*(\d{{1,3}})(?=[\s._:)—–-]|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class OutlinePiece:
    """A sentence or a list line with leading white space, still without a citation mark."""

    text: str
    pages: tuple[PageRecord, ...]
    """The pages to cite; none for the sentence that introduces the list."""


@dataclass(frozen=True, slots=True)
class Outline:
    asked: Broad
    found: bool
    """False if the book has no such part; the pieces then list its chapters."""
    pieces: tuple[OutlinePiece, ...]


def outline(question: str, manifest: Manifest) -> Outline:
    """The chapters of the book, or the pages of the requested part, in reading order."""
    requested = broad(question) or WholeBook()
    if isinstance(requested, WholeBook):
        heading = wording.chapters_of(manifest.book)
        return Outline(requested, bool(manifest.pages), tuple(_chapters(manifest, heading)))
    pages = part_of(requested, manifest)
    if not pages:
        name = (
            f"{requested.word} {requested.number}" if isinstance(requested, NumberedPart) else requested.name
        )
        heading = wording.no_such_chapter(name, manifest.book)
        return Outline(requested, False, tuple(_chapters(manifest, heading)))
    return Outline(requested, True, tuple(_pages(pages)))


def part_of(requested: NumberedPart | NamedPart, manifest: Manifest) -> list[PageRecord]:
    match requested:
        case NumberedPart():
            pages = _by_number(requested, manifest.pages)
            return pages if _may_be_titled(pages, requested.title, manifest.lexicon.language) else []
        case NamedPart():
            return _by_name(requested, manifest)


def first_pages(manifest: Manifest) -> dict[str, PageRecord]:
    """The first page of each chapter, by the chapter's title."""
    firsts = dict[str, PageRecord]()
    for page in manifest.pages:
        firsts.setdefault(page.chapter, page)
    return firsts


def name_stems(name: str, language: str) -> set[str]:
    """The stems that a title must have to fit the name."""
    return {stem for stem in stems(name, language) if stem not in EMPTY_WORDS}


def _chapters(manifest: Manifest, heading: str) -> Iterator[OutlinePiece]:
    yield from _listed(heading, list(first_pages(manifest).items()))


def _pages(pages: Sequence[PageRecord]) -> Iterator[OutlinePiece]:
    chapters = list(dict.fromkeys(page.chapter for page in pages))
    heading = wording.pages_of([escape(chapter) for chapter in chapters])
    yield from _listed(heading, [(page.title, page) for page in pages])


def _listed(heading: str, lines: Sequence[tuple[str, PageRecord]]) -> Iterator[OutlinePiece]:
    yield OutlinePiece(heading, ())
    for number, (title, page) in enumerate(lines[:_MOST_LINES]):
        gap = "\n" if number else "\n\n"
        yield OutlinePiece(f"{gap}- {escape(title)}", (page,))
    if len(lines) > _MOST_LINES:
        yield OutlinePiece(f"\n\n{wording.and_more(len(lines) - _MOST_LINES)}", ())


def _by_number(requested: NumberedPart, pages: Sequence[PageRecord]) -> list[PageRecord]:
    """The book's own numbers come before counted positions."""
    labelled = [page for page in pages if (requested.word, requested.number) in _labels(page)]
    if labelled or requested.word not in CHAPTER_WORDS:
        return labelled
    labels = {(word, requested.number) for word in CHAPTER_WORDS}
    labelled = [page for page in pages if labels & set(_labels(page))]
    return labelled or _by_position(requested.number, pages)


def _may_be_titled(pages: Sequence[PageRecord], title: str, language: str) -> bool:
    """False if the reader names a title of which the part lacks most words: it is of another book."""
    wanted = name_stems(title, language)
    titles = {stem for page in pages for stem in stems(f"{page.chapter} {page.title}", language)}
    return not wanted or 2 * len(wanted & titles) > len(wanted)


def _labels(page: PageRecord) -> list[tuple[str, int]]:
    """Word and number of `Chapter 3: …` or `module02/ch03-01-….md`; the word is empty for `03-…`."""
    names = [page.chapter, page.title, *page.path.split("/")]
    matches = (_LABEL.match(name) for name in names)
    return [
        (_SHORT_FOR.get(word := (match[1] or "").lower(), word), int(match[2])) for match in matches if match
    ]


def _by_position(number: int, pages: Sequence[PageRecord]) -> list[PageRecord]:
    """Finds a part by the first number in a page's path; in a book without numbers, by counting chapters."""
    numbers = [next((number for word, number in _labels(page) if not word), None) for page in pages]
    if any(numbers):
        return [page for page, page_number in zip(pages, numbers, strict=True) if page_number == number]
    chapters = list(dict.fromkeys(page.chapter for page in pages))
    return [page for page in pages if page.chapter in chapters[number - 1 : number]]


def _by_name(requested: NamedPart, manifest: Manifest) -> list[PageRecord]:
    """The chapter whose title has all words of the name, or the pages whose titles have.

    For a section or a page, it is the one page whose title has the fewest other words. A page with the title
    of its chapter opens the chapter, so it comes last.
    """
    language = manifest.lexicon.language
    wanted = name_stems(requested.name, language)
    if not wanted:
        return []
    pages = [page for page in manifest.pages if wanted <= set(stems(page.title, language))]
    if requested.is_small and pages:
        return [
            min(pages, key=lambda page: (page.title == page.chapter, len(name_stems(page.title, language))))
        ]
    chapters = {page.chapter: set(stems(page.chapter, language)) for page in manifest.pages}
    matching = [chapter for chapter, title_stems in chapters.items() if wanted <= title_stems]
    if matching:
        shortest = min(matching, key=lambda chapter: len(chapters[chapter]))
        return [page for page in manifest.pages if page.chapter == shortest]
    return pages


# Suggestions for a refused question.

_MOST = 3


def suggest(hits: Sequence[Hit]) -> tuple[Suggestion, ...]:
    """The sections nearest to a refused question; they do not answer it."""
    sections = {hit.passage.url: _suggestion(hit) for hit in hits if hit.is_near}
    return tuple(sections.values())[:_MOST]


def _suggestion(hit: Hit) -> Suggestion:
    path = [hit.chunk.page_title, *hit.passage.section.path[-1:]]
    return Suggestion(" > ".join(path), hit.passage.url, hit.chunk.chunk_id)
