"""The split pages of a book, a few at a time: together they need not fit into memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from glossator.errors import PageUnreadable
from glossator.ingest.cache import SplitPage, load_pages, save_pages
from glossator.ingest.choose import ChosenPages, SplitSettings
from glossator.ingest.page import load_page, process_page
from glossator.ingest.sites import Site
from glossator.model import Lexicon, PageRecord
from glossator.ports import Cache, Embedder, Progress

_SPLIT_THREADS = 2
"""One parses, which holds the GIL, while the other counts tokens, which releases it."""
_PAGES_AT_ONCE = 256
"""A book of so many pages is read from the cache once; a larger one once for each step of the ingest."""

Advance = Callable[[int], object]
Batch = Mapping[str, SplitPage]
"""Pages by path."""


@dataclass(slots=True)
class SplitBook:
    pages: ChosenPages
    site: Site
    embedder: Embedder
    cache: Cache
    _last: tuple[Sequence[str], Batch] = field(default=((), {}))

    @property
    def paths(self) -> list[str]:
        return list(self.pages.keys)

    def batches(self, paths: Sequence[str], advance: Advance = lambda pages: None) -> Iterator[Batch]:
        """In this order; pages in the cache are not split again. `advance` is told how many are read."""
        for start in range(0, len(paths), _PAGES_AT_ONCE):
            batch = paths[start : start + _PAGES_AT_ONCE]
            if self._last[0] != batch:
                self._last = (batch, self._load(batch, advance))
            yield self._last[1]

    def _load(self, paths: Sequence[str], advance: Advance) -> Batch:
        keys = {path: self.pages.keys[path] for path in paths}
        cached = load_pages(self.cache, list(keys.values()))
        missing = [path for path, key in keys.items() if key not in cached]
        advance(len(paths) - len(missing))
        new = dict(zip((keys[path] for path in missing), self._split(missing, advance), strict=True))
        if new:
            save_pages(self.cache, new)
        return {path: cached[key] if key in cached else new[key] for path, key in keys.items()}

    def _split(self, missing: Sequence[str], advance: Advance) -> Iterator[SplitPage]:
        with ThreadPoolExecutor(_SPLIT_THREADS) as pool:
            for split in pool.map(self._split_page, missing):
                advance(1)
                yield split

    def _split_page(self, page: str) -> SplitPage:
        pages = self.pages
        settings = SplitSettings(self.site, self.embedder.identity, pages.language)
        file = pages.files.get(page) or load_page(pages.root, page, self.site)
        if settings.key(page, file.content_hash) != pages.keys[page]:
            # Not named, so its earlier text is wanted, which the cache has lost; or changed just now.
            raise PageUnreadable(f"{page} has changed too: name it as well, or ingest the whole book.")
        return process_page(file, self.site, self.embedder, pages.language)


@dataclass(slots=True)
class Contents:
    """What a manifest says of the pages."""

    language: str
    records: list[PageRecord] = field(default_factory=list[PageRecord])
    passages: dict[str, int] = field(default_factory=dict[str, int])
    """How many each page has, by its path."""
    chunk_hashes: set[str] = field(default_factory=set[str])
    _orders: dict[str, tuple[float | str, ...]] = field(default_factory=dict[str, tuple[float | str, ...]])
    _stems: Counter[str] = field(default_factory=Counter[str])

    @classmethod
    def of(cls, book: SplitBook, progress: Progress) -> Contents:
        contents, paths = cls(book.pages.language), book.paths
        progress.start("Reading pages", len(paths))
        for batch in book.batches(paths, progress.advance):
            for path, page in batch.items():
                contents._add(path, page, book.pages.keys[path])
        progress.finish()
        contents.records.sort(key=lambda record: (contents._orders[record.path], record.path))
        return contents

    def _add(self, path: str, page: SplitPage, key: str) -> None:
        self.records.append(
            PageRecord(path, page.title, page.url, page.chapter, page.content_hash, len(page.chunks), key)
        )
        self.passages[path] = len(page.windows)
        self.chunk_hashes.update(chunk.content_hash for chunk in page.chunks)
        self._orders[path] = page.order
        self._stems.update(page.stems)

    @property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.language, sum(self.passages.values()), dict(sorted(self._stems.items())))
