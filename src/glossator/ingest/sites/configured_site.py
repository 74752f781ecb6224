"""What every site takes from its configuration in the same way, and the sites that are a folder of pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Generic, Protocol, TypeVar

from glossator.ingest.sites.site import (
    AFTER_ALL,
    Base,
    Directive,
    Heading,
    Order,
    PageFacts,
    PagePlace,
    SiteKind,
    base_of,
    declared_title,
    fingerprint_of,
    readable_name,
)


class SiteConfig(Protocol):
    @property
    def title(self) -> str: ...

    @property
    def folder(self) -> Path:
        """The folder with the configuration."""
        ...


class SourceConfig(SiteConfig, Protocol):
    @property
    def language(self) -> str: ...

    @property
    def source(self) -> Path:
        """The folder with the pages."""
        ...


AnyConfig = TypeVar("AnyConfig", bound=SiteConfig)
AnySourceConfig = TypeVar("AnySourceConfig", bound=SourceConfig)


@dataclass(frozen=True, slots=True)
class ConfiguredSite(Generic[AnyConfig]):
    root: Path = field(repr=False)
    """The folder the author gave."""
    base: Base
    config: AnyConfig

    @property
    def title(self) -> str:
        return self.config.title

    @property
    def folder(self) -> Path:
        return self.config.folder

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self)


@dataclass(frozen=True, slots=True)
class SourceSite(ConfiguredSite[AnySourceConfig]):
    """A site whose pages are all in one folder."""

    @property
    def language(self) -> str:
        return self.config.language

    @property
    def content_roots(self) -> tuple[Path, ...]:
        return (self.config.source,)

    def path_in_source(self, path: str) -> str | None:
        """The path of a page from the source folder; None for a file outside of it."""
        file, source = self.root / path, self.config.source
        return file.relative_to(source).as_posix() if file.is_relative_to(source) else None


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
        """The position of a page that the navigation does not list."""
        ...

    def chapter(self, path: str) -> str:
        """The chapter of a page that the navigation does not list; empty where the page is its own."""
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
    """Sorts every folder: the index comes first, then pages and folders by name."""
    *folders, name = path.split("/")
    order: Order = ()
    for folder in folders:
        order = (*order, 1.0, folder)
    return (*order, 0.0 if PurePosixPath(name).stem.lower() in index else 1.0, name)
