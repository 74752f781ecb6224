"""Rebuilds the sections of a book from its chunks; defines generated questions and their places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil

from glossator.model import Chunk, Section
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


def sections_of(chunks: Iterable[Chunk]) -> list[BookSection]:
    """Each section once, page by page, sorted by path."""
    pages = dict[str, list[Chunk]]()
    for chunk in chunks:
        pages.setdefault(chunk.page, []).append(chunk)
    return [
        section
        for page in sorted(pages)
        for section in _page_sections(sorted(pages[page], key=lambda chunk: chunk.index))
    ]


def common_stems(sections: Sequence[BookSection], language: str) -> frozenset[str]:
    """Stems of words that occur in very many sections."""
    counts = Counter(stem for section in sections for stem in set(stems(section.body, language)))
    threshold = max(ceil(len(sections) * _COMMON), _FEW_SECTIONS)
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
    starts = sorted(by_start)
    page_end = max(chunk.end for chunk in chunks)
    for number, start in enumerate(starts):
        section, chunk = by_start[start]
        later = [by_start[begin][0] for begin in starts[number + 1 :]]
        yield BookSection(
            place=SectionPlace(
                chunk.page, section.title, chunk.url_of(section), start, _end(section, later, page_end)
            ),
            page_title=chunk.page_title,
            path=section.path,
            body=_body(chunks, section, later[0].start if later else page_end),
        )


def _end(section: Section, later: Sequence[Section], page_end: int) -> int:
    depth = len(section.path)
    ends = (
        other.start for other in later if other.path[:depth] != section.path or other.path == section.path
    )
    return next(ends, page_end)


def _body(chunks: Sequence[Chunk], section: Section, end: int) -> str:
    text, position = "", section.start
    for chunk in chunks:
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


def merge_by_subject(questions: Iterable[GeneratedQuestion], language: str) -> list[GeneratedQuestion]:
    """The first question about each subject, with the places and facts of all of them."""
    by_subject = dict[Hashable, list[GeneratedQuestion]]()
    for question in questions:
        by_subject.setdefault(frozenset(content_stems(question.text, language)), []).append(question)
    return [
        replace(
            group[0],
            places=tuple(dict.fromkeys(place for question in group for place in question.places)),
            facts=tuple(dict.fromkeys(fact for question in group for fact in question.facts)),
        )
        for group in by_subject.values()
    ]
