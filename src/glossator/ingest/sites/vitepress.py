"""VitePress: `.vitepress/config.*`, with or without a sidebar."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from glossator.ingest.sites.config_file import (
    flag_of,
    items_of,
    mapping_of,
    matches_any,
    read_text,
    text_of,
    texts_of,
)
from glossator.ingest.sites.configured_site import Listed, folder_order, top_folder
from glossator.ingest.sites.docusaurus.javascript import exported_value
from glossator.ingest.sites.site import Directive, Heading, Order, SiteKind
from glossator.ingest.write_markdown import fenced, language_of, lines_of
from glossator.model import Span

_CONFIG_NAMES = tuple(f".vitepress/config.{ending}" for ending in ("ts", "mts", "js", "mjs"))
_NEVER_PAGES = ("**/.vitepress/**", "**/node_modules/**")


@dataclass(frozen=True, slots=True)
class VitePressConfig:
    folder: Path = field(repr=False)
    source: Path = field(repr=False)
    title: str = field(default="", repr=False)
    language: str = field(default="", repr=False)
    base_path: str = "/"
    has_clean_urls: bool = False
    excluded: tuple[str, ...] = _NEVER_PAGES
    rewrites: tuple[tuple[str, str], ...] = ()
    sidebar: tuple[tuple[str, str], ...] = ()
    """The links in reading order, each with its chapter."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.VITEPRESS

    @property
    def home(self) -> str:
        return ""

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)

    def publishes(self, path: str) -> bool:
        return path.endswith(".md") and not matches_any(path, self.excluded)

    def route(self, path: str, front_matter: Mapping[str, object]) -> str:
        page = PurePosixPath(dict(self.rewrites).get(path, path))
        if page.stem == "index":
            return "" if page.parent == PurePosixPath(".") else f"{page.parent.as_posix()}/"
        return page.with_suffix("" if self.has_clean_urls else ".html").as_posix()

    def order(self, path: str, front_matter: Mapping[str, object]) -> Order:
        return folder_order(path)

    def chapter(self, path: str) -> str:
        return top_folder(path)

    def navigation(self) -> Mapping[str, Listed]:
        listed = dict[str, Listed]()
        for link, chapter in self.sidebar:
            plain = link.partition("#")[0].strip("/").removesuffix(".html").removesuffix(".md")
            path = f"{plain}/index.md".lstrip("/") if link.endswith("/") or not plain else f"{plain}.md"
            listed.setdefault(path, Listed(len(listed), chapter))
        return listed

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        used = set[str]()
        return [_unique(heading.custom_id or slug(heading.text), used) for heading in headings]

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return _directives(text, folder, self.source)


def find_config(folder: Path) -> Path | None:
    """The folder is that of the pages, or that of the repository around them."""
    bases = (folder, folder / "docs", folder / "src")
    return next((base / name for base in bases for name in _CONFIG_NAMES if (base / name).is_file()), None)


def default_config(folder: Path) -> VitePressConfig:
    return VitePressConfig(folder, folder)


def read_config(path: Path) -> VitePressConfig:
    fields = mapping_of(exported_value(read_text(path)))
    folder = path.parent.parent
    rewrites = mapping_of(fields.get("rewrites"))
    return VitePressConfig(
        folder=folder,
        source=(folder / (text_of(fields.get("srcDir")) or ".")).resolve(),
        title=text_of(fields.get("title")) or "",
        language=text_of(fields.get("lang")) or "",
        base_path=text_of(fields.get("base")) or "/",
        has_clean_urls=flag_of(fields.get("cleanUrls")) or False,
        excluded=(*_NEVER_PAGES, *(texts_of(fields.get("srcExclude")) or ())),
        rewrites=tuple(
            (source, text_of(target) or "") for source, target in rewrites.items() if ":" not in source
        ),
        sidebar=tuple(_links(mapping_of(fields.get("themeConfig")).get("sidebar"), "", "")),
    )


def _links(sidebar: object, chapter: str, base: str) -> Iterator[tuple[str, str]]:
    """One sidebar is a list of items; several are a mapping of paths to them."""
    for item in map(mapping_of, items_of(sidebar)):
        inner_base = text_of(item.get("base")) or base
        link = text_of(item.get("link"))
        own = text_of(item.get("text")) or ""
        if link is not None and "://" not in link:
            yield f"{base}{link}", chapter or (own if item.get("items") else "")
        yield from _links(item.get("items"), chapter or own, inner_base)
    for value in mapping_of(sidebar).values():
        inner = mapping_of(value)
        items = inner.get("items") if inner else value
        yield from _links(items, chapter, text_of(inner.get("base")) or base)


# Anchors as `@mdit-vue/shared` and markdown-it-anchor make them.

_SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")
_DROPPED = re.compile("[\u0000-\u001f\u0300-\u036f]")
_LONGEST = 2000
"""Characters. Unicode normalization of longer text takes quadratic time, and no heading is so long."""


def slug(text: str) -> str:
    plain = _SPECIAL.sub("-", _DROPPED.sub("", unicodedata.normalize("NFKD", text.strip()[:_LONGEST]))).strip(
        "-"
    )
    return f"_{plain}".lower() if plain[:1].isdecimal() and plain[:1].isascii() else plain.lower()


def _unique(base: str, used: set[str]) -> str:
    unique, number = base, 0
    while unique in used:
        number += 1
        unique = f"{base}-{number}"
    used.add(unique)
    return unique


# Included files: `<!--@include: ./a.md{3,9}-->` and `<<< @/code/a.js#region{1,3}`.

_INCLUDE = re.compile(
    r"""^(?P<space>[ \t]*+)(?:
        <!--\s*+@include:\s*+(?P<page>[^\s<>{}#]++)(?P<page_part>\#[\w-]++)?(?:\{(?P<lines>[^{}\n]*+)\})?\s*+-->
        |<<<[ \t]*+(?P<code>[^\s{}\[\]#]++)(?:\#(?P<region>[\w-]++))?[^\n]*+
    )$""",
    re.MULTILINE | re.VERBOSE,
)
_REGION = re.compile(r"#(?P<end>end)?region\b\s*+(?P<name>[\w-]*+)")
_RANGE = re.compile(r"\s*+([0-9]{0,9})\s*+(,?)\s*+([0-9]{0,9})\s*+")


def _directives(text: str, folder: Path, source: Path) -> Iterator[Directive]:
    for match in _INCLUDE.finditer(text):
        name = match["page"] or match["code"]
        file = source / name.removeprefix("@/") if name.startswith("@/") else folder / name
        select = (
            _page(match["lines"] or "") if match["page"] else _code(name, match["region"], match["space"])
        )
        yield Directive(Span(*match.span()), (file,), select)


def _page(lines: str):
    def select(text: str) -> str | None:
        found = _RANGE.fullmatch(lines)
        if found is None:
            return text
        start = int(found[1] or 1)
        end = int(found[3]) if found[3] else None if found[2] or not found[1] else start
        return "\n".join(lines_of(text)[max(start, 1) - 1 : end])

    return select


def _code(name: str, region: str | None, space: str):
    def select(text: str) -> str | None:
        lines = lines_of(text) if region is None else _region(lines_of(text), region)
        return None if lines is None else fenced(lines, language_of(name), space)

    return select


def _region(lines: Sequence[str], name: str) -> list[str] | None:
    chosen, is_inside, is_found = list[str](), False, False
    for line in lines:
        mark = _REGION.search(line)
        if mark and mark["name"] == name:
            is_inside, is_found = not mark["end"], True
        elif is_inside:
            chosen.append(line)
    return chosen if is_found else None
