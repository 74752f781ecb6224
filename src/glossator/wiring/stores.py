"""Where this server's data is, for a backup."""

from __future__ import annotations

from collections.abc import Iterator

from glossator.adapters.backup import Stores
from glossator.adapters.records.database import SqliteAddress, address_of
from glossator.settings import Settings
from glossator.wiring.books import book_names
from glossator.wiring.engine import database_url_of


def stores_of(settings: Settings) -> Stores:
    address = address_of(database_url_of(settings))
    return Stores(
        index=None if settings.qdrant_url else settings.home,
        records=address.path if isinstance(address, SqliteAddress) else None,
        secret=settings.home / "secret",
    )


def elsewhere(settings: Settings) -> Iterator[str]:
    """What a backup leaves out, and how to back that up."""
    stores = stores_of(settings)
    if stores.records is None:
        yield "Not in it: the PostgreSQL database. Back it up with pg_dump and restore it with pg_restore."
    if stores.index is None:
        yield (
            "Not in it: the index on the Qdrant server. Take snapshots of its collections "
            f"{settings.collection}-… while no ingest runs, or run `glossator ingest PATH` again."
        )
    elif names := book_names(settings):
        yield f"Not in it: the books {', '.join(names)}. Ingest them again after a restore."
