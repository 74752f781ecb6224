"""The pages and the words of the new book, counted from those of the previous generation and what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from glossator.ingest.cache import SplitPage, load_pages
from glossator.ingest.split_book import SplitBook
from glossator.model import Lexicon, Manifest, PageRecord
from glossator.ports import Cache, Progress

_OLD_PAGES = 256
"""Pages of the previous generation that are read at a time."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a manifest says of the pages, and what is different in the previous one."""

    records: tuple[PageRecord, ...]
    """In reading order."""
    lexicon: Lexicon
    new: tuple[str, ...]
    """The pages to look at: all but those that the previous generation has as they are."""
    gone: tuple[str, ...]
    """The pages that only the previous generation has."""
    left: tuple[str, ...]
    """The cache keys of what the previous generation has of the pages that changed or are gone."""
    removed: int
    """How many chunks of those are in no new page."""

    @property
    def is_edit(self) -> bool:
        """Whether pages were taken over from the previous generation without looking at them."""
        return len(self.new) < len(self.records)

    def passages(self, paths: Collection[str]) -> int:
        """How many these pages have."""
        wanted = {*paths}
        return sum(record.passages or 0 for record in self.records if record.path in wanted)


def contents_of(book: SplitBook, previous: Manifest | None, progress: Progress) -> Contents:
    keys = book.pages.keys
    before = previous.pages if previous else ()
    left = tuple(record.split_key for record in before if keys.get(record.path) != record.split_key)
    count, kept = _begin(book.cache, previous, _unchanged(before, keys), left)
    new = tuple(path for path in keys if path not in kept)
    progress.start("Reading pages", len(new))
    for batch in book.batches(new, progress.advance):
        for path, page in batch.items():
            count.add(path, page, keys[path])
    progress.finish()
    return Contents(
        records=tuple(sorted(count.records, key=lambda record: (record.order, record.path))),
        lexicon=count.lexicon(book.pages.language),
        new=new,
        gone=tuple(record.path for record in before if record.path not in keys),
        left=left,
        removed=count.removed,
    )


def _unchanged(before: Sequence[PageRecord], keys: Mapping[str, str]) -> dict[str, PageRecord]:
    """Leaves out the pages of a manifest that an earlier version wrote."""
    return {
        record.path: record
        for record in before
        if keys.get(record.path) == record.split_key and record.passages is not None
    }


def _begin(
    cache: Cache, previous: Manifest | None, unchanged: Mapping[str, PageRecord], left: Sequence[str]
) -> tuple[_Count, Mapping[str, PageRecord]]:
    """A count with the unchanged pages, and these; none where the cache has lost what is to be subtracted."""
    count = _Count()
    if previous and unchanged and count.take_over(previous.lexicon, unchanged, old_pages(cache, left)):
        return count, unchanged
    count = _Count()
    count.lose(page for page in old_pages(cache, left) if page)
    return count, {}


def old_pages(cache: Cache, keys: Sequence[str]) -> Iterator[SplitPage | None]:
    """None for a page that the cache has lost."""
    for start in range(0, len(keys), _OLD_PAGES):
        batch = keys[start : start + _OLD_PAGES]
        pages = load_pages(cache, batch)
        yield from map(pages.get, batch)


@dataclass(slots=True)
class _Count:
    records: list[PageRecord] = field(default_factory=list[PageRecord])
    _stems: Counter[str] = field(default_factory=Counter[str])
    _lost: Counter[str] = field(default_factory=Counter[str])
    """The chunks of pages that changed or are gone, by their hashes, as long as no new page has them."""

    def take_over(
        self, lexicon: Lexicon, unchanged: Mapping[str, PageRecord], left: Iterable[SplitPage | None]
    ) -> bool:
        """The previous generation without the pages that left it; False where one of these is not known."""
        self.records += unchanged.values()
        self._stems.update(lexicon.counts)
        for page in left:
            if page is None:
                return False
            self._stems.subtract(page.stems)
            self.lose([page])
        return True

    def lose(self, pages: Iterable[SplitPage]) -> None:
        self._lost.update(chunk.content_hash for page in pages for chunk in page.chunks)

    def add(self, path: str, page: SplitPage, key: str) -> None:
        self.records.append(
            PageRecord(
                path=path,
                title=page.title,
                url=page.url,
                chapter=page.chapter,
                content_hash=page.content_hash,
                chunks=len(page.chunks),
                split_key=key,
                passages=len(page.windows),
                order=page.order,
            )
        )
        self._stems.update(page.stems)
        for chunk in page.chunks:
            self._lost.pop(chunk.content_hash, None)

    def lexicon(self, language: str) -> Lexicon:
        counts = {stem: count for stem, count in sorted(self._stems.items()) if count > 0}
        return Lexicon(language, sum(record.passages or 0 for record in self.records), counts)

    @property
    def removed(self) -> int:
        return self._lost.total()
