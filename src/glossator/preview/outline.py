"""The order of a book: its chapters, and what comes before and after a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import unquote, urlsplit

from glossator.ingest.sites import PagePlace


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    path: str
    title: str
    address: str
    chapter: str


@dataclass(frozen=True, slots=True)
class OutlineChapter:
    title: str
    entries: tuple[OutlineEntry, ...]

    @property
    def is_page(self) -> bool:
        """Whether it is a page that stands in no chapter."""
        return len(self.entries) == 1 and self.entries[0].title == self.title


class SiteOutline:
    def __init__(self, places: Mapping[str, PagePlace]) -> None:
        """`places` are in reading order."""
        entries = [
            OutlineEntry(path, place.title, address_of(place.url), place.chapter)
            for path, place in places.items()
        ]
        self.chapters = tuple(_chapters(entries))
        self._entries = {entry.path: entry for entry in entries}
        self._order = [entry.path for entry in entries]
        self._at = {unquote(entry.address): entry for entry in entries}
        self._near = {_plain(unquote(entry.address)): entry for entry in entries}

    def __len__(self) -> int:
        return len(self._order)

    @property
    def first(self) -> OutlineEntry | None:
        return self._entries[self._order[0]] if self._order else None

    def address(self, path: str) -> str:
        return self._entries[path].address

    def at(self, address: str) -> OutlineEntry | None:
        """The page whose address it is, without its percent signs."""
        return self._at.get(address)

    def near(self, address: str) -> OutlineEntry | None:
        """The page that is meant by an address with a slash too many or too few."""
        return self._near.get(_plain(address))

    def chapter_of(self, entry: OutlineEntry) -> OutlineChapter:
        return next(chapter for chapter in self.chapters if entry in chapter.entries)

    def around(self, entry: OutlineEntry) -> tuple[OutlineEntry | None, OutlineEntry | None]:
        """The pages before and after it."""
        place = self._order.index(entry.path)
        before, after = self._order[:place][-1:], self._order[place + 1 :][:1]
        return _one(self._entries, before), _one(self._entries, after)


def address_of(url: str) -> str:
    """Where a page stands on this server, wherever it is published."""
    path = urlsplit(url).path if "://" in url else url
    return "/" + path.lstrip("/")


def _chapters(entries: Sequence[OutlineEntry]) -> Iterable[OutlineChapter]:
    for title, group in groupby(entries, key=lambda entry: entry.chapter):
        yield OutlineChapter(title, tuple(group))


def _plain(address: str) -> str:
    return address.removesuffix("index.html").rstrip("/")


def _one(entries: Mapping[str, OutlineEntry], paths: Sequence[str]) -> OutlineEntry | None:
    return entries[paths[0]] if paths else None
