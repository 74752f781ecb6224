"""The outline of a book: its chapters, and the pages before and after a page."""

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
        """Whether this is a single page outside any chapter."""
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
        self._by_address = {unquote(entry.address): entry for entry in entries}
        self._by_plain_address = {_plain(unquote(entry.address)): entry for entry in entries}

    def __len__(self) -> int:
        return len(self._order)

    @property
    def first(self) -> OutlineEntry | None:
        return self._entries[self._order[0]] if self._order else None

    def address(self, path: str) -> str:
        return self._entries[path].address

    def at(self, address: str) -> OutlineEntry | None:
        """The page at a percent-decoded address."""
        return self._by_address.get(address)

    def near(self, address: str) -> OutlineEntry | None:
        """The page at an address with a missing or extra slash or `index.html`."""
        return self._by_plain_address.get(_plain(address))

    def chapter_of(self, entry: OutlineEntry) -> OutlineChapter:
        return next(chapter for chapter in self.chapters if entry in chapter.entries)

    def around(self, entry: OutlineEntry) -> tuple[OutlineEntry | None, OutlineEntry | None]:
        """The pages before and after it."""
        position = self._order.index(entry.path)
        before, after = self._order[:position][-1:], self._order[position + 1 :][:1]
        return _first(self._entries, before), _first(self._entries, after)


def address_of(url: str) -> str:
    """The path of a page on this server, wherever it is published."""
    path = urlsplit(url).path if "://" in url else url
    return "/" + path.lstrip("/")


def _chapters(entries: Sequence[OutlineEntry]) -> Iterable[OutlineChapter]:
    for title, group in groupby(entries, key=lambda entry: entry.chapter):
        yield OutlineChapter(title, tuple(group))


def _plain(address: str) -> str:
    return address.removesuffix("index.html").rstrip("/")


def _first(entries: Mapping[str, OutlineEntry], paths: Sequence[str]) -> OutlineEntry | None:
    return entries[paths[0]] if paths else None
