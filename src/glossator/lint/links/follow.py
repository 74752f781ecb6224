"""Follow every link of the book and report those to missing pages, anchors and files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import PurePosixPath

from glossator.ingest.sites import SiteKind
from glossator.lint.findings import FindingKind, PageFinding
from glossator.lint.links.resolve import Link, LinkResolver, OutsideBook, ToPage
from glossator.lint.links.routes import Anchors
from glossator.lint.pages import CheckedBook

_COMMON_NAMES = {"index", "readme"}
_MOST_HINTS = 200
"""Limit for one check, because the search for the nearest name takes longer than everything else."""
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class LinkReport:
    links: int
    findings: tuple[PageFinding, ...]


def follow(
    book: CheckedBook, links: Sequence[tuple[str, Link]], anchors: Mapping[str, Anchors]
) -> LinkReport:
    """The links with the paths of their pages; the anchors of each page, by its path."""
    follower = _Follower(book, anchors)
    findings = (follower.finding(page, link) for page, link in links)
    return LinkReport(len(links), tuple(finding for finding in findings if finding))


class _Follower:
    def __init__(self, book: CheckedBook, anchors: Mapping[str, Anchors]) -> None:
        self._book = book
        self._resolver = LinkResolver(book)
        self._anchors = anchors
        self._hints = 0

    def finding(self, page: str, link: Link) -> PageFinding | None:
        match self._resolver.resolve(page, link):
            case ToPage(path):
                return self._missing_anchor(page, link, path) if link.fragment else None
            case OutsideBook.NO_PAGE:
                message = f"There is no page {link.path}.{self._namesake(link)}"
                return PageFinding(FindingKind.BROKEN_LINK, page, link.line, message, link.target)
            case OutsideBook.UNLISTED:
                message = f"{link.path} is not in SUMMARY.md, so the book is made without it."
                return PageFinding(FindingKind.BROKEN_LINK, page, link.line, message, link.target)
            case OutsideBook.NO_FILE:
                message = f"There is no file {link.path}."
                return PageFinding(FindingKind.MISSING_FILE, page, link.line, message, link.target)
            case OutsideBook.FILE | OutsideBook.UNKNOWN:
                return None

    def _missing_anchor(self, page: str, link: Link, target: str) -> PageFinding | None:
        known = self._anchors.get(target)
        # On GitHub, anchors are not case-sensitive.
        name = link.fragment.lower() if self._book.site.kind is SiteKind.PLAIN else link.fragment
        if known is None or not known.surely_lack(name):
            return None
        where = "The page itself" if target == page else target
        message = f"{where} has no anchor #{link.fragment}.{self._nearest(name, known)}"
        return PageFinding(FindingKind.MISSING_ANCHOR, page, link.line, message, link.target)

    def _nearest(self, name: str, known: Anchors) -> str:
        self._hints += 1
        if self._hints > _MOST_HINTS or len(name) > _LONGEST_NAME:
            return ""
        names = [other for other in known.names if 0 < len(other) <= _LONGEST_NAME]
        near = get_close_matches(name, names, n=1)
        return f" The nearest is #{near[0]}." if near else ""

    def _namesake(self, link: Link) -> str:
        """A hint at the page with the name in the link, where there is exactly one."""
        name = PurePosixPath(link.path).stem
        if name.lower() in _COMMON_NAMES:
            return ""
        same = self._by_name[name]
        return f" Is {same[0]} meant, at {self._book.places[same[0]].url}?" if len(same) == 1 else ""

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[str]]:
        """Pages by the name of their file and by the last part of their address."""
        named = defaultdict[str, list[str]](list)
        for path, place in self._book.places.items():
            for name in {PurePosixPath(path).stem, PurePosixPath(place.url).name}:
                named[name].append(path)
        return named
