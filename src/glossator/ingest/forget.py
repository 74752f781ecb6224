"""Remove from the cache what no ingest needs again.

The pages of the generation before stay, so that it can be built upon after a rollback. An entry in the cache
says which pages these are. It is missing while an ingest runs: nobody knows what a killed one leaves in the
cache, so the next one goes through the whole of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from glossator.ingest.cache import SplitPage, states_key
from glossator.ingest.contents import Contents, old_pages
from glossator.ingest.embed import embedding_key
from glossator.ingest.split_book import SplitBook
from glossator.model import Manifest
from glossator.ports import Cache

_ENTRY = "last ingest"


@dataclass(frozen=True, slots=True)
class LastIngest:
    """The last ingest with this cache."""

    generation: int | None = None
    """The generation that it made; None if it was killed."""
    left: tuple[str, ...] = ()
    """The pages that left the book with that generation, by their cache keys."""
    was_empty: bool = False
    """Whether there was nothing in the cache."""


_LAST_INGEST = TypeAdapter(LastIngest)


def begin_ingest(cache: Cache) -> LastIngest:
    """Until `forget`, the cache looks like that of a killed ingest."""
    entry = cache.get([_ENTRY]).get(_ENTRY)
    if entry is None:
        return LastIngest(was_empty=cache.is_empty())
    cache.remove([_ENTRY])
    try:
        return _LAST_INGEST.validate_json(entry)
    except ValidationError:
        return LastIngest()


def forget(
    last: LastIngest, book: SplitBook, contents: Contents, previous: Manifest | None, generation: int
) -> None:
    cache = book.cache
    if previous and last.generation == previous.generation and contents.is_edit:
        cache.remove(list(_unneeded(last, book, contents, previous)))
    elif not last.was_empty:
        cache.keep_only(_needed(book, previous))
    cache.put({_ENTRY: _LAST_INGEST.dump_json(LastIngest(generation, contents.left))})


def _unneeded(last: LastIngest, book: SplitBook, contents: Contents, previous: Manifest) -> Iterator[str]:
    """Looks at the changed pages alone. An embedding that another page needs too is lost, and made again."""
    needed = {*book.pages.keys.values(), *(record.split_key for record in previous.pages)}
    yield from (key for key in last.left if key not in needed)
    embedded = {*_embeddings(book, contents.new)}
    for page in old_pages(book.cache, contents.left):
        yield from (key for key in _embeddings_of(page, book) if key not in embedded) if page else ()


def _needed(book: SplitBook, previous: Manifest | None) -> Iterator[str]:
    yield from book.pages.keys.values()
    yield from (record.split_key for record in previous.pages) if previous else ()
    yield from _embeddings(book, book.paths)


def _embeddings(book: SplitBook, paths: Iterable[str]) -> Iterator[str]:
    for batch in book.batches(list(paths)):
        for page in batch.values():
            yield from _embeddings_of(page, book)


def _embeddings_of(page: SplitPage, book: SplitBook) -> Iterator[str]:
    for window in page.windows:
        key = embedding_key(window.reading, book.embedder)
        yield key
        yield states_key(key)
