"""Detect which generator publishes a folder; `PlainSite` is the site of a folder without one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from glossator.errors import SettingsError
from glossator.ingest.sites import (
    docusaurus,
    gitbook,
    hugo,
    jekyll,
    mdbook,
    mkdocs,
    sphinx,
    starlight,
    vitepress,
)
from glossator.ingest.sites.configured_site import folder_site
from glossator.ingest.sites.docusaurus.docs import numbered
from glossator.ingest.sites.html_site import SUFFIXES as HTML
from glossator.ingest.sites.html_site import html_site
from glossator.ingest.sites.site import (
    Base,
    Directive,
    Heading,
    Order,
    PageFacts,
    PagePlace,
    Site,
    SiteKind,
    base_of,
    declared_title,
    fingerprint_of,
    github_anchors,
    readable_name,
)
from glossator.ingest.sites.sphinx import mystmd

Config = (
    docusaurus.DocusaurusConfig
    | mdbook.MdBookConfig
    | mkdocs.MkDocsConfig
    | sphinx.SphinxConfig
    | vitepress.VitePressConfig
    | starlight.StarlightConfig
    | hugo.HugoConfig
    | jekyll.JekyllConfig
    | gitbook.GitBookConfig
)

_WEBSITE = "website"
"""The folder of a Docusaurus site whose docs are in a folder next to it."""
_NEVER_ENTERED = ("node_modules", "__pycache__")


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """What an author says about the site; the rest is detected."""

    kind: SiteKind | None = None
    base_url: str | None = None
    route_base: str | None = None
    locale: str | None = None
    title: str | None = None

    def site(self, path: Path) -> Site:
        return site_of(
            path,
            kind=self.kind,
            base_url=self.base_url,
            route_base=self.route_base,
            locale=self.locale,
            title=self.title,
        )


def site_of(
    root: Path,
    *,
    kind: SiteKind | None = None,
    base_url: str | None = None,
    route_base: str | None = None,
    locale: str | None = None,
    title: str | None = None,
) -> Site:
    """The site of `root`, which is the folder of the site, of its pages, or a part of them.

    `title` is used instead of the one in its configuration.
    """
    folder = root.resolve()
    kind = kind or _kind_of_files(folder)
    folder = folder.parent if folder.is_file() else folder
    if kind is SiteKind.HTML:
        return html_site(folder, base_url=base_url, route_base=route_base, title=title)
    config = _configured(folder, kind) or _assumed(folder, kind or _hinted(folder))
    match replace(config, title=title) if config and title else config:
        case docusaurus.DocusaurusConfig() as config:
            return docusaurus.docusaurus(
                folder, config, base_url=base_url, route_base=route_base, locale=locale
            )
        case mdbook.MdBookConfig() as config:
            return mdbook.mdbook(folder, config, base_url=base_url, route_base=route_base)
        case mkdocs.MkDocsConfig() as config:
            return mkdocs.mkdocs(folder, config, base_url=base_url, route_base=route_base)
        case mystmd.MystConfig() as config:
            return mystmd.mystmd(folder, config, base_url=base_url, route_base=route_base)
        case sphinx.SphinxConfig() as config:
            return sphinx.sphinx(folder, config, base_url=base_url, route_base=route_base)
        case (
            vitepress.VitePressConfig()
            | starlight.StarlightConfig()
            | hugo.HugoConfig()
            | jekyll.JekyllConfig()
            | gitbook.GitBookConfig()
        ) as config:
            return folder_site(folder, config, base_url=base_url, route_base=route_base)
        case None:
            return plain_site(folder, base_url=base_url, route_base=route_base, title=title or "")


def locales_of(root: Path) -> tuple[str, ...]:
    """The languages of a translated Docusaurus site, its default one first. Raises SettingsError."""
    config = _configured(root.resolve(), SiteKind.DOCUSAURUS)
    if not isinstance(config, docusaurus.DocusaurusConfig) or len(config.locales) < 2:
        raise SettingsError(f"The configuration of {root} lists no languages: name one with --locale.")
    return tuple(sorted(config.locales, key=lambda locale: locale != config.default_locale))


def _kind_of_files(path: Path) -> SiteKind | None:
    """HTML for such a page, and for a folder that has such pages and no others; None where others decide.

    The folder may stand inside that of the generator that has built it.
    """
    if path.is_file():
        suffix = path.suffix.lower()
        return SiteKind.HTML if suffix in HTML else SiteKind.PLAIN if suffix == _PDF else None
    if any(_configs_in(path)):
        return None
    suffixes = {PurePosixPath(name).suffix.lower() for name in _file_names(path)}
    return SiteKind.HTML if suffixes.isdisjoint(_SOURCES) and not suffixes.isdisjoint(HTML) else None


def _configured(folder: Path, kind: SiteKind | None) -> Config | None:
    """The nearest configuration, here or in a parent folder, of a site that contains the folder."""
    if kind is SiteKind.PLAIN:
        return None
    for parent in (folder, *folder.parents):
        for config_kind, config in _configs_in(parent):
            if config_kind is (kind or config_kind) and (parent == folder or config.holds(folder)):
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
    path = mystmd.find_config(folder)
    if path:
        yield SiteKind.MYST, mystmd.read_config(path)
    path = sphinx.find_book(folder)
    if path:
        yield SiteKind.SPHINX, sphinx.read_config(path)
    for kind, module in _BY_FOLDER.items():
        path = module.find_config(folder)
        if path:
            yield kind, module.read_config(path)
    path = sphinx.find_config(folder)
    if path:
        yield SiteKind.SPHINX, sphinx.read_config(path)


_BY_FOLDER = {
    SiteKind.VITEPRESS: vitepress,
    SiteKind.STARLIGHT: starlight,
    SiteKind.HUGO: hugo,
    SiteKind.JEKYLL: jekyll,
    SiteKind.GITBOOK: gitbook,
}


def _assumed(folder: Path, kind: SiteKind) -> Config | None:
    """The generator's defaults for a folder without a configuration."""
    match kind:
        case SiteKind.DOCUSAURUS:
            return docusaurus.default_config(folder)
        case SiteKind.MDBOOK:
            return mdbook.read_config(folder / mdbook.CONFIG_NAME)
        case SiteKind.MKDOCS:
            docs = folder / "docs" if (folder / "docs").is_dir() else folder
            return mkdocs.MkDocsConfig(docs, folder, (folder,))
        case SiteKind.SPHINX:
            sources = [source for source in (folder / "source", folder) if source.is_dir()]
            myst = next(filter(_is_myst, sources), None)
            return sphinx.SphinxConfig(myst, suffixes=_SPHINX) if myst else sphinx.SphinxConfig(sources[0])
        case SiteKind.MYST:
            return mystmd.default_config(folder)
        case SiteKind.PLAIN:
            return None
        case _:
            return _BY_FOLDER[kind].default_config(folder)


