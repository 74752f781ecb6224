"""Rebuilds the sections of a book from its chunks; defines generated questions and their places."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from math import ceil

from glossator.model import Chunk, Section
from glossator.ports import Index
from glossator.text.markdown import plain
from glossator.text.sentences import sentences
from glossator.text.words import content_stems, stems

_FENCE = re.compile(r"[ \t>]*(?P<marks>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)")
_NOT_PROSE = re.compile(r"^\s*(?:[|<#]|:::|import\s|export\s|!\[|\$\$|\{|(?:-{3,}|={3,}|\*{3,})\s*$)")
_ROW = re.compile(r"[ \t]*\|")
_CELL_END = re.compile(r"(?<!\\)\|")
_SEPARATOR_ROW = re.compile(r"[\s|:-]+")
_ITEM = re.compile(r"^[^\S\n]*+(?:[-*+]|\d{1,3}[.)])\s+", re.MULTILINE)
_SHORTEST_SENTENCE = 5
"""Words."""
_COMMON = 0.2
"""Share of the sections: a word in more of them distinguishes nothing."""
_FEW_SECTIONS = 10


@dataclass(frozen=True, slots=True)
class BookSection:
    place: SectionPlace
    page_title: str
    path: tuple[str, ...]
    """As in `Section`: empty for the whole page."""
    body: str
    """Its Markdown without the heading and without subsections."""

    @property
    def title(self) -> str:
        return self.place.title


@dataclass(frozen=True, slots=True)
class CodeBlock:
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class BookSections(Iterable[BookSection]):
    """The sections of the book in an index, read anew each time, so that one page is held at a time."""

    index: Index

    def __iter__(self) -> Iterator[BookSection]:
        return sections_of(self.index.chunks())


def sections_of(chunks: Iterable[Chunk]) -> Iterator[BookSection]:
    """Each section once, of chunks in the order of `Index.chunks`."""
    for _, page in groupby(chunks, key=lambda chunk: chunk.page):
        yield from _page_sections(list(page))


def common_stems(sections: Iterable[BookSection], language: str) -> frozenset[str]:
    """Stems of words that occur in very many sections."""
    counts, size = Counter[str](), 0
    for section in sections:
        counts.update(set(stems(section.body, language)))
        size += 1
    threshold = max(ceil(size * _COMMON), _FEW_SECTIONS)
    return frozenset(stem for stem, count in counts.items() if count > threshold)


def paragraphs(body: str) -> Iterator[str]:
    """Paragraphs and list items as Markdown, without code, tables and tags."""
    for block in re.split(r"\n\s*\n", _split_code(body)[0]):
        for part in _ITEM.split(block):
            prose = [line for line in part.splitlines() if line.strip() and not _NOT_PROSE.match(line)]
            if prose:
                yield "\n".join(prose)


def code_blocks(body: str) -> list[CodeBlock]:
    return _split_code(body)[1]


def tables(body: str) -> Iterator[list[list[str]]]:
    """Cells without markup, the header row first; rows of another length are left out."""
    for is_table, lines in groupby(
        _split_code(body)[0].splitlines(), key=lambda line: bool(_ROW.match(line))
    ):
        rows = [_cells(line) for line in lines if not _SEPARATOR_ROW.fullmatch(line)] if is_table else []
        if len(rows) > 1:
            yield [row for row in rows if len(row) == len(rows[0])]


def _split_code(body: str) -> tuple[str, list[CodeBlock]]:
    """The text outside of fences, and the code blocks."""
    prose, blocks = list[str](), list[CodeBlock]()
    open_fence, code = None, list[str]()
    for line in body.splitlines():
        fence = _FENCE.match(line)
        if open_fence is None and fence:
            open_fence, code = fence, []
            prose.append("")
        elif open_fence and fence and fence["marks"].startswith(open_fence["marks"]):
            blocks.append(CodeBlock(open_fence["language"].lower(), "\n".join(code)))
            open_fence = None
        else:
            (code if open_fence else prose).append(line)
    return "\n".join(prose), blocks


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [plain(cell.replace(r"\|", "|")) for cell in _CELL_END.split(inner)]


def first_sentence(section: BookSection) -> str | None:
    """The first complete sentence, without markup."""
    for paragraph in paragraphs(section.body):
        for span in sentences(paragraph):
            words = plain(paragraph[span.start : span.end])
            if len(words.split()) >= _SHORTEST_SENTENCE and words[-1] in ".!?":
                return words
    return None


def _page_sections(chunks: Sequence[Chunk]) -> Iterator[BookSection]:
    by_start = {section.start: (section, chunk) for chunk in chunks for section in chunk.sections}
    sections = [by_start[start] for start in sorted(by_start)]
    page, page_end = chunks[0].page, max(chunk.end for chunk in chunks)
    ends = [chunk.end for chunk in chunks]
    for number, (section, chunk) in enumerate(sections):
        later = (sections[place][0] for place in range(number + 1, len(sections)))
        own_end = sections[number + 1][0].start if number + 1 < len(sections) else page_end
        own = (chunks[place] for place in range(bisect_right(ends, section.start), len(chunks)))
        yield BookSection(
            place=SectionPlace(
                page, section.title, chunk.url_of(section), section.start, _end(section, later, page_end)
            ),
            page_title=chunk.page_title,
            path=section.path,
            body=_body(own, section, own_end),
        )


def _end(section: Section, later: Iterable[Section], page_end: int) -> int:
    depth = len(section.path)
    ends = (
        other.start for other in later if other.path[:depth] != section.path or other.path == section.path
    )
    return next(ends, page_end)


def _body(chunks: Iterable[Chunk], section: Section, end: int) -> str:
    text, position = "", section.start
    for chunk in takewhile(lambda chunk: chunk.start < end, chunks):
        start = max(position, chunk.start)
        if start < min(end, chunk.end):
            text += chunk.text[start - chunk.start : end - chunk.start]
            position = chunk.end
    # A section with an anchor begins with its heading; the page itself has neither.
    return text.partition("\n")[2] if section.anchor else text


@dataclass(frozen=True, slots=True)
class SectionPlace:
    """The position of a section with its subsections."""

    page: str
    title: str
    url: str
    start: int
    end: int
    """Offsets in the page's source."""

    def holds(self, page: str, start: int) -> bool:
        return page == self.page and self.start <= start < self.end


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    """A question whose answering sections are known."""

    text: str
    about: str
    """Its subject, in the book's words."""
    places: tuple[SectionPlace, ...]
    """Sections that answer it; any of them will do."""
    facts: tuple[str, ...] = ()
    """Words of the book that the answer must have, any of them; empty for a question from a heading."""
    after: str = ""
    """The question before it, if it is a follow-up."""


def subject_of(question: GeneratedQuestion, language: str) -> Hashable:
    """Equal for questions that differ in small words and the order of words only."""
    return frozenset(content_stems(question.text, language))


def merge_by_subject(questions: Iterable[GeneratedQuestion], language: str) -> list[GeneratedQuestion]:
    """The first question about each subject, with the places and facts of all of them."""
    by_subject = dict[Hashable, list[GeneratedQuestion]]()
    for question in questions:
        by_subject.setdefault(subject_of(question, language), []).append(question)
    return [
        replace(
            group[0],
            places=tuple(dict.fromkeys(place for question in group for place in question.places)),
            facts=tuple(dict.fromkeys(fact for question in group for fact in question.facts)),
        )
        for group in by_subject.values()
    ]
