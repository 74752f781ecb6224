"""Follow every link of the book and report those to missing pages, anchors and files."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath

from glossator.ingest.sites import SiteKind
from glossator.lint.findings import Finding, FindingKind
from glossator.lint.links.resolve import Link, OutsideBook, Resolver, ToPage, internal_links
from glossator.lint.links.routes import Anchors, anchors
from glossator.lint.pages import BookPage, CheckedBook

_COMMON_NAMES = {"index", "readme"}
_MOST_HINTS = 200
"""Limit for one check, because the search for the nearest name takes longer than everything else."""
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class LinkReport:
    links: int
    findings: tuple[Finding, ...]


def follow(book: CheckedBook) -> LinkReport:
    follower = _Follower(book)
    pages = (*book.pages, *((book.contents,) if book.contents else ()))
    links = [(page, link) for page in pages for link in internal_links(page)]
    findings = (follower.finding(page, link) for page, link in links)
    return LinkReport(len(links), tuple(finding for finding in findings if finding))


class _Follower:
    def __init__(self, book: CheckedBook) -> None:
        self._book = book
        self._resolver = Resolver(book)
        self._pages = {page.path: page for page in book.pages}
        self._anchors: dict[str, Anchors] = {}
        self._hints = 0

    def finding(self, page: BookPage, link: Link) -> Finding | None:
        match self._resolver.resolve(page, link):
            case ToPage(path):
                return self._missing_anchor(page, link, path) if link.fragment else None
            case OutsideBook.NO_PAGE:
                message = f"There is no page {link.path}.{self._namesake(link)}"
                return Finding(FindingKind.BROKEN_LINK, page.path, link.line, message, link.target)
            case OutsideBook.UNLISTED:
                message = f"{link.path} is not in SUMMARY.md, so the book is made without it."
                return Finding(FindingKind.BROKEN_LINK, page.path, link.line, message, link.target)
            case OutsideBook.NO_FILE:
                message = f"There is no file {link.path}."
                return Finding(FindingKind.MISSING_FILE, page.path, link.line, message, link.target)
            case OutsideBook.FILE | OutsideBook.UNKNOWN:
                return None

    def _missing_anchor(self, page: BookPage, link: Link, target: str) -> Finding | None:
        known = self._anchors_of(target)
        # On GitHub, anchors are not case-sensitive.
        name = link.fragment.lower() if self._book.site.kind is SiteKind.PLAIN else link.fragment
        if not known.surely_lack(name):
            return None
        where = "The page itself" if target == page.path else target
        message = f"{where} has no anchor #{link.fragment}.{self._nearest(name, known)}"
        return Finding(FindingKind.MISSING_ANCHOR, page.path, link.line, message, link.target)

    def _nearest(self, name: str, known: Anchors) -> str:
        self._hints += 1
        if self._hints > _MOST_HINTS or len(name) > _LONGEST_NAME:
            return ""
        names = [other for other in known.names if 0 < len(other) <= _LONGEST_NAME]
        near = get_close_matches(name, names, n=1)
        return f" The nearest is #{near[0]}." if near else ""

    def _anchors_of(self, path: str) -> Anchors:
        if path not in self._anchors:
            self._anchors[path] = anchors(self._pages[path], self._book)
        return self._anchors[path]

    def _namesake(self, link: Link) -> str:
        """A hint at the page with the name in the link, where there is exactly one."""
        name = PurePosixPath(link.path).stem
        if name.lower() in _COMMON_NAMES:
            return ""
        same = [path for path in self._pages if name in (PurePosixPath(path).stem, self._last_part(path))]
        return f" Is {same[0]} meant, at {self._book.places[same[0]].url}?" if len(same) == 1 else ""

    def _last_part(self, path: str) -> str:
        return PurePosixPath(self._book.places[path].url).name
