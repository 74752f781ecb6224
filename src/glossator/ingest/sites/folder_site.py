"""A site whose addresses follow the folders of its pages; `FolderConfig` is what its generator decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from glossator.ingest.sites.configured_site import SourceConfig, SourceSite
from glossator.ingest.sites.site import (
    AFTER_ALL,
    Directive,
    Heading,
    Order,
    PageFacts,
    PagePlace,
    SiteKind,
    base_of,
    declared_title,
    readable_name,
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A page in the navigation of a site."""

    number: int
    chapter: str
    """Empty where the page is its own chapter."""


class FolderConfig(SourceConfig, Protocol):
    """What a generator and its configuration decide about a folder of pages."""

    @property
    def kind(self) -> SiteKind: ...

    @property
    def home(self) -> str:
        """The configured address; empty where none is configured."""
        ...

    @property
    def base_path(self) -> str: ...

    def publishes(self, path: str) -> bool:
        """Paths are from the source folder."""
        ...

    def route(self, path: str, front_matter: Mapping[str, object]) -> str:
        """The address below the base; with a leading slash, below the origin."""
        ...

    def order(self, path: str, front_matter: Mapping[str, object]) -> Order:
        """Of a page that the navigation does not list."""
        ...

    def chapter(self, path: str) -> str:
        """Of a page that the navigation does not list; empty where the page is its own."""
        ...

    def navigation(self) -> Mapping[str, Listed]: ...

    def anchors(self, headings: Sequence[Heading]) -> list[str]: ...

    def directives(self, text: str, folder: Path) -> Iterator[Directive]: ...


@dataclass(frozen=True, slots=True)
class FolderSite(SourceSite[FolderConfig]):
    listed: Mapping[str, Listed]

    @property
    def kind(self) -> SiteKind:
        return self.config.kind

    @property
    def home(self) -> str:
        return self.config.home

    def is_page(self, path: str) -> bool:
        below = self.path_in_source(path)
        return below is not None and self.config.publishes(below)

    def place(self, page: PageFacts) -> PagePlace:
        path = self.path_in_source(page.path) or page.path
        title = declared_title(page) or readable_name(PurePosixPath(path).stem)
        route = self.config.route(path, page.front_matter)
        url = self.base.address(route) if route.startswith("/") else self.base.address_in(route)
        listed = self.listed.get(path)
        if listed:
            return PagePlace(title, url, listed.chapter or title, (float(listed.number), ""))
        order = (AFTER_ALL, "", *self.config.order(path, page.front_matter))
        return PagePlace(title, url, self.config.chapter(path) or title, order)

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return self.config.anchors(headings)

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return self.config.directives(text, folder)


def folder_site(
    root: Path, config: FolderConfig, *, base_url: str | None, route_base: str | None
) -> FolderSite:
    base = base_of(base_url, config.base_path, route_base)
    return FolderSite(root, base, config, config.navigation())


def top_folder(path: str) -> str:
    """The outermost folder of a page, in words."""
    return readable_name(path.split("/")[0]) if "/" in path else ""


def folder_order(path: str, index: Sequence[str] = ("index", "readme", "_index")) -> Order:
    """In every folder, the index comes first, then pages and folders by name."""
    *folders, name = path.split("/")
    order: Order = ()
    for folder in folders:
        order = (*order, 1.0, folder)
    return (*order, 0.0 if PurePosixPath(name).stem.lower() in index else 1.0, name)
