"""A parsed page, the pages of a book with their addresses, and the folders of their site."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from markdown_it.token import Token

from glossator.ingest.discover import MARKDOWN, PageFile, read_page
from glossator.ingest.front_matter import body_start
from glossator.ingest.page import dialect_of, headings_of, load_page
from glossator.ingest.parse import Document, Tokenized, document_of, tokenize
from glossator.ingest.sites import Heading, PagePlace, Site, SiteKind
from glossator.model import Origin, Skipped, Span

_NEWLINE = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class BookPage:
    path: str
    text: str
    tokenized: Tokenized
    first_line: int
    """The line of the source, counted from 1, that is line 0 of the tokens."""
    origins: tuple[Origin, ...]

    @property
    def tokens(self) -> Sequence[Token]:
        """The tokens of the parser, with lines counted from the end of the front matter."""
        return self.tokenized.tokens

    @cached_property
    def document(self) -> Document:
        return document_of(self.text, self.tokenized)

    @cached_property
    def headings(self) -> Sequence[Heading]:
        return headings_of(self.document)

    @cached_property
    def references(self) -> Mapping[str, int]:
        """For each address of a link definition, `[label]: address`, its line."""
        references = cast("dict[str, dict[str, Any]]", self.tokenized.environment.get("references", {}))
        return {
            str(definition["href"]): self.first_line + int(definition["map"][0])
            for definition in references.values()
        }

    def line_in_file(self, line: int, file: str) -> int:
        """The line of the page's file that a line of its text comes from."""
        offset = [0, *self._line_starts][line - 1]
        places = (origin.place(Span(offset, offset)) for origin in self.origins if offset < origin.text.end)
        return file.count("\n", 0, next(places, Span(0, 0)).start) + 1

    @cached_property
    def lines(self) -> Sequence[str]:
        return _NEWLINE.split(self.text)

    def line_at(self, offset: int) -> int:
        return 1 + bisect_right(self._line_starts, offset)

    @cached_property
    def _line_starts(self) -> Sequence[int]:
        """The offsets of all lines but the first."""
        return [newline.end() for newline in _NEWLINE.finditer(self.text)]

    def line_of(self, token: Token) -> int:
        return self.first_line + (token.map[0] if token.map else 0)

    def source_of(self, token: Token) -> str:
        """The source lines of the token."""
        first, after_last = token.map or (0, 0)
        offset = self.first_line - 1
        return "\n".join(self.lines[offset + first : offset + after_last])


@dataclass(frozen=True, slots=True)
class CheckedBook:
    folders: Folders
    site: Site
    places: Mapping[str, PagePlace]
    """The address, title and order of each page, by path, in reading order."""
    contents: BookPage | None
    """The `SUMMARY.md` of an mdBook."""
    unreadable: tuple[Skipped, ...]


def read_page_of(root: Path, path: str, site: Site) -> PageFile:
    """Markdown as its author wrote it, without included files; another format as the Markdown made of it."""
    return read_page(root, path) if path.lower().endswith(MARKDOWN) else load_page(root, path, site)


def parse_page(file: PageFile, site: Site) -> BookPage:
    return BookPage(
        path=file.path,
        text=file.text,
        tokenized=tokenize(file.text, dialect_of(file.path, site)),
        first_line=1 + len(_NEWLINE.findall(file.text, 0, body_start(file.text))),
        origins=file.origins,
    )


def contents_page(root: Path, site: Site) -> BookPage | None:
    """The `SUMMARY.md` of an mdBook."""
    for folder in site.content_roots if site.kind is SiteKind.MDBOOK else ():
        summary = folder / "SUMMARY.md"
        if summary.is_file() and summary.is_relative_to(root):
            return parse_page(read_page(root, summary.relative_to(root).as_posix()), site)
    return None


_CONFIGURATIONS = {
    SiteKind.DOCUSAURUS: "docusaurus.config.*",
    SiteKind.MDBOOK: "book.toml",
    SiteKind.MKDOCS: "mkdocs.y*ml",
    SiteKind.SPHINX: "conf.py",
    SiteKind.MYST: "myst.yml",
    SiteKind.STARLIGHT: "astro.config.*",
    SiteKind.HUGO: "hugo.*",
    SiteKind.JEKYLL: "_config.yml",
    SiteKind.GITBOOK: ".gitbook.yaml",
    SiteKind.VITEPRESS: ".vitepress/config.*",
}

_GENERATES_FILES = "gen-files"
"""A MkDocs plugin that writes pages during the build."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of a site that links can point into."""

    root: Path
    """The folder that the author gave."""
    content: tuple[Path, ...]
    """The folders with the pages."""
    site: Path | None
    """The folder with the generator's configuration."""
    static: Path | None
    """The folder whose files the site serves unchanged at its root."""
    has_generated_files: bool = False
    """Whether the generator writes files that pages may link to."""

    @property
    def boundary(self) -> Path:
        """A link to a missing file outside this folder is no finding."""
        return self.site or self.root


def folders_of(root: Path, site: Site) -> Folders:
    folder = _site_folder(root, site.kind)
    configuration = _configuration(folder, site.kind) if folder else ""
    return Folders(
        root=root,
        content=site.content_roots or (root,),
        site=folder,
        static=_static_folder(folder, configuration) if folder and site.kind is SiteKind.DOCUSAURUS else None,
        has_generated_files=_GENERATES_FILES in configuration,
    )


def _site_folder(root: Path, kind: SiteKind) -> Path | None:
    pattern = _CONFIGURATIONS.get(kind)
    if pattern is None:
        return None
    folders = (folder for parent in (root, *root.parents) for folder in (parent, parent / "website"))
    return next((folder for folder in folders if any(folder.glob(pattern))), None)


def _configuration(folder: Path, kind: SiteKind) -> str:
    files = folder.glob(_CONFIGURATIONS[kind])
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)


def _static_folder(folder: Path, configuration: str) -> Path | None:
    """None also for a site that configures its static folders, because they are not read from there."""
    has_default = (folder / "static").is_dir() and "staticDirectories" not in configuration
    return folder / "static" if has_default else None