def _hinted(folder: Path) -> SiteKind:
    if any((source / mdbook.SUMMARY_NAME).is_file() for source in (folder, folder / "src")):
        return SiteKind.MDBOOK
    names = list(_file_names(folder))
    if any(map(_is_of_docusaurus, names)):
        return SiteKind.DOCUSAURUS
    is_rst = sum(name.endswith(".rst") for name in names) > sum(name.endswith(_SUFFIXES) for name in names)
    return SiteKind.SPHINX if is_rst or _is_myst(folder) else SiteKind.PLAIN


def _is_myst(folder: Path) -> bool:
    """Whether the first pages by name have directives of MyST.

    A folder of 100,000 pages is not read for that: a book with directives has them in some dozens of pages.
    """
    pages = (Path(parent, name) for parent, name in _files(folder) if name.endswith(".md"))
    return any(map(sphinx.is_myst, map(_beginning, islice(pages, _PAGES_TO_LOOK_AT))))


def _beginning(path: Path) -> str:
    """Empty for a page that cannot be opened; whoever reads it whole reports it."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as page:
            return page.read(_TO_LOOK_AT)
    except OSError:
        return ""


def _is_of_docusaurus(name: str) -> bool:
    return name.endswith(".mdx") or name in ("_category_.json", "_category_.yml", "_category_.yaml")


def _file_names(folder: Path) -> Iterator[str]:
    return (name for _, name in _files(folder))


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """The folder and the name of each, by name, those of a folder before its folders."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [
            name for name in sorted(folders) if not name.startswith(".") and name not in _NEVER_ENTERED
        ]
        yield from ((parent, name) for name in sorted(names))


_SUFFIXES = (".md", ".mdx", ".markdown", ".ipynb")
_SOURCES = (*_SUFFIXES, ".rst")
_SPHINX = (".rst", ".md", ".ipynb")
_PAGES_TO_LOOK_AT = 50
_TO_LOOK_AT = 20_000
"""How many characters of each page are looked at."""
_PDF = ".pdf"


@dataclass(frozen=True, slots=True)
class PlainSite:
    """A folder of Markdown, notebooks and PDFs without a generator, with anchors as on GitHub."""

    root: Path = field(repr=False)
    """The folder the author gave."""
    base: Base
    title: str = field(default="", repr=False)

    @property
    def kind(self) -> SiteKind:
        return SiteKind.PLAIN

    @property
    def home(self) -> str:
        return ""

    @property
    def language(self) -> str:
        return ""

    @property
    def folder(self) -> Path:
        return self.root

    @property
    def content_roots(self) -> tuple[Path, ...]:
        return (self.root,)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self)

    def is_page(self, path: str) -> bool:
        parts = path.split("/")
        is_hidden = any(part.startswith(".") or part == "node_modules" for part in parts)
        return path.lower().endswith((*_SUFFIXES, _PDF)) and not is_hidden

    def place(self, page: PageFacts) -> PagePlace:
        path = PurePosixPath(page.path)
        title = declared_title(page) or _label(path.stem)
        chapter = title if len(path.parts) == 1 else _label(path.parts[0])
        return PagePlace(title, self.base.address_in(page.path), chapter, _order(path))

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return github_anchors(headings)

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return iter(())


def plain_site(root: Path, *, base_url: str | None, route_base: str | None, title: str = "") -> PlainSite:
    """If there is no `base_url`, the addresses are the paths of the files."""
    base = base_of(base_url, "", route_base)
    return PlainSite(root, base if base_url else Base("", base.path.removeprefix("/")), title)


def _label(name: str) -> str:
    return readable_name(numbered(name).name)


def _order(path: PurePosixPath) -> Order:
    """Sorts by name, with numbers in numerical order; the readme or index of a folder comes first in it."""
    order: Order = ()
    for part in path.parts[:-1]:
        order = (*order, 1.0, _sortable(part))
    is_index = path.stem.lower() in ("readme", "index")
    return (*order, 0.0 if is_index else 1.0, _sortable(path.name))


def _sortable(name: str) -> str:
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), name.lower())
