"""mdBook: `book.toml`, a `SUMMARY.md` that lists the chapters, and the addresses, anchors and includes."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.ingest.sites.config_file import mapping_of, read_text, read_toml, text_of
from glossator.ingest.sites.configured_site import SourceSite
from glossator.ingest.sites.mdbook_directives import directives
from glossator.ingest.sites.site import (
    AFTER_ALL,
    Directive,
    Heading,
    PageFacts,
    PagePlace,
    SiteKind,
    base_of,
    declared_title,
    is_circled_letter,
    is_within,
    readable_name,
)
from glossator.model import Span
from glossator.text.spans import Spans, remove_spans

CONFIG_NAME = "book.toml"
SUMMARY_NAME = "SUMMARY.md"


@dataclass(frozen=True, slots=True)
class MdBookConfig:
    source: Path = field(repr=False)
    """The folder with the pages."""
    folder: Path = field(repr=False)
    """The folder with `book.toml`."""
    base_url: str
    makes_readmes_indexes: bool
    has_smart_punctuation: bool
    summary: tuple[SummaryEntry, ...] | None
    """None for a book without a summary, where every Markdown file is a page."""
    title: str = field(default="", repr=False)
    language: str = field(default="", repr=False)

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)


@dataclass(frozen=True, slots=True)
class MdBook(SourceSite[MdBookConfig]):
    listed: Mapping[str, tuple[int, SummaryEntry]] = field(repr=False)
    """The entries of the summary by path, each with its number in the reading order."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.MDBOOK

    @property
    def home(self) -> str:
        return ""

    def is_page(self, path: str) -> bool:
        source_path = self.path_in_source(path)
        if source_path is None or not source_path.endswith(".md"):
            return False
        return source_path in self.listed if self.listed else source_path != SUMMARY_NAME

    def place(self, page: PageFacts) -> PagePlace:
        path = self.path_in_source(page.path) or page.path
        number, entry = self.listed.get(path, (None, None))
        if number is None or entry is None:
            title = declared_title(page) or readable_name(PurePosixPath(path).stem)
            return PagePlace(title, self._url(path), title, (AFTER_ALL, path))
        return PagePlace(entry.title, self._url(path), entry.chapter, (float(number), ""))

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return anchors_of(headings, is_smart=self.config.has_smart_punctuation)

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return directives(text, folder)

    def _url(self, path: str) -> str:
        page = PurePosixPath(path)
        is_index = self.config.makes_readmes_indexes and page.stem.lower() == "readme"
        name = "index.html" if is_index else f"{page.stem}.html"
        return self.base.address_in(page.with_name(name).as_posix())


def mdbook(root: Path, config: MdBookConfig, *, base_url: str | None, route_base: str | None) -> MdBook:
    listed = {entry.path: (number, entry) for number, entry in enumerate(config.summary or ())}
    return MdBook(root, base_of(base_url, config.base_url, route_base), config, listed)


def read_config(path: Path) -> MdBookConfig:
    """The settings in `book.toml`, or the defaults where the file does not exist."""
    fields = read_toml(path) if path.is_file() else mapping_of(None)
    html = mapping_of(mapping_of(fields.get("output")).get("html"))
    build = mapping_of(fields.get("build"))
    book = mapping_of(fields.get("book"))
    is_default = build.get("use-default-preprocessors") is not False
    source = path.parent / (text_of(book.get("src")) or "src")
    # Without the source folder, the folder itself holds the pages.
    source = source.resolve() if source.is_dir() else path.parent
    summary = source / SUMMARY_NAME
    return MdBookConfig(
        source=source,
        folder=path.parent,
        base_url=text_of(html.get("site-url")) or "/",
        makes_readmes_indexes=is_default or "index" in mapping_of(fields.get("preprocessor")),
        has_smart_punctuation=html.get("smart-punctuation") is not False,
        summary=entries_of(read_text(summary)) if summary.is_file() else None,
        title=text_of(book.get("title")) or "",
        language=text_of(book.get("language")) or "",
    )


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """A chapter that `SUMMARY.md` lists."""

    path: str
    """The path from the source folder."""
    title: str
    chapter: str
    """The title of its part; without parts, of the top-level chapter that contains it."""


def entries_of(summary: str) -> tuple[SummaryEntry, ...]:
    """The pages in reading order; chapters without a page are left out."""
    tokens = MarkdownIt("commonmark").parse(summary)
    return tuple(entry for entry in _entries(tokens) if entry.path)


