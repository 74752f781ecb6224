"""The named books of a home folder or a Qdrant server: listed, removed and renamed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing, suppress

from glossator.adapters.lock import ingest_lock
from glossator.adapters.records.retention_store import SqlRetentionStore
from glossator.errors import BookExists, BookUnknown, NoBookYet, SettingsError
from glossator.model import ErasedReader
from glossator.settings import Settings
from glossator.wiring import index_store_of, server_of
from glossator.wiring.engine import database_of, retention_of
from glossator.wiring.sources import CRAWLED


def book_names(settings: Settings) -> Sequence[str]:
    """Sorted; without the default book, which has no name."""
    if settings.qdrant_url:
        server = server_of(settings.of_book(""), settings.qdrant_url, timeout=5)
        with closing(server.client):
            return sorted(server.books())
    return sorted(pointer.parent.name for pointer in (settings.home / "books").glob("*/CURRENT"))


async def remove_book(settings: Settings) -> ErasedReader:
    """Removes its sessions too, which a later book of the name would take for its own. Raises BookUnknown."""
    async with database_of(settings) as database:
        _remove_index(settings)
        return await SqlRetentionStore(database, retention_of(settings)).erase_book(settings.book)


def _remove_index(settings: Settings) -> None:
    home = settings.index_home
    if settings.book and settings.book not in book_names(settings):
        raise unknown_book(settings)
    with ingest_lock(home):
        try:
            index_store_of(settings).remove()
        except NoBookYet:
            raise unknown_book(settings) from None
        for cache in home.glob("cache.sqlite*"):
            cache.unlink()
        shutil.rmtree(home / CRAWLED, ignore_errors=True)
    if settings.book:
        (home / "ingest.lock").unlink(missing_ok=True)
        # A running server removes its own files there when it finds that the book is gone.
        with suppress(OSError):
            (home / "readers" / "lock").unlink(missing_ok=True)
            (home / "readers").rmdir()
        with suppress(OSError):
            home.rmdir()


async def rename_book(settings: Settings, name: str) -> None:
    """Renames it with its sessions. Raises BookUnknown and BookExists."""
    renamed = settings.of_book(name)
    async with database_of(settings) as database:
        _rename_index(settings, renamed)
        await SqlRetentionStore(database, retention_of(settings)).rename_book(settings.book, renamed.book)


def _rename_index(settings: Settings, renamed: Settings) -> None:
    if not settings.book or not renamed.book:
        raise SettingsError("The default book has no name that could change: ingest it with --book NAME.")
    if settings.qdrant_url:
        raise SettingsError(
            "Collections of a Qdrant server cannot be renamed: ingest the book under its new name, "
            "then remove the old one."
        )
    if settings.book not in book_names(settings):
        raise unknown_book(settings)
    with ingest_lock(settings.index_home), ingest_lock(renamed.index_home):
        if renamed.book in book_names(settings):
            raise BookExists(f"There is a book {renamed.book} already.")
        # What an ingest left behind that did not finish.
        shutil.rmtree(renamed.index_home)
        settings.index_home.rename(renamed.index_home)


def unknown_book(settings: Settings) -> BookUnknown:
    if not settings.book:
        return BookUnknown("There is no default book.")
    return BookUnknown(f"There is no book {settings.book}: `glossator books list` lists those there are.")
