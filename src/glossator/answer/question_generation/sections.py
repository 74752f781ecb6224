"""The sections of a book, put together again from its chunks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil

from glossator.answer.weigh import asked_for
from glossator.model import Chunk, Section
from glossator.text.markdown import plain
from glossator.text.sentences import sentences
from glossator.text.words import stems

_FENCE = re.compile(r"[ \t>]*(?P<marks>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)")
_NOT_PROSE = re.compile(r"^\s*(?:[|<#]|:::|import\s|export\s|!\[|\$\$|\{|(?:-{3,}|={3,}|\*{3,})\s*$)")
_ROW = re.compile(r"[ \t]*\|")
_CELL_END = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]+")
_ITEM = re.compile(r"^[^\S\n]*+(?:[-*+]|\d{1,3}[.)])\s+", re.MULTILINE)
_SHORTEST_SENTENCE = 5
"""Words."""
_COMMON = 0.2
"""Of the sections: words that stand in more of them lead nowhere."""
_FEW_SECTIONS = 10


@dataclass(frozen=True, slots=True)
class BookSection:
    place: SectionPlace
    page_title: str
    path: tuple[str, ...]
    """As in `Section`: empty for the page as a whole."""
    body: str
    """Its own Markdown, without its heading and without the sections below it."""

    @property
    def title(self) -> str:
        return self.place.title


@dataclass(frozen=True, slots=True)
class CodeBlock:
    language: str
    text: str


def sections_of(chunks: Iterable[Chunk]) -> list[BookSection]:
    """Page by page in the order of their names, each section once."""
    pages = dict[str, list[Chunk]]()
    for chunk in chunks:
        pages.setdefault(chunk.page, []).append(chunk)
    return [
        section
        for page in sorted(pages)
        for section in _of_page(sorted(pages[page], key=lambda chunk: chunk.index))
    ]


def common_stems(sections: Sequence[BookSection], language: str) -> frozenset[str]:
    """Of the words that the book has nearly everywhere."""
    counts = Counter(stem for section in sections for stem in set(stems(section.body, language)))
    most = max(ceil(len(sections) * _COMMON), _FEW_SECTIONS)
    return frozenset(stem for stem, count in counts.items() if count > most)


def paragraphs(body: str) -> Iterator[str]:
    """Paragraphs and items of lists, as Markdown; code, tables and tags are left out."""
    for block in re.split(r"\n\s*\n", _read(body)[0]):
        for part in _ITEM.split(block):
            kept = [line for line in part.splitlines() if line.strip() and not _NOT_PROSE.match(line)]
            if kept:
                yield "\n".join(kept)


def code_blocks(body: str) -> list[CodeBlock]:
    return _read(body)[1]


def tables(body: str) -> Iterator[list[list[str]]]:
    """Each with its head first, as words without markup; rows that are shorter or longer are left out."""
    for is_table, lines in groupby(_read(body)[0].splitlines(), key=lambda line: bool(_ROW.match(line))):
        rows = [_cells(line) for line in lines if not _RULE.fullmatch(line)] if is_table else []
        if len(rows) > 1:
            yield [row for row in rows if len(row) == len(rows[0])]


def _read(body: str) -> tuple[str, list[CodeBlock]]:
    """What stands outside of fences, and what stands in them."""
    outside, inside = list[str](), list[CodeBlock]()
    open_fence, code = None, list[str]()
    for line in body.splitlines():
        fence = _FENCE.match(line)
        if open_fence is None and fence:
            open_fence, code = fence, []
            outside.append("")
        elif open_fence and fence and fence["marks"].startswith(open_fence["marks"]):
            inside.append(CodeBlock(open_fence["language"].lower(), "\n".join(code)))
            open_fence = None
        else:
            (code if open_fence else outside).append(line)
    return "\n".join(outside), inside


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [plain(cell.replace(r"\|", "|")) for cell in _CELL_END.split(inner)]


def first_sentence(section: BookSection) -> str | None:
    """The first that is a whole one, as its words alone."""
    for paragraph in paragraphs(section.body):
        for span in sentences(paragraph):
            words = plain(paragraph[span.start : span.end])
            if len(words.split()) >= _SHORTEST_SENTENCE and words[-1] in ".!?":
                return words
    return None


def _of_page(chunks: Sequence[Chunk]) -> Iterator[BookSection]:
    found = {section.start: (section, chunk) for chunk in chunks for section in chunk.sections}
    starts = sorted(found)
    last = max(chunk.end for chunk in chunks)
    for number, start in enumerate(starts):
        section, chunk = found[start]
        below = [found[later][0] for later in starts[number + 1 :]]
        yield BookSection(
            place=SectionPlace(
                chunk.page, section.title, chunk.url_of(section), start, _end(section, below, last)
            ),
            page_title=chunk.page_title,
            path=section.path,
            body=_body(chunks, section, below[0].start if below else last),
        )


def _end(section: Section, later: Sequence[Section], last: int) -> int:
    depth = len(section.path)
    over = (
        other.start for other in later if other.path[:depth] != section.path or other.path == section.path
    )
    return next(over, last)


def _body(chunks: Sequence[Chunk], section: Section, end: int) -> str:
    text, reached = "", section.start
    for chunk in chunks:
        start = max(reached, chunk.start)
        if start < min(end, chunk.end):
            text += chunk.text[start - chunk.start : end - chunk.start]
            reached = chunk.end
    # Only the page itself has no anchor, and no line of its own for its title.
    return text.partition("\n")[2] if section.anchor else text


# A question whose answer's place is known.


@dataclass(frozen=True, slots=True)
class SectionPlace:
    """A section and all that stands below it."""

    page: str
    title: str
    url: str
    start: int
    end: int
    """Characters of the page's source."""

    def holds(self, page: str, start: int) -> bool:
        return page == self.page and self.start <= start < self.end


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    text: str
    about: str
    """What it asks about, in the book's words."""
    places: tuple[SectionPlace, ...]
    """Where the answer stands; any of them will do."""
    facts: tuple[str, ...] = ()
    """Words of the book that carry the answer; any of them will do. None are known of a mere heading."""
    after: str = ""
    """The question that was asked before it, where it leans on one."""


def joined(questions: Iterable[GeneratedQuestion], language: str) -> list[GeneratedQuestion]:
    """No subject twice: the first question about each, with the places and the facts of all of them."""
    by_subject = dict[Hashable, list[GeneratedQuestion]]()
    for question in questions:
        by_subject.setdefault(frozenset(asked_for(question.text, language)), []).append(question)
    return [
        replace(
            same[0],
            places=tuple(dict.fromkeys(place for question in same for place in question.places)),
            facts=tuple(dict.fromkeys(fact for question in same for fact in question.facts)),
        )
        for same in by_subject.values()
    ]
