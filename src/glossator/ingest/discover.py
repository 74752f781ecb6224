"""Find and read the pages of a book; files that cannot be read are reported and skipped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.errors import BookNotFound, PageUnreadable, PathOutsideBook
from glossator.model import Origin, Skipped

MARKDOWN = (".md", ".mdx", ".markdown")
_SUFFIXES = (*MARKDOWN, ".ipynb", ".rst", ".html", ".htm", ".pdf")
_NEVER_ENTERED = {"node_modules", "__pycache__"}


@dataclass(frozen=True, slots=True)
class PageFile:
    path: str
    """The path from the book's root, with forward slashes."""
    text: str
    content_hash: str
    """Changes whenever the text does."""
    origins: tuple[Origin, ...] = ()
    """Where the text stands in the file; empty where it is the file."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The pages of a folder, and the entries that were skipped."""

    root: Path
    paths: tuple[str, ...]
    skipped: tuple[Skipped, ...]


def list_pages(path: Path, is_page: Callable[[str], bool]) -> Listing:
    """Every page under `path`, sorted by path; the file itself where `path` is a file."""
    if path.is_file():
        if path.suffix.lower() not in _SUFFIXES:
            raise PageUnreadable(f"{path} is no page of a book ({', '.join(_SUFFIXES)}).")
        return Listing(path.resolve().parent, (path.resolve().name,), ())
    if not path.is_dir():
        raise BookNotFound(f"There is no book at {path}.")
    root = path.resolve()
    entries = list(_walk(root, "", (root,)))
    names = sorted(entry for entry in entries if isinstance(entry, str) and is_page(entry))
    skipped = (entry for entry in entries if isinstance(entry, Skipped) and _may_be_page(entry.page, is_page))
    return Listing(root, tuple(names), tuple(skipped))


def _may_be_page(name: str, is_page: Callable[[str], bool]) -> bool:
    """Whether an entry that was skipped could have been a page, or a folder of pages."""
    return is_page(name) or not name.lower().endswith(_SUFFIXES)


def book_name(path: Path) -> str:
    """A book is named after its folder."""
    return path.resolve().parent.name if path.is_file() else path.resolve().name


def named_pages(root: Path, names: Sequence[str]) -> list[str]:
    """The pages that an author named, as paths from the root. Raises PathOutsideBook."""
    paths = list[str]()
    for name in names:
        target = Path(os.path.normpath(root / name))
        if not target.is_relative_to(root) or not target.resolve().is_relative_to(root):
            raise PathOutsideBook(f"{name} is not inside {root}.")
        paths.append(target.relative_to(root).as_posix())
    return paths


def read_page(root: Path, path: str) -> PageFile:
    """Raises PageUnreadable with the reason, worded to follow the name of the page."""
    try:
        raw = (root / path).read_bytes()
    except OSError as error:
        raise PageUnreadable(f"cannot be opened ({error.strerror})") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PageUnreadable(f"is not UTF-8 (byte {error.start})") from error
    return PageFile(path, text, hashlib.sha256(raw).hexdigest())


def _walk(root: Path, folder: str, ancestors: tuple[Path, ...]) -> Iterator[str | Skipped]:
    """`folder` is a path from the root, with a slash at its end; every entry costs a large book its time."""
    try:
        entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Skipped(folder.rstrip("/") or ".", f"cannot be opened ({error.strerror})")
        return
    for entry in entries:
        if not entry.name.startswith(".") and entry.name not in _NEVER_ENTERED:
            yield from _entry(root, f"{folder}{entry.name}", entry, ancestors)


def _entry(
    root: Path, name: str, entry: os.DirEntry[str], ancestors: tuple[Path, ...]
) -> Iterator[str | Skipped]:
    refusal = _refusal(root, Path(entry.path), ancestors) if entry.is_symlink() else None
    if refusal and Path(name).suffix in ("", *_SUFFIXES):
        yield Skipped(name, refusal)
    elif refusal:
        return
    elif entry.is_dir():
        yield from _walk(root, f"{name}/", (*ancestors, Path(entry.path).resolve()))
    elif name.lower().endswith(_SUFFIXES):
        yield name if entry.is_file() else Skipped(name, "is not a regular file")


def _refusal(root: Path, link: Path, ancestors: tuple[Path, ...]) -> str | None:
    """Why a symbolic link is not followed; None for a link that is."""
    try:
        target = link.resolve(strict=True)
    except FileNotFoundError:
        return "is a link that leads nowhere"
    except (OSError, RuntimeError):
        return "is a link that goes in a circle"
    if not target.is_relative_to(root):
        return "is a link that leads out of the book"
    return "is a link that goes in a circle" if target in ancestors else None
