"""Jekyll: `_config.yml`; anchors as kramdown makes them for the Markdown of GitHub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from glossator.ingest.sites.config_file import (
    mapping_of,
    matches_any,
    number_of,
    read_yaml,
    text_of,
    texts_of,
)
from glossator.ingest.sites.configured_site import Listed, folder_order, top_folder
from glossator.ingest.sites.highlight_tags import highlight_tags
from glossator.ingest.sites.site import AFTER_ALL, Directive, Heading, Order, SiteKind, github_anchors

CONFIG_NAME = "_config.yml"
_NEVER_PAGES = ("vendor/**", "node_modules/**")


@dataclass(frozen=True, slots=True)
class JekyllConfig:
    folder: Path = field(repr=False)
    source: Path = field(repr=False)
    title: str = field(default="", repr=False)
    language: str = field(default="", repr=False)
    origin: str = ""
    base_path: str = "/"
    is_pretty: bool = False
    """Whether pages are folders: `permalink: pretty`."""
    collections: tuple[str, ...] = ()
    """The folders `_name` whose pages are published as `name`."""
    excluded: tuple[str, ...] = _NEVER_PAGES

    @property
    def kind(self) -> SiteKind:
        return SiteKind.JEKYLL

    @property
    def home(self) -> str:
        return self.origin and self.origin.rstrip("/") + "/" + self.base_path.strip("/")

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)

    def publishes(self, path: str) -> bool:
        first, *_ = parts = path.split("/")
        is_collection = first.startswith("_") and first[1:] in self.collections
        is_hidden = any(part.startswith(("_", ".")) for part in (parts[1:] if is_collection else parts))
        return path.endswith((".md", ".markdown")) and not is_hidden and not matches_any(path, self.excluded)

    def route(self, path: str, front_matter: Mapping[str, object]) -> str:
        own = text_of(front_matter.get("permalink"))
        if own and ":" not in own:
            return own.lstrip("/")
        page = PurePosixPath(path.removeprefix("_"))
        if page.stem in ("index", "README"):
            return "" if page.parent == PurePosixPath(".") else f"{page.parent.as_posix()}/"
        plain = page.with_suffix("").as_posix()
        return f"{plain}/" if self.is_pretty else f"{plain}.html"

    def order(self, path: str, front_matter: Mapping[str, object]) -> Order:
        """Sorts by `nav_order`, as the theme Just the Docs does, and then by name."""
        number = number_of(front_matter.get("nav_order"))
        return (AFTER_ALL if number is None else number, "", *folder_order(path))

    def navigation(self) -> Mapping[str, Listed]:
        return {}

    def chapter(self, path: str) -> str:
        return top_folder(path.removeprefix("_"))

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return github_anchors(headings)

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return highlight_tags(text)


def find_config(folder: Path) -> Path | None:
    return folder / CONFIG_NAME if (folder / CONFIG_NAME).is_file() else None


def default_config(folder: Path) -> JekyllConfig:
    return JekyllConfig(folder, folder)


def read_config(path: Path) -> JekyllConfig:
    fields = mapping_of(read_yaml(path))
    collections = fields.get("collections")
    return JekyllConfig(
        folder=path.parent,
        source=(path.parent / (text_of(fields.get("source")) or ".")).resolve(),
        title=text_of(fields.get("title")) or "",
        language=text_of(fields.get("lang")) or "",
        origin=text_of(fields.get("url")) or "",
        base_path=text_of(fields.get("baseurl")) or "/",
        is_pretty=fields.get("permalink") in ("pretty", "/:path/", "/:categories/:title/"),
        collections=texts_of(collections) or tuple(mapping_of(collections)),
        excluded=(*_NEVER_PAGES, *(texts_of(fields.get("exclude")) or ())),
    )
