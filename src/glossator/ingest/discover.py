"""The files of a book, as text; what cannot be read is named and left out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.errors import BookNotFound, PageUnreadable, PathOutsideBook
from glossator.model import Skipped

_SUFFIXES = (".md", ".mdx", ".markdown")
_NEVER_ENTERED = {"node_modules", "__pycache__"}


@dataclass(frozen=True, slots=True)
class PageFile:
    path: str
    """From the book's root, with forward slashes."""
    text: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The Markdown files of a folder, and the links in it that are not followed."""

    root: Path
    paths: tuple[str, ...]
    skipped: tuple[Skipped, ...]


def list_pages(path: Path, is_page: Callable[[str], bool]) -> Listing:
    """Every page under `path`, or the one page that it is, in the order of their paths."""
    if path.is_file():
        return Listing(path.resolve().parent, (path.resolve().name,), ())
    if not path.is_dir():
        raise BookNotFound(f"There is no book at {path}.")
    root = path.resolve()
    found = list(_walk(root, root, (root,)))
    names = sorted(name for name in found if isinstance(name, str) and is_page(name))
    skipped = tuple(entry for entry in found if isinstance(entry, Skipped))
    return Listing(root, tuple(names), skipped)


def book_name(path: Path) -> str:
    """A book is called after its folder."""
    return path.resolve().parent.name if path.is_file() else path.resolve().name


def named_pages(root: Path, names: Sequence[str]) -> list[str]:
    """The pages an author named, as paths from the root; refused when they lead out of the book."""
    paths = list[str]()
    for name in names:
        target = Path(os.path.normpath(root / name))
        if not target.is_relative_to(root) or not target.resolve().is_relative_to(root):
            raise PathOutsideBook(f"{name} is not inside {root}.")
        paths.append(target.relative_to(root).as_posix())
    return paths


def read_page(root: Path, path: str) -> PageFile:
    """Raises PageUnreadable, with the reason in plain words."""
    try:
        raw = (root / path).read_bytes()
    except OSError as error:
        raise PageUnreadable(f"cannot be opened ({error.strerror})") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PageUnreadable(f"is not UTF-8 (byte {error.start})") from error
    return PageFile(path, text, hashlib.sha256(raw).hexdigest())


def _walk(root: Path, folder: Path, above: tuple[Path, ...]) -> Iterator[str | Skipped]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Skipped(folder.relative_to(root).as_posix(), f"cannot be opened ({error.strerror})")
        return
    for entry in entries:
        if not entry.name.startswith(".") and entry.name not in _NEVER_ENTERED:
            yield from _entry(root, Path(entry.path), above)


def _entry(root: Path, path: Path, above: tuple[Path, ...]) -> Iterator[str | Skipped]:
    name = path.relative_to(root).as_posix()
    refusal = _refusal(root, path, above) if path.is_symlink() else None
    if refusal and (path.suffix in _SUFFIXES or path.suffix == ""):
        yield Skipped(name, refusal)
    elif refusal:
        return
    elif path.is_dir():
        yield from _walk(root, path, (*above, path.resolve()))
    elif path.suffix.lower() in _SUFFIXES:
        yield name if path.is_file() else Skipped(name, "is not a regular file")


def _refusal(root: Path, link: Path, above: tuple[Path, ...]) -> str | None:
    """Why a symbolic link is not followed."""
    try:
        target = link.resolve(strict=True)
    except FileNotFoundError:
        return "is a link that leads nowhere"
    except (OSError, RuntimeError):
        return "is a link that goes in a circle"
    if not target.is_relative_to(root):
        return "is a link that leads out of the book"
    return "is a link that goes in a circle" if target in above else None
