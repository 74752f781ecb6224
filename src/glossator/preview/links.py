"""Where the links of a page lead in the preview."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from glossator.ingest.sites import SiteKind
from glossator.lint.links.resolve import Link, OutsideBook, Resolver, ToPage
from glossator.lint.pages import BookPage, CheckedBook, Folders
from glossator.preview.outline import SiteOutline

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ALIAS = "@site/"
"""What Docusaurus calls the folder of the site."""


class Links:
    def __init__(self, book: CheckedBook, outline: SiteOutline, files: Files) -> None:
        self._resolver = Resolver(book)
        self._root = book.folders.root
        self._ignores_case = book.site.kind is SiteKind.PLAIN
        self._outline = outline
        self._files = files

    def address(self, page: BookPage, written: str, *, is_image: bool = False) -> str:
        """Of a page or a file; a link that leads out of the book, or nowhere, stays as it is written."""
        if _ELSEWHERE.match(written):
            return written
        link = Link(written, 0, is_image)
        if link.path.startswith(_ALIAS):
            return self._file(page, link)
        match self._resolver.resolve(page, link):
            case ToPage(path):
                return self._outline.address(path) + self._fragment(link)
            case OutsideBook():
                return self._file(page, link)

    def _file(self, page: BookPage, link: Link) -> str:
        return self._files.address((self._root / page.path).parent, link.path) or link.target

    def _fragment(self, link: Link) -> str:
        # GitHub finds an anchor whatever its case.
        fragment = link.fragment.lower() if self._ignores_case else link.fragment
        return f"#{quote(fragment, safe='!$&()*+,;=:@~/?')}" if fragment else ""


# The pictures and other files that the pages of a book show or offer.

_SHOWN = frozenset(
    {
        *(".apng", ".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
        *(".mp3", ".mp4", ".oga", ".ogg", ".ogv", ".pdf", ".vtt", ".wav", ".webm"),
    }
)
"""What a page may show. Nothing else is given away: keys and notes may lie beside the pages of a book."""


class Files:
    """What lies in the folders that the site serves, each at the path it has there."""

    def __init__(self, folders: Folders, base: str) -> None:
        roots = (folders.static, *folders.content) if folders.static else folders.content
        self._roots = tuple(root.resolve() for root in roots)
        self._site = folders.site
        self._base = base.rstrip("/")

    def at(self, address: str) -> Path | None:
        """The file behind the path of an address; None as well for what is not to be shown."""
        for path in dict.fromkeys((address.removeprefix(self._base), address)):
            for root in self._roots:
                file = _inside(root, path.removeprefix("/"))
                if file is not None:
                    return file
        return None

    def address(self, folder: Path, written: str) -> str | None:
        """Of a file that a page in the folder names; None where it is not to be shown."""
        for file in self._named(folder, written):
            for root in (root for root in self._roots if file.is_relative_to(root)):
                path = file.relative_to(root).as_posix()
                if _inside(root, path) is not None:
                    return f"{self._base}/{quote(path)}"
        return None

    def _named(self, folder: Path, written: str) -> Iterator[Path]:
        if written.startswith("@site/"):
            yield from ([self._site / written.removeprefix("@site/")] if self._site else [])
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
    is_shown = file.suffix.lower() in _SHOWN and os.path.isfile(file)
    return file if is_shown and file.resolve().is_relative_to(root) else None
