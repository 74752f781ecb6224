"""Resolves the links of a page to addresses in the preview, and addresses to files on disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from glossator.ingest.sites import SiteKind
from glossator.lint.links.resolve import Link, LinkResolver, OutsideBook, ToPage
from glossator.lint.pages import BookPage, CheckedBook, Folders
from glossator.preview.outline import SiteOutline

_ABSOLUTE_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ALIAS = "@site/"
"""How Docusaurus names the folder of the site in links."""


class Links:
    def __init__(self, book: CheckedBook, outline: SiteOutline, files: MediaFiles) -> None:
        self._resolver = LinkResolver(book)
        self._root = book.folders.root
        self._ignores_case = book.site.kind is SiteKind.PLAIN
        self._outline = outline
        self._files = files

    def address(self, page: BookPage, written: str, *, is_image: bool = False) -> str:
        """Of a page or a file; external and broken links stay as written."""
        if _ABSOLUTE_URL.match(written):
            return written
        link = Link(written, 0, is_image)
        if link.path.startswith(_ALIAS):
            return self._file(page, link)
        match self._resolver.resolve(page.path, link):
            case ToPage(path):
                return self._outline.address(path) + self._fragment(link)
            case OutsideBook():
                return self._file(page, link)

    def _file(self, page: BookPage, link: Link) -> str:
        return self._files.address((self._root / page.path).parent, link.path) or link.target

    def _fragment(self, link: Link) -> str:
        # GitHub ignores the case of an anchor.
        fragment = link.fragment.lower() if self._ignores_case else link.fragment
        return f"#{quote(fragment, safe='!$&()*+,;=:@~/?')}" if fragment else ""


_SERVED_SUFFIXES = frozenset(
    {
        *(".apng", ".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
        *(".mp3", ".mp4", ".oga", ".ogg", ".ogv", ".pdf", ".vtt", ".wav", ".webm"),
    }
)
"""Media that a page may show. No other file is served, since keys and notes may lie next to the pages."""


class MediaFiles:
    """The media files in the folders that the site serves."""

    def __init__(self, folders: Folders, base: str) -> None:
        roots = (folders.static, *folders.content) if folders.static else folders.content
        self._roots = tuple(root.resolve() for root in roots)
        self._site = folders.site
        self._base = base.rstrip("/")

    def at(self, address: str) -> Path | None:
        """The file at an address; None if there is none or it must not be served."""
        for path in dict.fromkeys((address.removeprefix(self._base), address)):
            for root in self._roots:
                file = _inside(root, path.removeprefix("/"))
                if file is not None:
                    return file
        return None

    def address(self, folder: Path, written: str) -> str | None:
        """Of a file that a page in the folder links to; None if it must not be served."""
        for file in self._candidates(folder, written):
            for root in (root for root in self._roots if file.is_relative_to(root)):
                path = file.relative_to(root).as_posix()
                if _inside(root, path) is not None:
                    return f"{self._base}/{quote(path)}"
        return None

    def _candidates(self, folder: Path, written: str) -> Iterator[Path]:
        if written.startswith(_ALIAS):
            yield from ([self._site / written.removeprefix(_ALIAS)] if self._site else [])
        elif written.startswith("/"):
            below = (written, written.removeprefix(self._base))
            yield from (root / path.lstrip("/") for root in self._roots for path in below)
        else:
            yield Path(os.path.normpath(folder / written))


def _inside(root: Path, path: str) -> Path | None:
    parts = path.split("/")
    if any(part in ("", "..") or part.startswith(".") or "\\" in part or "\0" in part for part in parts):
        return None
    file = root.joinpath(*parts)
    is_served = file.suffix.lower() in _SERVED_SUFFIXES and os.path.isfile(file)
    return file if is_served and file.resolve().is_relative_to(root) else None
