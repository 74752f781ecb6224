"""A backup holds the database and the index as they were at one moment, and is restored whole or not at all."""

from __future__ import annotations

import asyncio
import gzip
import io
import shutil
import sqlite3
import tarfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from glossator.adapters.backup import Stores, restore_backup, write_backup
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.adapters.records.database import Database
from glossator.adapters.records.keys import SqlKeyStore
from glossator.errors import BackupError, GlossatorError
from glossator.model import KeyKind, Manifest
from glossator.settings import Settings
from glossator.web.auth.keyring import make_key
from glossator.wiring.stores import elsewhere, stores_of
from support.index_books import asking, numbered_book, pages, publish, three_chapters

SECRET = b"s" * 32
KEY = make_key(KeyKind.SECRET, datetime(2026, 1, 1, tzinfo=UTC))


class Site:
    """A home folder with a book of three chapters, a database and a secret."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.stores = Stores(home, home / "records.sqlite", home / "secret")

    def fill(self) -> Manifest:
        manifest = publish(EmbeddedIndexStore(self.home), three_chapters())
        asyncio.run(self._make_database())
        self.stores.secret.write_bytes(SECRET)
        return manifest

    async def _make_database(self) -> None:
        database = Database.open(f"sqlite:///{self.stores.records}", 5)
        await database.migrate()
        await SqlKeyStore(database).add(KEY.key)
        await database.aclose()

    def rows(self, table: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.home / "records.sqlite")) as database:
            return database.execute(f"SELECT * FROM {table}").fetchall()

    def left(self) -> set[str]:
        return {path.name for path in self.home.iterdir()} if self.home.exists() else set()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "home")


@pytest.fixture
def empty(tmp_path: Path) -> Site:
    return Site(tmp_path / "empty" / "home")


def test_what_was_backed_up_is_restored_into_an_empty_folder(site: Site, empty: Site, tmp_path: Path):
    manifest = site.fill()
    summary = write_backup(tmp_path / "backup", site.stores)
    assert (summary.book, summary.generation, summary.has_records) == (manifest.book, 1, True)
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0
    shutil.rmtree(site.home)
    assert restore_backup(tmp_path / "backup", empty.stores) == summary
    with closing(EmbeddedIndex(empty.home)) as index:
        assert index.manifest() == manifest
        assert pages(index, asking("joints", axis=2))[0] == "urdf.md"
    assert [row[0] for row in empty.rows("api_keys")] == [KEY.key.id]
    assert empty.stores.secret.read_bytes() == SECRET
    assert EmbeddedIndexStore(empty.home).is_whole()
    assert publish(EmbeddedIndexStore(empty.home), numbered_book(3, "robot")).generation == 2
    assert not any(name.startswith("restoring-") for name in empty.left())


@pytest.mark.parametrize("rounds", [2, pytest.param(5, marks=pytest.mark.nightly)])
def test_a_backup_taken_while_others_write_is_of_one_moment(site: Site, tmp_path: Path, rounds: int):
    """Rows are added two at a time, and the book is replaced meanwhile."""
    site.fill()
    is_over = threading.Event()
    with closing(sqlite3.connect(site.home / "records.sqlite")) as database:
        database.execute("CREATE TABLE pairs (half TEXT)")

    def write() -> int:
        count = 0
        with closing(sqlite3.connect(site.home / "records.sqlite", timeout=30)) as database:
            while not is_over.is_set():
                with database:
                    database.execute("INSERT INTO pairs VALUES ('first')")
                    database.execute("INSERT INTO pairs VALUES ('second')")
                count += 1
        return count

    with closing(EmbeddedIndex(site.home)) as index, ThreadPoolExecutor() as threads:
        writer = threads.submit(write)
        try:
            for number in range(rounds):
                write_backup(tmp_path / f"backup-{number}", site.stores)
                publish(EmbeddedIndexStore(site.home), numbered_book(3 + number, "robot"))
        finally:
            is_over.set()
        assert writer.result() > 0
        assert index.manifest().chunks == 2 + rounds
    for number in range(rounds):
        restored = Site(tmp_path / f"restored-{number}")
        restore_backup(tmp_path / f"backup-{number}", restored.stores)
        assert len(restored.rows("pairs")) % 2 == 0
        with closing(EmbeddedIndex(restored.home)) as index:
            assert index.manifest().generation == number + 1


def test_a_backup_that_is_damaged_anywhere_restores_nothing(site: Site, empty: Site, tmp_path: Path):
    site.fill()
    whole = tmp_path / "backup"
    write_backup(whole, site.stores)
    content = whole.read_bytes()
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        place = int(share * (len(content) - 1))
        cut, flipped = content[:place], bytearray(content)
        flipped[place] ^= 0xFF
        for damaged in (cut, bytes(flipped)):
            (tmp_path / "damaged").write_bytes(damaged)
            with pytest.raises(GlossatorError):
                restore_backup(tmp_path / "damaged", empty.stores)
            assert empty.left() <= {"readers"}


@pytest.mark.parametrize("name", ["../outside", "/outside", "generation/../../outside", "CURRENT"])
def test_an_archive_with_foreign_files_is_refused(empty: Site, tmp_path: Path, name: str):
    with tarfile.open(tmp_path / "foreign", "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = 4
        archive.addfile(member, io.BytesIO(b"evil"))
    with pytest.raises(BackupError, match="is not a whole backup"):
        restore_backup(tmp_path / "foreign", empty.stores)
    assert not empty.left()
    assert not [*tmp_path.rglob("outside")]


@pytest.mark.parametrize("content", [b"", b"# A page\n", gzip.compress(b"# A page\n", mtime=0)])
def test_a_file_that_is_no_backup_is_refused(empty: Site, tmp_path: Path, content: bytes):
    (tmp_path / "page.md").write_bytes(content)
    with pytest.raises(BackupError, match=r"page.md is not a whole backup"):
        restore_backup(tmp_path / "page.md", empty.stores)


def test_nothing_is_written_over_what_is_there(site: Site, empty: Site, tmp_path: Path):
    manifest = site.fill()
    write_backup(tmp_path / "backup", site.stores)
    with pytest.raises(BackupError, match="exists already"):
        write_backup(tmp_path / "backup", site.stores)
    with pytest.raises(BackupError, match="There is a database already"):
        restore_backup(tmp_path / "backup", site.stores)
    publish(EmbeddedIndexStore(empty.home), numbered_book(3, "robot"))
    with pytest.raises(BackupError, match="There is a book already"):
        restore_backup(tmp_path / "backup", empty.stores)
    with closing(EmbeddedIndex(site.home)) as index:
        assert index.manifest() == manifest
    assert not empty.stores.secret.exists()


def test_an_empty_home_has_nothing_to_back_up(empty: Site, tmp_path: Path):
    with pytest.raises(BackupError, match="nothing to back up"):
        write_backup(tmp_path / "backup", empty.stores)
    assert {path.name for path in tmp_path.iterdir()} == set()


def test_a_damaged_index_is_not_backed_up_as_if_it_were_whole(site: Site, tmp_path: Path):
    site.fill()
    next((site.home / "generations").rglob("*id_tracker.mappings")).unlink()
    with pytest.raises(GlossatorError):
        write_backup(tmp_path / "backup", site.stores)
    assert not [*tmp_path.glob("backup*")]


def test_what_other_servers_keep_is_named_with_how_to_back_it_up(tmp_path: Path):
    settings = Settings(
        home=tmp_path,
        database_url="postgresql://db/book",  # type: ignore[arg-type]
        qdrant_url="http://qdrant:6333",
    )
    assert stores_of(settings) == Stores(None, None, tmp_path / "secret")
    postgres, qdrant = elsewhere(settings)
    assert "pg_dump" in postgres
    assert "book_content-…" in qdrant
    assert [*elsewhere(Settings(home=tmp_path))] == []
