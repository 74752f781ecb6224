"""What every site takes from its configuration in the same way."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from glossator.ingest.sites.site import Base, fingerprint_of


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
