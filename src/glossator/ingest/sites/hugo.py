"""Hugo: `hugo.*` or `config.*`, and pages in `content`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from glossator.ingest.sites.config_file import (
    flag_of,
    mapping_of,
    number_of,
    read_page,
    read_toml,
    read_yaml,
    text_of,
)
from glossator.ingest.sites.configured_site import Listed
from glossator.ingest.sites.highlight_tags import highlight_tags
from glossator.ingest.sites.site import (
    AFTER_ALL,
    Directive,
    Heading,
    Order,
    SiteKind,
    github_anchors,
    readable_name,
)

_CONFIG_NAMES = tuple(
    f"{name}.{ending}" for name in ("hugo", "config") for ending in ("toml", "yaml", "yml", "json")
)
_FOLDER_CONFIGS = tuple(f"config/_default/{name}" for name in _CONFIG_NAMES)
_KEPT = "._#+~-"
"""Marks that an address keeps, beside letters and digits."""


@dataclass(frozen=True, slots=True)
class HugoConfig:
    folder: Path = field(repr=False)
    source: Path = field(repr=False)
    title: str = field(default="", repr=False)
    language: str = field(default="", repr=False)
    home: str = ""
    has_files: bool = False
    """Whether pages are files (`uglyURLs`) and not folders."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.HUGO

    @property
    def base_path(self) -> str:
        return urlsplit(self.home).path or "/"

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)

    def publishes(self, path: str) -> bool:
        is_page = path.endswith((".md", ".markdown"))
        return is_page and read_page(self.source / path)[0].get("draft") is not True

    def route(self, path: str, front_matter: Mapping[str, object]) -> str:
        own = text_of(front_matter.get("url"))
        if own:
            return own.lstrip("/")
        page = PurePosixPath(path)
        folders = [_path_part(part) for part in page.parts[:-1]]
        if page.stem in ("_index", "index"):
            return "".join(f"{part}/" for part in folders)
        name = _path_part(text_of(front_matter.get("slug")) or page.stem)
        return "/".join([*folders, f"{name}.html" if self.has_files else f"{name}/"])

    def order(self, path: str, front_matter: Mapping[str, object]) -> Order:
        """Every folder has the weight of its `_index.md`; pages without a weight come last."""
        order: Order = ()
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            fields, _ = read_page(self.source / folder / "_index.md")
            order = (*order, _weight(fields), text_of(fields.get("title")) or parts[depth - 1])
        if parts[-1] == "_index.md":
            return (*order, -1.0, "")
        return (*order, _weight(front_matter), text_of(front_matter.get("title")) or parts[-1])

    def navigation(self) -> Mapping[str, Listed]:
        """Only the chapters come from the folders; the order is that of the weights."""
        return {}

    def chapter(self, path: str) -> str:
        if "/" not in path:
            return ""
        folder = path.split("/")[0]
        return text_of(read_page(self.source / folder / "_index.md")[0].get("title")) or readable_name(folder)

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return github_anchors(headings)

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return highlight_tags(text)


def find_config(folder: Path) -> Path | None:
    """Looks in folders with `content`, because a bare `config.toml` may be any program's."""
    if not (folder / "content").is_dir():
        return None
    return next(
        (folder / name for name in (*_CONFIG_NAMES, *_FOLDER_CONFIGS) if (folder / name).is_file()), None
    )


def default_config(folder: Path) -> HugoConfig:
    return HugoConfig(folder, folder / "content" if (folder / "content").is_dir() else folder)


def read_config(path: Path) -> HugoConfig:
    read = mapping_of(read_toml(path) if path.suffix == ".toml" else read_yaml(path))
    fields = {name.lower(): value for name, value in read.items()}
    folder = path.parent.parent.parent if path.parent.name == "_default" else path.parent
    return HugoConfig(
        folder=folder,
        source=(folder / (text_of(fields.get("contentdir")) or "content")).resolve(),
        title=text_of(fields.get("title")) or "",
        language=text_of(fields.get("languagecode")) or "",
        home=text_of(fields.get("baseurl")) or "",
        has_files=flag_of(fields.get("uglyurls")) or False,
    )


def _weight(fields: Mapping[str, object]) -> float:
    return number_of(fields.get("weight")) or AFTER_ALL


def _path_part(text: str) -> str:
    """Blanks become one hyphen, and other marks are left out."""
    words = (
        "".join(sign for sign in word if sign.isalnum() or sign in _KEPT) for word in text.lower().split()
    )
    return "-".join(filter(None, words))
