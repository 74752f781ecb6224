"""A folder of Markdown that no generator publishes, as it looks on GitHub."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from glossator.ingest.site.address import Base, base_of
from glossator.ingest.site.docusaurus.numbers import numbered
from glossator.ingest.site.site import Heading, Order, PageFacts, Place, SiteKind, fingerprint_of
from glossator.ingest.site.slug import Slugger
from glossator.ingest.site.title import spoken_name, written_title

_SUFFIXES = (".md", ".mdx", ".markdown")


@dataclass(frozen=True, slots=True)
class Plain:
    root: Path = field(repr=False)
    """The folder the author gave."""
    base: Base

    @property
    def kind(self) -> SiteKind:
        return SiteKind.PLAIN

    @property
    def home(self) -> str:
        return ""

    @property
    def content_roots(self) -> tuple[Path, ...]:
        return (self.root,)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self)

    def is_page(self, path: str) -> bool:
        parts = path.split("/")
        is_hidden = any(part.startswith(".") or part == "node_modules" for part in parts)
        return path.lower().endswith(_SUFFIXES) and not is_hidden

    def place(self, page: PageFacts) -> Place:
        path = PurePosixPath(page.path)
        title = written_title(page) or _label(path.stem)
        chapter = title if len(path.parts) == 1 else _label(path.parts[0])
        return Place(title, self.base.address_in(page.path), chapter, _order(path))

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        slugger = Slugger()
        return [heading.custom_id or slugger.slug(heading.text) for heading in headings]


def plain(root: Path, *, base_url: str | None, route_base: str | None) -> Plain:
    """Without a base, addresses are the paths of the files."""
    base = base_of(base_url, "", route_base)
    return Plain(root, base if base_url else Base("", base.path.removeprefix("/")))


def _label(name: str) -> str:
    return spoken_name(numbered(name).name)


def _order(path: PurePosixPath) -> Order:
    """By name, with numbers as numbers; the readme or index of a folder before what it opens."""
    order: Order = ()
    for part in path.parts[:-1]:
        order = (*order, 1.0, _sortable(part))
    opens = path.stem.lower() in ("readme", "index")
    return (*order, 0.0 if opens else 1.0, _sortable(path.name))


def _sortable(name: str) -> str:
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), name.lower())
