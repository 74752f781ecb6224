"""A MkDocs site: addresses, anchors and reading order of its pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from glossator.ingest.site.address import Base, base_of
from glossator.ingest.site.globs import is_ignored
from glossator.ingest.site.mkdocs.config import Config
from glossator.ingest.site.mkdocs.ids import anchors_of
from glossator.ingest.site.mkdocs.nav import Entry
from glossator.ingest.site.site import AFTER_ALL, Heading, Order, PageFacts, Place, SiteKind, fingerprint_of
from glossator.ingest.site.title import spoken_name, written_title

_SUFFIXES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")


@dataclass(frozen=True, slots=True)
class MkDocs:
    root: Path = field(repr=False)
    """The folder the author gave."""
    base: Base
    config: Config
    listed: Mapping[str, tuple[int, Entry]] = field(repr=False)
    """What the navigation lists, by path, with its number in the reading order."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.MKDOCS

    @property
    def home(self) -> str:
        return self.config.site_url

    @property
    def content_roots(self) -> tuple[Path, ...]:
        return (self.config.docs,)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self)

    def is_page(self, path: str) -> bool:
        inside = self._path(path)
        if inside is None or not inside.endswith(_SUFFIXES) or is_ignored(inside, self.config.excluded):
            return False
        page = PurePosixPath(inside)
        return page.stem != "README" or not (self.config.docs / page.with_name("index.md")).is_file()

    def place(self, page: PageFacts) -> Place:
        path = self._path(page.path) or page.path
        number, entry = self.listed.get(path, (None, None))
        title = (entry and entry.title) or written_title(page) or self._name(path)
        url = self.base.address_in("") + quote(self._route(path))
        if self.config.nav is None:
            return Place(title, url, _section(path) or title, _folder_order(path))
        order: Order = (AFTER_ALL, path) if number is None else (float(number), "")
        return Place(title, url, (entry and entry.section) or title, order)

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return anchors_of(headings, self.config.slug, reads_custom_ids=self.config.reads_custom_ids)

    def _path(self, path: str) -> str | None:
        file = self.root / path
        return (
            file.relative_to(self.config.docs).as_posix() if file.is_relative_to(self.config.docs) else None
        )

    def _route(self, path: str) -> str:
        page = PurePosixPath(path)
        name = _name(page)
        if not self.config.uses_directory_urls:
            return page.with_name(f"{name}.html").as_posix()
        folder = page.parent if name == "index" else page.with_name(name)
        return "" if folder == PurePosixPath(".") else f"{folder.as_posix()}/"

    def _name(self, path: str) -> str:
        name = _name(PurePosixPath(path))
        return "Home" if name == "index" and "/" not in path else spoken_name(name)


def mkdocs(root: Path, config: Config, *, base_url: str | None, route_base: str | None) -> MkDocs:
    listed = {entry.path: (number, entry) for number, entry in enumerate(config.nav or ())}
    base = base_of(base_url, urlsplit(config.site_url).path or "/", route_base)
    return MkDocs(root, base, config, listed)


def _name(page: PurePosixPath) -> str:
    return "index" if page.stem == "README" else page.stem


def _section(path: str) -> str | None:
    folder, slash, _ = path.partition("/")
    return spoken_name(folder) if slash else None


def _folder_order(path: str) -> Order:
    """In every folder the index first, then the pages, then the folders."""
    *folders, name = path.split("/")
    order: Order = ()
    for folder in folders:
        order = (*order, 2.0, folder)
    is_index = _name(PurePosixPath(name)) == "index"
    return (*order, 0.0 if is_index else 1.0, name)
