"""Put included files into the text of a page, as the site generator does when it builds the page.

Files are read only inside the repository of the book, whatever a directive or a symbolic link names. A
directive that names no such file stays in the text as the author wrote it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from glossator.ingest.discover import PageFile
from glossator.ingest.sites import Directive, Site
from glossator.model import Origin, Span

_DEEPEST = 10
"""How deep includes may be nested; mdBook has the same limit."""
_LARGEST_FILE = 1_000_000
"""Bytes; a larger file is data and no text for readers."""
_LARGEST_PAGE = 4_000_000
"""Characters of included text; without a limit, ten includes of ten includes would fill the memory."""
_MOST_FILES = 1000
"""How many files one page may include."""


_NEWLINE = re.compile(r"\r\n?")


def resolve_includes(file: PageFile, root: Path, site: Site) -> PageFile:
    path = root / file.path
    if next(site.directives(file.text, path.parent), None) is None:
        # Most pages include nothing, and finding the repository takes longer than reading the page.
        return file
    page = path.resolve()
    resolver = Resolver(repository_of(page.parent, site.folder), site.directives)
    replacements = list(resolver.replacements(file.text, page.parent, (page,)))
    return with_replacements(file, replacements) if replacements else file


def repository_of(folder: Path, otherwise: Path) -> Path:
    """The nearest folder above with a `.git`."""
    found = (parent for parent in (folder, *folder.parents) if (parent / ".git").exists())
    return next(found, otherwise).resolve()


def with_replacements(file: PageFile, replacements: Sequence[tuple[Span, str]]) -> PageFile:
    """The page with texts in place of spans of its file."""
    parts, origins, position, length = list[str](), list[Origin](), 0, 0
    for span, text in [*replacements, (Span(len(file.text), len(file.text)), "")]:
        for part, place in ((file.text[position : span.start], Span(position, span.start)), (text, span)):
            if part:
                parts.append(part)
                origins.append(Origin(Span(length, length + len(part)), place))
                length += len(part)
        position = span.end
    text = "".join(parts)
    content_hash = hashlib.sha256(f"{file.content_hash}\0{text}".encode()).hexdigest()
    return replace(file, text=text, content_hash=content_hash, origins=tuple(origins))


Syntax = Callable[[str, Path], Iterator[Directive]]
"""The directives in a text that stands in a folder, in order."""


class Resolver:
    """Reads the files that the directives of one page name."""

    def __init__(self, repository: Path, syntax: Syntax = lambda text, folder: iter(())) -> None:
        self._repository = repository
        self._syntax = syntax
        self._room = _LARGEST_PAGE
        self._files_left = _MOST_FILES

    def replacements(
        self, text: str, folder: Path, inside: tuple[Path, ...] = ()
    ) -> Iterator[tuple[Span, str]]:
        """The spans of the directives, each with its text; `inside` are the files that include this one."""
        for directive in self._syntax(text, folder):
            shown = self._shown(directive, inside)
            if shown is not None:
                yield directive.span, shown

    def read(self, path: Path) -> str | None:
        """The text of a file in the repository; None for any other, and when a page has included enough."""
        found = self._inside_repository(path)
        text = read_text(found) if found and self._files_left else None
        if text is None or len(text) > self._room:
            return None
        self._files_left -= 1
        self._room -= len(text)
        return text

    def _shown(self, directive: Directive, inside: tuple[Path, ...]) -> str | None:
        if not directive.files:
            return directive.select("")
        found = next((path for path in map(self._inside_repository, directive.files) if path), None)
        if found is None or found in inside or len(inside) > _DEEPEST or not self._files_left:
            return None
        self._files_left -= 1
        selected = directive.select(text) if (text := read_text(found)) is not None else None
        if selected is None or len(selected) > self._room:
            return None
        self._room -= len(selected)
        return self.resolved(selected, found.parent, (*inside, found))

    def resolved(self, text: str, folder: Path, inside: tuple[Path, ...] = ()) -> str:
        """The text with what its readers see in place of the directives."""
        parts, position = list[str](), 0
        for span, shown in self.replacements(text, folder, inside):
            parts += (text[position : span.start], shown)
            position = span.end
        return "".join((*parts, text[position:]))

    def _inside_repository(self, path: Path) -> Path | None:
        try:
            found = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return None
        is_inside = found.is_relative_to(self._repository) and found.is_file()
        is_private = ".git" in found.relative_to(self._repository).parts if is_inside else True
        return None if is_private else found


def read_text(path: Path) -> str | None:
    """None for a file that is too large, cannot be opened or is not UTF-8."""
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    return _NEWLINE.sub("\n", text) if len(raw) <= _LARGEST_FILE else None
