"""Read the docs settings of `docusaurus.config.*`, as far as possible without running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from glossator.ingest.sites.config_file import (
    flag_of,
    items_of,
    mapping_of,
    read_text,
    read_yaml,
    text_of,
    texts_of,
)
from glossator.ingest.sites.docusaurus.javascript import UNKNOWN, exported_value
from glossator.ingest.sites.docusaurus.sidebars import GENERATED, Sidebar, sidebars_of

CONFIG_NAMES = tuple(f"docusaurus.config.{ending}" for ending in ("ts", "js", "mjs", "cjs", "mts", "cts"))
_SIDEBARS_NAMES = tuple(f"sidebars.{ending}" for ending in ("ts", "js", "mjs", "cjs", "json"))
_PRESETS = ("classic", "@docusaurus/preset-classic", "preset-classic")
_DOCS_PLUGINS = ("@docusaurus/plugin-content-docs", "content-docs", "docusaurus-plugin-content-docs")

INCLUDED = ("**/*.{md,mdx}",)
EXCLUDED = ("**/_*.{js,jsx,ts,tsx,md,mdx}", "**/_*/**", "**/*.test.{js,jsx,ts,tsx}", "**/__tests__/**")


@dataclass(frozen=True, slots=True)
class DocsPlugin:
    """The settings of one docs plugin; most sites have one."""

    folder: str = "docs"
    route: str = "docs"
    name: str = "default"
    version: str = ""
    """The part of the address that marks unreleased docs, such as `next`."""
    sidebars: tuple[Sidebar, ...] = GENERATED
    include: tuple[str, ...] = INCLUDED
    exclude: tuple[str, ...] = EXCLUDED
    parses_numbers: bool = True


@dataclass(frozen=True, slots=True)
class DocusaurusConfig:
    folder: Path = field(repr=False)
    """The folder of the site."""
    origin: str = ""
    base_path: str = "/"
    trailing_slash: bool | None = None
    default_locale: str = "en"
    locales: tuple[str, ...] = ()
    """All of them, in the order of the configuration; empty where it does not list them."""
    translations: str = "i18n"
    """The folder with one folder for each language."""
    keeps_case: bool = False
    """Whether anchors keep their capitals."""
    docs: tuple[DocsPlugin, ...] = (DocsPlugin(),)
    title: str = field(default="", repr=False)

    def holds(self, folder: Path) -> bool:
        """Whether the folder is part of the docs or of their translations."""
        roots = (self.translations, *(plugin.folder for plugin in self.docs))
        return any(folder.is_relative_to((self.folder / root).resolve()) for root in roots)


def default_config(folder: Path) -> DocusaurusConfig:
    """The settings of a folder without a configuration, which is the site's folder or the docs themselves."""
    return (
        DocusaurusConfig(folder)
        if (folder / "docs").is_dir()
        else DocusaurusConfig(folder, docs=(DocsPlugin(folder="."),))
    )


def find_config(folder: Path) -> Path | None:
    return next((folder / name for name in CONFIG_NAMES if (folder / name).is_file()), None)


def read_config(path: Path) -> DocusaurusConfig:
    fields = mapping_of(exported_value(read_text(path)))
    i18n = mapping_of(fields.get("i18n"))
    anchors = mapping_of(mapping_of(fields.get("markdown")).get("anchors"))
    options = list(_docs_options(fields)) or [mapping_of(None)]
    return DocusaurusConfig(
        folder=path.parent,
        origin=text_of(fields.get("url")) or "",
        base_path=text_of(fields.get("baseUrl")) or "/",
        trailing_slash=flag_of(fields.get("trailingSlash")),
        default_locale=text_of(i18n.get("defaultLocale")) or "en",
        locales=texts_of(i18n.get("locales")) or (),
        translations=text_of(i18n.get("path")) or "i18n",
        keeps_case=flag_of(anchors.get("maintainCase")) or False,
        docs=tuple(_plugin(path.parent, option) for option in options),
        title=text_of(fields.get("title")) or "",
    )


def _docs_options(fields: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for name, options in _named(fields.get("presets")):
        if name in _PRESETS and options.get("docs") is not False:
            yield mapping_of(options.get("docs"))
    for name, options in _named(fields.get("plugins")):
        if name in _DOCS_PLUGINS:
            yield options


def _named(entries: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Presets or plugins, each a name or a list of a name and its options."""
    for entry in items_of(entries):
        name, *options = items_of(entry) or [entry]
        yield text_of(name) or "", mapping_of(options[0] if options else None)


def _plugin(site: Path, options: Mapping[str, object]) -> DocsPlugin:
    name = text_of(options.get("id")) or "default"
    route = options.get("routeBasePath")
    exclude = texts_of(options.get("exclude"))
    return DocsPlugin(
        folder=text_of(options.get("path")) or "docs",
        route=route if isinstance(route, str) else "docs",
        name=name,
        version=_version(site, name, options),
        sidebars=_sidebars(site, options.get("sidebarPath")),
        include=texts_of(options.get("include")) or INCLUDED,
        exclude=EXCLUDED if exclude is None else exclude,
        parses_numbers=options.get("numberPrefixParser") is not False,
    )


def _version(site: Path, name: str, options: Mapping[str, object]) -> str:
    """`next` for the docs folder of a site that has released versions, unless it is configured otherwise."""
    current = mapping_of(mapping_of(options.get("versions")).get("current"))
    if "path" in current:
        return text_of(current["path"]) or ""
    file = site / ("versions.json" if name == "default" else f"{name}_versions.json")
    is_latest = options.get("lastVersion") == "current" or options.get("disableVersioning") is True
    if is_latest or not file.is_file():
        return ""
    return "next" if items_of(read_yaml(file)) else ""


def _sidebars(site: Path, sidebar_path: object) -> tuple[Sidebar, ...]:
    if sidebar_path is None or sidebar_path is False:
        return GENERATED
    names = _SIDEBARS_NAMES if sidebar_path is UNKNOWN else (text_of(sidebar_path) or "",)
    file = next((site / name for name in names if (site / name).is_file()), None)
    if file is None:
        return GENERATED
    return sidebars_of(read_yaml(file) if file.suffix == ".json" else exported_value(read_text(file)))
