"""Which generator publishes a folder, found out from what lies in it or above it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from glossator.ingest.site import docusaurus, mdbook, mkdocs
from glossator.ingest.site.plain import plain
from glossator.ingest.site.site import Site, SiteKind

Config = docusaurus.Config | mdbook.Config | mkdocs.Config

_WEBSITE = "website"
"""Where a repository keeps a Docusaurus site whose docs lie beside it."""
_NEVER_ENTERED = ("node_modules", "__pycache__")


def site_of(
    root: Path,
    *,
    kind: SiteKind | None = None,
    base_url: str | None = None,
    route_base: str | None = None,
    locale: str | None = None,
) -> Site:
    """The site whose own folder `root` is, or its folder of pages, or a part of that."""
    folder = root.resolve()
    folder = folder.parent if folder.is_file() else folder
    match _configured(folder, kind) or _assumed(folder, kind or _hinted(folder)):
        case docusaurus.Config() as config:
            return docusaurus.docusaurus(
                folder, config, base_url=base_url, route_base=route_base, locale=locale
            )
        case mdbook.Config() as config:
            return mdbook.mdbook(folder, config, base_url=base_url, route_base=route_base)
        case mkdocs.Config() as config:
            return mkdocs.mkdocs(folder, config, base_url=base_url, route_base=route_base)
        case None:
            return plain(folder, base_url=base_url, route_base=route_base)


def _configured(folder: Path, kind: SiteKind | None) -> Config | None:
    """The nearest configuration, here or above, of a site that the folder belongs to."""
    if kind is SiteKind.PLAIN:
        return None
    for above in (folder, *folder.parents):
        for found, config in _configs_in(above):
            if found is (kind or found) and (above == folder or config.holds(folder)):
                return config
    return None


def _configs_in(folder: Path) -> Iterator[tuple[SiteKind, Config]]:
    path = docusaurus.find_config(folder) or docusaurus.find_config(folder / _WEBSITE)
    if path:
        yield SiteKind.DOCUSAURUS, docusaurus.read_config(path)
    path = folder / mdbook.CONFIG_NAME
    if path.is_file():
        yield SiteKind.MDBOOK, mdbook.read_config(path)
    path = mkdocs.find_config(folder)
    if path:
        yield SiteKind.MKDOCS, mkdocs.read_config(path)


def _assumed(folder: Path, kind: SiteKind) -> Config | None:
    """What the generator would assume of a folder without a configuration."""
    match kind:
        case SiteKind.DOCUSAURUS:
            return docusaurus.default_config(folder)
        case SiteKind.MDBOOK:
            return mdbook.read_config(folder / mdbook.CONFIG_NAME)
        case SiteKind.MKDOCS:
            return mkdocs.Config(folder / "docs" if (folder / "docs").is_dir() else folder)
        case SiteKind.PLAIN:
            return None


def _hinted(folder: Path) -> SiteKind:
    if any((place / mdbook.SUMMARY_NAME).is_file() for place in (folder, folder / "src")):
        return SiteKind.MDBOOK
    return SiteKind.DOCUSAURUS if any(map(_is_of_docusaurus, _file_names(folder))) else SiteKind.PLAIN


def _is_of_docusaurus(name: str) -> bool:
    return name.endswith(".mdx") or name in ("_category_.json", "_category_.yml", "_category_.yaml")


def _file_names(folder: Path) -> Iterator[str]:
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NEVER_ENTERED]
        yield from names
