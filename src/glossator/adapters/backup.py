"""One archive with the database file, the current generation of the embedded index and the signing secret.

backup.json                  what is inside, and which version made it
records.sqlite               the database
secret                       signs session tokens
generation/manifest.json     the current generation of the index
generation/shard/…

Taking a backup disturbs nobody: SQLite copies its file itself, and a generation never changes. Nothing is
restored over what is there already, and only after all of it was checked.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from pydantic import BaseModel, ValidationError

from glossator.adapters.index.archive import checked_generation, generation_copy, install_generation
from glossator.errors import BackupError

_SUMMARY, _RECORDS, _SECRET, _GENERATION = "backup.json", "records.sqlite", "secret", "generation"
_BLOCK = 2**16


@dataclass(frozen=True, slots=True)
class Stores:
    """What this server keeps in files; None for what it keeps on another server."""

    index: Path | None
    """The home folder of the embedded index."""
    records: Path | None
    """The SQLite file."""
    secret: Path


class BackupSummary(BaseModel, frozen=True):
    format: Literal[1] = 1
    glossator: str
    created_at: str
    book: str | None = None
    generation: int | None = None
    pages: int = 0
    has_records: bool = False

    @property
    def has_book(self) -> bool:
        return self.generation is not None


def write_backup(file: Path, stores: Stores) -> BackupSummary:
    """Raises BackupError where the file exists, or there is nothing to back up."""
    if file.exists():
        raise BackupError(f"{file} exists already: choose another name.")
    with _file_errors(file), tempfile.TemporaryDirectory(prefix="glossator-backup-") as scratch:
        partial = file.with_name(f"{file.name}.partial")
        try:
            with open(partial, "xb", opener=_private) as raw:
                with tarfile.open(fileobj=raw, mode="w:gz") as archive:
                    summary = _fill(archive, stores, Path(scratch))
                raw.flush()
                os.fsync(raw.fileno())
            partial.rename(file)
        except FileExistsError:
            raise BackupError(f"{partial} exists: another backup is running, or one was killed.") from None
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    return summary


def _fill(archive: tarfile.TarFile, stores: Stores, scratch: Path) -> BackupSummary:
    summary = BackupSummary(glossator=version("glossator"), created_at=_now())
    if stores.records and stores.records.exists():
        _copy_database(stores.records, scratch / _RECORDS)
        archive.add(scratch / _RECORDS, _RECORDS)
        summary = summary.model_copy(update={"has_records": True})
    if stores.secret.exists():
        archive.add(stores.secret, _SECRET)
    if stores.index:
        with generation_copy(stores.index) as copy:
            if copy:
                manifest = copy.stored.manifest
                (scratch / "manifest.json").write_text(copy.stored.model_dump_json(), encoding="utf-8")
                archive.add(scratch / "manifest.json", f"{_GENERATION}/manifest.json")
                archive.add(copy.shard, f"{_GENERATION}/shard")
                update = {
                    "book": manifest.book,
                    "generation": manifest.generation,
                    "pages": len(manifest.pages),
                }
                summary = summary.model_copy(update=update)
    if not summary.has_records and not summary.has_book:
        raise BackupError("There is nothing to back up here: neither a book nor a database file.")
    (scratch / _SUMMARY).write_text(summary.model_dump_json(indent=1), encoding="utf-8")
    archive.add(scratch / _SUMMARY, _SUMMARY)
    return summary


def _copy_database(source: Path, target: Path) -> None:
    """A consistent copy, also while servers write."""
    uri = f"{source.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True)) as database, closing(sqlite3.connect(target)) as copy:
        database.backup(copy)
        # Without a write-ahead log the copy is one file.
        copy.execute("PRAGMA journal_mode = DELETE")
    _check_database(target)


def _check_database(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        (result,) = database.execute("PRAGMA integrity_check").fetchone()
    if result != "ok":
        raise BackupError(f"The database is damaged: {result}.")


def restore_backup(file: Path, stores: Stores) -> BackupSummary:
    """Raises BackupError, and changes nothing, where the backup is damaged or something is there already."""
    with _file_errors(file), _staging(stores) as staging:
        summary = _extract(file, staging)
        _refuse_to_overwrite(summary, stores)
        copied = staging / _GENERATION
        if summary.has_records:
            _check_database(staging / _RECORDS)
        stored = checked_generation(stores.index, copied) if stores.index and summary.has_book else None
        if stores.records and summary.has_records:
            _move(staging / _RECORDS, stores.records)
        if (staging / _SECRET).exists() and not stores.secret.exists():
            _move(staging / _SECRET, stores.secret)
        if stores.index and stored:
            install_generation(stores.index, stored, copied)
    return summary


@contextmanager
def _staging(stores: Stores) -> Generator[Path]:
    """The folder is in the home folder, so that files are moved and not copied."""
    home = stores.secret.parent
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="restoring-", dir=home) as folder:
        yield Path(folder)


def _extract(file: Path, folder: Path) -> BackupSummary:
    try:
        with tarfile.open(file, mode="r:gz") as archive:
            for member, content in _files(archive):
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                with open(target, "wb", opener=_private) as output:
                    _write_sparse(content, output)
        summary = folder / _SUMMARY
        return BackupSummary.model_validate_json(summary.read_bytes() if summary.exists() else b"")
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValidationError) as error:
        raise BackupError(f"{file} is not a whole backup of Glossator.") from error


def _files(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    for member in archive:
        path = PurePosixPath(member.name)
        is_ours = path.parts[:1] in {(_SUMMARY,), (_RECORDS,), (_SECRET,), (_GENERATION,)}
        if path.is_absolute() or ".." in path.parts or not is_ours:
            raise tarfile.TarError(f"{member.name} does not belong there")
        if content := archive.extractfile(member) if member.isfile() else None:
            yield member, content


def _write_sparse(content: IO[bytes], output: IO[bytes]) -> None:
    """Leaves holes for zeros: the engine's files are mostly holes, and take 150 MB when written out."""
    size = 0
    while block := content.read(_BLOCK):
        size += len(block)
        if block.count(0) == len(block):
            output.seek(size)
        else:
            output.write(block)
    output.truncate(size)


def _refuse_to_overwrite(summary: BackupSummary, stores: Stores) -> None:
    if summary.has_records and stores.records and stores.records.exists():
        raise BackupError(f"There is a database already ({stores.records}): {_ELSEWHERE}")
    if summary.has_book and stores.index and (stores.index / "CURRENT").exists():
        raise BackupError(f"There is a book already in {stores.index}: {_ELSEWHERE}")


_ELSEWHERE = "move it away, or restore into an empty folder (GLOSSATOR_HOME). Nothing was changed."


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.move(source, target)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _file_errors(file: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise BackupError(f"The database cannot be copied ({error}).") from error
    except OSError as error:
        raise BackupError(f"{error.filename or file}: {error.strerror or error}.") from error