def _entries(tokens: Sequence[Token]) -> Iterator[SummaryEntry]:
    part, top, depth = "", "", 0
    first = next(
        (index for index, token in enumerate(tokens) if token.type not in ("html_block", "heading_open")), 0
    )
    for number, token in enumerate(tokens):
        depth += token.nesting if token.type in ("bullet_list_open", "bullet_list_close", *_ORDERED) else 0
        if token.type != "inline":
            continue
        if tokens[number - 1].tag == "h1":
            # The first heading is the title of the summary itself.
            part = "" if number <= first else _text(token)
            continue
        for path, title in _links(token):
            top = title if depth <= 1 else top
            yield SummaryEntry(path, title, (part or top) if depth else title)


_ORDERED = ("ordered_list_open", "ordered_list_close")


def _links(inline: Token) -> Iterator[tuple[str, str]]:
    children = inline.children or []
    for start, token in enumerate(children):
        if token.type == "link_open":
            end = next(i for i in range(start, len(children)) if children[i].type == "link_close")
            href = str(token.attrs.get("href", "")).replace("%20", " ")
            yield posixpath.normpath(href) if href else "", _joined(children[start:end])


def _text(inline: Token) -> str:
    return _joined(inline.children or [])


def _joined(tokens: Sequence[Token]) -> str:
    return "".join(" " if token.type == "softbreak" else token.content for token in tokens)


# Anchors as mdBook 0.5 makes them.

_ALPHABETIC_MARKS = (
    (0x345, 0x345), (0x363, 0x36F), (0x5C4, 0x5C5), (0x610, 0x617), (0x653, 0x657), (0x659, 0x65F),
    (0x6D6, 0x6DC), (0x6E1, 0x6E4), (0x6E7, 0x6E8), (0x6ED, 0x6ED), (0x730, 0x73F), (0x816, 0x817),
    (0x81B, 0x823), (0x825, 0x827), (0x829, 0x82C), (0x8D4, 0x8DF), (0x8E3, 0x8E9), (0x8F3, 0x8FF),
    (0xE3A, 0xE3A), (0xF82, 0xF83), (0x108D, 0x108D),
)  # fmt: skip
_OTHER_MARKS = (
    (0x34F, 0x34F), (0xAFD, 0xAFF), (0xB55, 0xB55), (0xE47, 0xE4C), (0xE4E, 0xE4E), (0xEC8, 0xECC),
    (0xF3E, 0xF3F), (0x17B4, 0x17B5), (0x17C9, 0x17D1), (0x17D3, 0x17D3), (0x180B, 0x180F),
    (0xFE00, 0xFE0F), (0xE0100, 0xE01EF),
)  # fmt: skip
"""Exceptions to the rule that the combining class shows whether Unicode counts a mark as alphabetic."""


_DASHES = re.compile("--+")


def anchors_of(headings: Sequence[Heading], *, is_smart: bool = True) -> list[str]:
    """An author's own id is taken as it is, and does not count as used."""
    used: dict[str, int] = {}
    return [
        heading.custom_id or _unique(id_of(_typeset(heading) if is_smart else heading.text), used)
        for heading in headings
    ]


def _typeset(heading: Heading) -> str:
    """Several hyphens become a dash, except in code, and ids contain no dashes."""
    dashes = [Span(*match.span()) for match in _DASHES.finditer(heading.text)]
    code = Spans(heading.code)
    return remove_spans(heading.text, [span for span in dashes if not code.touch(span)])


def id_of(text: str) -> str:
    return "".join(_id_characters(text.strip().lower()))


def _id_characters(text: str) -> Iterable[str]:
    for character in text:
        if character in "_-" or _is_alphanumeric(character):
            yield character
        elif character.isspace():
            yield "-"


def _unique(base: str, used: dict[str, int]) -> str:
    """`used` has the last number of each id, so that the search for the next does not begin at 1."""
    unique = base
    while unique in used:
        used[base] += 1
        unique = f"{base}-{used[base]}"
    used[unique] = 0
    return unique


def _is_alphanumeric(character: str) -> bool:
    """The same as `char::is_alphanumeric` of Rust: vowel signs count as letters, accents do not."""
    category = unicodedata.category(character)
    if category[0] in "LN" or is_circled_letter(character):
        return True
    return category in ("Mn", "Mc") and _is_alphabetic_mark(character)


def _is_alphabetic_mark(mark: str) -> bool:
    if is_within(ord(mark), _ALPHABETIC_MARKS):
        return True
    combining = unicodedata.combining(mark)
    has_letter_class = combining == 0 or (10 <= combining <= 132 and combining not in (107, 122))
    return has_letter_class and not is_within(ord(mark), _OTHER_MARKS)
