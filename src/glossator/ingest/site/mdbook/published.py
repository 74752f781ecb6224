"""An mdBook site: addresses, anchors and reading order of its chapters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from glossator.ingest.site.address import Base, base_of
from glossator.ingest.site.mdbook.config import SUMMARY_NAME, Config
from glossator.ingest.site.mdbook.ids import anchors_of
from glossator.ingest.site.mdbook.summary import Entry
from glossator.ingest.site.site import AFTER_ALL, Heading, PageFacts, Place, SiteKind, fingerprint_of
from glossator.ingest.site.title import spoken_name, written_title


@dataclass(frozen=True, slots=True)
class MdBook:
    root: Path = field(repr=False)
    """The folder the author gave."""
    base: Base
    config: Config
    listed: Mapping[str, tuple[int, Entry]] = field(repr=False)
    """What the summary lists, by path, with its number in the reading order."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.MDBOOK

    @property
    def home(self) -> str:
        return ""

    @property
    def content_roots(self) -> tuple[Path, ...]:
        return (self.config.source,)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self)

    def is_page(self, path: str) -> bool:
        inside = self._path(path)
        if inside is None or not inside.endswith(".md"):
            return False
        return inside in self.listed if self.listed else inside != SUMMARY_NAME

    def place(self, page: PageFacts) -> Place:
        path = self._path(page.path) or page.path
        number, entry = self.listed.get(path, (None, None))
        if number is None or entry is None:
            title = written_title(page) or spoken_name(PurePosixPath(path).stem)
            return Place(title, self._url(path), title, (AFTER_ALL, path))
        return Place(entry.title, self._url(path), entry.chapter, (float(number), ""))

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return anchors_of(headings, is_smart=self.config.has_smart_punctuation)

    def _path(self, path: str) -> str | None:
        file = self.root / path
        return (
            file.relative_to(self.config.source).as_posix()
            if file.is_relative_to(self.config.source)
            else None
        )

    def _url(self, path: str) -> str:
        page = PurePosixPath(path)
        is_index = self.config.makes_readmes_indexes and page.stem.lower() == "readme"
        name = "index.html" if is_index else f"{page.stem}.html"
        return self.base.address_in(page.with_name(name).as_posix())


def mdbook(root: Path, config: Config, *, base_url: str | None, route_base: str | None) -> MdBook:
    listed = {entry.path: (number, entry) for number, entry in enumerate(config.summary or ())}
    return MdBook(root, base_of(base_url, config.base_url, route_base), config, listed)
