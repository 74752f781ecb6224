"""The split pages of a book, a few at a time: together they need not fit into memory.

A page that the cache does not have is split when its batch is first read, which `contents_of` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from glossator.errors import PageUnreadable
from glossator.ingest.cache import SplitPage, load_pages, save_pages
from glossator.ingest.choose import ChosenPages, SplitSettings
from glossator.ingest.page import load_page, process_page
from glossator.ingest.sites import Site
from glossator.ports import Cache, Embedder

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
        """The pages in this order; cached ones are not split again. `advance` is told how many are read."""
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
