"""Starlight, the documentation of Astro: `astro.config.*`, and pages in `src/content/docs`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from glossator.ingest.sites.config_file import items_of, mapping_of, number_of, read_page, read_text, text_of
from glossator.ingest.sites.configured_site import Listed, folder_order, top_folder
from glossator.ingest.sites.docusaurus.javascript import exported_value
from glossator.ingest.sites.site import AFTER_ALL, Directive, Heading, Order, SiteKind, Slugger, slug
from glossator.model import Span
from glossator.text.spans import Spans, remove_spans

_CONFIG_NAMES = tuple(f"astro.config.{ending}" for ending in ("mjs", "ts", "js", "mts"))
_SOURCE = "src/content/docs"
_SUFFIXES = (".md", ".mdx", ".markdown")
_DASHES = re.compile("--+")


@dataclass(frozen=True, slots=True)
class StarlightConfig:
    folder: Path = field(repr=False)
    source: Path = field(repr=False)
    title: str = field(default="", repr=False)
    language: str = field(default="", repr=False)
    origin: str = ""
    base_path: str = "/"
    has_slash: bool = True
    """Whether addresses end in one."""
    sidebar: tuple[tuple[str, str], ...] = ()
    """Slugs in reading order, each with its chapter; `rest/*` is a folder."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.STARLIGHT

    @property
    def home(self) -> str:
        return self.origin and f"{self.origin.rstrip('/')}/{self.base_path.strip('/')}".rstrip("/") + "/"

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)

    def publishes(self, path: str) -> bool:
        is_hidden = any(part.startswith("_") for part in path.split("/"))
        if not path.endswith(_SUFFIXES) or is_hidden:
            return False
        return read_page(self.source / path)[0].get("draft") is not True

    def route(self, path: str, front_matter: Mapping[str, object]) -> str:
        name = _slug_of(path, front_matter)
        return f"{name}/" if name and self.has_slash else name

    def order(self, path: str, front_matter: Mapping[str, object]) -> Order:
        return folder_order(path)

    def chapter(self, path: str) -> str:
        return top_folder(path)

    def navigation(self) -> Mapping[str, Listed]:
        pages = {path: read_page(self.source / path)[0] for path in self._paths()}
        by_slug = {_slug_of(path, fields): path for path, fields in pages.items()}
        listed = dict[str, Listed]()
        for name, chapter in self.sidebar:
            paths = _in_folder(pages, name[:-1]) if name.endswith("*") else [by_slug.get(name, "")]
            for path in filter(None, paths):
                listed.setdefault(path, Listed(len(listed), chapter))
        return listed

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        slugger = Slugger()
        return [heading.custom_id or slugger.slug(_typeset(heading)) for heading in headings]

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return iter(())

    def _paths(self) -> list[str]:
        files = (path for path in self.source.rglob("*") if path.suffix in _SUFFIXES)
        return sorted(path.relative_to(self.source).as_posix() for path in files)


def find_config(folder: Path) -> Path | None:
    """Finds the configuration of an Astro site with pages of Starlight."""
    if not (folder / _SOURCE).is_dir():
        return None
    return next((folder / name for name in _CONFIG_NAMES if (folder / name).is_file()), None)


def default_config(folder: Path) -> StarlightConfig:
    return StarlightConfig(folder, folder)


def read_config(path: Path) -> StarlightConfig:
    fields = mapping_of(exported_value(read_text(path)))
    integrations = [mapping_of(entry) for entry in items_of(fields.get("integrations"))]
    starlight = next((entry for entry in integrations if "title" in entry), mapping_of(None))
    return StarlightConfig(
        folder=path.parent,
        source=(path.parent / _SOURCE).resolve(),
        title=text_of(starlight.get("title")) or "",
        language=text_of(starlight.get("defaultLocale")) or "",
        origin=text_of(fields.get("site")) or "",
        base_path=text_of(fields.get("base")) or "/",
        has_slash=fields.get("trailingSlash") != "never",
        sidebar=tuple(_entries(starlight.get("sidebar"), "")),
    )


def _entries(items: object, chapter: str) -> Iterator[tuple[str, str]]:
    for item in items_of(items):
        fields = mapping_of(item)
        label = text_of(fields.get("label")) or ""
        name = text_of(item) or text_of(fields.get("slug")) or text_of(fields.get("link"))
        if name and "://" not in name:
            yield name.strip("/"), chapter
        directory = text_of(mapping_of(fields.get("autogenerate")).get("directory"))
        if directory:
            yield f"{directory.strip('/')}/*", chapter or label
        yield from _entries(fields.get("items"), chapter or label)


def _in_folder(pages: Mapping[str, Mapping[str, object]], folder: str) -> list[str]:
    def position(path: str) -> Order:
        number = number_of(mapping_of(pages[path].get("sidebar")).get("order"))
        return (AFTER_ALL if number is None else number, "", *folder_order(path))

    return sorted((path for path in pages if path.startswith(folder)), key=position)


def _slug_of(path: str, front_matter: Mapping[str, object]) -> str:
    own = text_of(front_matter.get("slug"))
    if own:
        return own.strip("/")
    page = PurePosixPath(path)
    parts = [slug(part) for part in (*page.parts[:-1], page.name.removesuffix(page.suffix))]
    return "/".join(parts[:-1] if parts[-1] == "index" else parts)


def _typeset(heading: Heading) -> str:
    """Astro sets hyphens as dashes, except in code, and anchors contain no dashes."""
    code = Spans(heading.code)
    dashes = (Span(*match.span()) for match in _DASHES.finditer(heading.text))
    return remove_spans(heading.text, [span for span in dashes if not code.touch(span)])
