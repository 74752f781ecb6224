"""Where the links of a page lead in the preview."""

from __future__ import annotations

import re
from urllib.parse import quote

from glossator.ingest.check.links.extract import Link
from glossator.ingest.check.links.resolve import Elsewhere, Resolver, ToPage
from glossator.ingest.check.pages import Book, BookPage
from glossator.ingest.site import SiteKind
from glossator.preview.files import Files
from glossator.preview.outline import Outline

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ALIAS = "@site/"
"""What Docusaurus calls the folder of the site."""


class Links:
    def __init__(self, book: Book, outline: Outline, files: Files) -> None:
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
            case Elsewhere():
                return self._file(page, link)

    def _file(self, page: BookPage, link: Link) -> str:
        return self._files.address((self._root / page.path).parent, link.path) or link.target

    def _fragment(self, link: Link) -> str:
        # GitHub finds an anchor whatever its case.
        fragment = link.fragment.lower() if self._ignores_case else link.fragment
        return f"#{quote(fragment, safe='!$&()*+,;=:@~/?')}" if fragment else ""
