"""The book as its author edits it: read again whenever a file on disk changes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from glossator.errors import PageUnreadable
from glossator.ingest.discover import list_pages
from glossator.ingest.page import load_page
from glossator.ingest.sites import PageFacts, Site, SiteKind, SiteOptions
from glossator.lint.pages import folders_of
from glossator.preview.edition import Edition, head

_SKIPPED_FOLDERS = ("node_modules", "__pycache__")


class Stamp(NamedTuple):
    """Changes when a file does."""

    changed: int
    size: int


class _Version(NamedTuple):
    """The version of a page; its cached head is valid as long as this is the same."""

    kind: SiteKind
    path: str
    content_hash: str


class LiveBook:
    def __init__(self, path: Path, options: SiteOptions) -> None:
        self._path = path
        self._options = options
        self._lock = Lock()
        self._edition: Edition | None = None
        self._stamps: Mapping[str, Stamp] = {}
        self._heads: Mapping[_Version, PageFacts] = {}

    def edition(self) -> Edition:
        """Rebuilt when any file changed; heads of unchanged pages are not parsed again."""
        with self._lock:
            if self._edition is None or self._scan(self._edition.site) != self._stamps:
                site = self._options.site(self._path)
                # Scanned before reading, so that a change in between is noticed the next time.
                self._stamps = self._scan(site)
                self._edition = self._read(site)
            return self._edition

    def _scan(self, site: Site) -> dict[str, Stamp]:
        """Stamps of all files that define the site: its pages and the configuration next to them."""
        root = self._path.resolve()
        folder = root.parent if root.is_file() else root
        tops = {folder, folders_of(folder, site).site or folder}
        stamps = dict(stamp for top in tops for stamp in _stamps_in(top))
        for content in site.content_roots:
            stamps |= dict(stamp for inner in _folders_in(content) for stamp in _stamps_in(inner))
        return stamps

    def _read(self, site: Site) -> Edition:
        listing = list_pages(self._path, site.is_page)
        heads = dict[_Version, PageFacts]()
        for path in listing.paths:
            try:
                file = load_page(listing.root, path, site)
            except PageUnreadable:
                # The ingest reports it and skips it, so no citation leads to it.
                continue
            version = _Version(site.kind, path, file.content_hash)
            heads[version] = self._heads.get(version) or head(file, site)
        self._heads = heads
        return Edition(self._path, listing.root, site, list(heads.values()))


def _folders_in(folder: Path | str) -> Iterator[Path | str]:
    for inner, names, _ in os.walk(folder):
        names[:] = [name for name in names if not name.startswith(".") and name not in _SKIPPED_FOLDERS]
        yield inner


def _stamps_in(folder: Path | str) -> Iterator[tuple[str, Stamp]]:
    try:
        for entry in os.scandir(folder):
            if entry.is_file():
                status = entry.stat()
                yield entry.path, Stamp(status.st_mtime_ns, status.st_size)
    except OSError:
        # Moved during the scan; the next scan will see it.
        return
