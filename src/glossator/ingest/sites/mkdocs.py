"""MkDocs: `mkdocs.yml`, its navigation, and the addresses, anchors and order of its pages."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from glossator.ingest.sites.config_file import (
    Tagged,
    flag_of,
    is_ignored,
    items_of,
    mapping_of,
    read_yaml,
    text_of,
    texts_of,
)
from glossator.ingest.sites.configured_site import SourceSite, top_folder
from glossator.ingest.sites.mkdocs_includes import directives
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

# Anchors as the `toc` extension of Python-Markdown makes them.

_COUNTED = re.compile(r"(.*)_([0-9]{1,1000})", re.DOTALL)
_LONGEST = 2000
"""Characters. Unicode normalization of longer text takes quadratic time, and no heading is so long."""


@dataclass(frozen=True, slots=True)
class Slug:
    """How a heading becomes an id: the default, its Unicode variant, or that of PyMdown."""

    separator: str = "-"
    is_unicode: bool = False
    is_pymdown: bool = False
    case: str = "none"

    def of(self, text: str) -> str:
        if self.is_pymdown:
            return self._pymdown(text)
        text = text[:_LONGEST]
        words = (
            text
            if self.is_unicode
            else unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        )
        plain = re.sub(r"[^\w\s-]", "", words).strip().lower()
        return re.sub(rf"[{re.escape(self.separator)}\s]+", self.separator, plain)

    def _pymdown(self, text: str) -> str:
        plain = unicodedata.normalize("NFC", text[:_LONGEST]).strip()
        match self.case:
            case "lower":
                plain = plain.lower()
            case "lower-ascii":
                plain = re.sub("[A-Z]", lambda letter: letter[0].lower(), plain)
            case "fold":
                plain = plain.casefold()
            case _:
                pass
        return re.sub(r"[^\w\- ]", "", plain).replace(" ", self.separator)


def slug_of(options: Mapping[str, object]) -> Slug:
    """Reads the options of the `toc` extension; an unknown slug function counts as the default."""
    separator = text_of(options.get("separator")) or "-"
    slugify = options.get("slugify")
    if not isinstance(slugify, Tagged):
        return Slug(separator)
    keywords = mapping_of(mapping_of(slugify.value).get("kwds"))
    return Slug(
        separator,
        is_unicode="slugify_unicode" in slugify.tag,
        is_pymdown="pymdownx.slugs" in slugify.tag,
        case=text_of(keywords.get("case")) or ("lower" if "uslugify" in slugify.tag else "none"),
    )


def anchors_of(headings: Sequence[Heading], slug: Slug, *, reads_custom_ids: bool) -> list[str]:
    custom_ids = (heading.custom_id for heading in headings if heading.custom_id)
    used = {name: name for name in custom_ids} if reads_custom_ids else dict[str, str]()
    anchors = list[str]()
    for heading in headings:
        if heading.custom_id and reads_custom_ids:
            anchors.append(heading.custom_id)
        else:
            anchors.append(_unique(slug.of(_shown(heading)), used))
    return anchors


def _shown(heading: Heading) -> str:
    """The text with single spaces. If the `attr_list` extension is off, a custom id is part of the text."""
    text = f"{heading.text} {{#{heading.custom_id}}}" if heading.custom_id else heading.text
    return " ".join(text.split())


def _unique(base: str, used: dict[str, str]) -> str:
    """`used` has the last numbered form of each id, so that the search for the next does not begin at 1."""
    unique = used.get(base, base)
    while unique in used or not unique:
        counted = _COUNTED.fullmatch(unique)
        unique = f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{unique}_1"
    used[base] = used[unique] = unique
    return unique


CONFIG_NAMES = ("mkdocs.yml", "mkdocs.yaml")
_ALWAYS_EXCLUDED = (".*", "/templates/")
_ATTRIBUTES = {
    "attr_list",
    "extra",
    "markdown.extensions.attr_list",
    "markdown.extensions.extra",
    "pymdownx.extra",
}


@dataclass(frozen=True, slots=True)
class MkDocsConfig:
    source: Path = field(repr=False)
    """The folder with the pages."""
    folder: Path = field(repr=False)
    """The folder with `mkdocs.yml`."""
    snippet_folders: tuple[Path, ...] = field(default=(), repr=False)
    """Where included files are searched for."""
    site_url: str = ""
    uses_directory_urls: bool = True
    nav: tuple[NavEntry, ...] | None = None
    excluded: tuple[str, ...] = _ALWAYS_EXCLUDED
    """Lines as in a .gitignore."""
    reads_custom_ids: bool = False
    reads_notebooks: bool = False
    slug: Slug = field(default_factory=Slug)
    title: str = field(default="", repr=False)
    language: str = field(default="", repr=False)

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)


def find_config(folder: Path) -> Path | None:
    return next((folder / name for name in CONFIG_NAMES if (folder / name).is_file()), None)


def read_config(path: Path) -> MkDocsConfig:
    fields = {name: _untagged(value) for name, value in mapping_of(read_yaml(path)).items()}
    extensions = dict(_extensions(fields.get("markdown_extensions")))
    directory_urls = flag_of(fields.get("use_directory_urls"))
    return MkDocsConfig(
        source=(path.parent / (text_of(fields.get("docs_dir")) or "docs")).resolve(),
        folder=path.parent,
        snippet_folders=tuple(path.parent / name for name in _snippet_folders(extensions)),
        site_url=text_of(fields.get("site_url")) or "",
        uses_directory_urls=True if directory_urls is None else directory_urls,
        nav=entries_of(fields["nav"]) if fields.get("nav") else None,
        excluded=(*_ALWAYS_EXCLUDED, *_lines(fields.get("exclude_docs")), *_lines(fields.get("draft_docs"))),
        reads_custom_ids=not _ATTRIBUTES.isdisjoint(extensions),
        reads_notebooks="mkdocs-jupyter" in dict(_extensions(fields.get("plugins"))),
        title=text_of(fields.get("site_name")) or "",
        language=text_of(mapping_of(fields.get("theme")).get("language")) or "",
        slug=slug_of(extensions.get("toc") or extensions.get("markdown.extensions.toc") or {}),
    )


def _untagged(value: object) -> object:
    """`!ENV [NAME, default]` becomes its default, so that a book is the same on every machine."""
    if isinstance(value, Tagged) and value.tag == "ENV":
        choices = items_of(value.value)
        return choices[-1] if len(choices) > 1 else None
    return value


def _extensions(value: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Extensions and plugins are a list of names and mappings of a name to options, or one such mapping."""
    for entry in (*items_of(value), mapping_of(value)):
        if isinstance(entry, str):
            yield entry, {}
        for name, options in mapping_of(entry).items():
            yield name, mapping_of(options)


def _snippet_folders(extensions: Mapping[str, Mapping[str, object]]) -> Sequence[str]:
    base_path = extensions.get("pymdownx.snippets", {}).get("base_path")
    one = text_of(_untagged(base_path))
    return [one] if one else texts_of(base_path) or ["."]


def _lines(value: object) -> list[str]:
    return (text_of(value) or "").splitlines()


@dataclass(frozen=True, slots=True)
class NavEntry:
    """A page in the `nav` of `mkdocs.yml`."""

    path: str
    """The path from the docs folder."""
    title: str | None
    """None where the nav gives the page no title."""
    section: str | None
    """The outermost section around it."""


def entries_of(nav: object) -> tuple[NavEntry, ...]:
    """The pages in reading order, each at its first occurrence; links to other sites are left out."""
    entries = {entry.path: entry for entry in reversed(list(_entries(nav, None, None)))}
    return tuple(reversed(entries.values()))


def _entries(value: object, title: str | None, section: str | None) -> Iterator[NavEntry]:
    if isinstance(value, str):
        if "://" not in value:
            yield NavEntry(posixpath.normpath(value), title, section)
        return
    for item in items_of(value):
        yield from _entries(item, None, section)
    for name, inner in mapping_of(value).items():
        yield from _entries(inner, name, section if isinstance(inner, str) else section or name)


_SUFFIXES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")


@dataclass(frozen=True, slots=True)
class MkDocs(SourceSite[MkDocsConfig]):
    listed: Mapping[str, tuple[int, NavEntry]] = field(repr=False)
    """The entries of the navigation by path, each with its number in the reading order."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.MKDOCS

    @property
    def home(self) -> str:
        return self.config.site_url

    def is_page(self, path: str) -> bool:
        docs_path = self.path_in_source(path)
        if (
            docs_path is None
            or not docs_path.endswith((*_SUFFIXES, ".ipynb") if self.config.reads_notebooks else _SUFFIXES)
            or is_ignored(docs_path, self.config.excluded)
        ):
            return False
        page = PurePosixPath(docs_path)
        return page.stem != "README" or not (self.config.source / page.with_name("index.md")).is_file()

    def place(self, page: PageFacts) -> PagePlace:
        path = self.path_in_source(page.path) or page.path
        number, entry = self.listed.get(path, (None, None))
        title = (entry and entry.title) or declared_title(page) or self._name(path)
        url = self.base.address_in("") + quote(self._route(path))
        if self.config.nav is None:
            return PagePlace(title, url, top_folder(path) or title, _folder_order(path))
        order: Order = (AFTER_ALL, path) if number is None else (float(number), "")
        return PagePlace(title, url, (entry and entry.section) or title, order)

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return anchors_of(headings, self.config.slug, reads_custom_ids=self.config.reads_custom_ids)

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return directives(text, self.config.folder, self.config.snippet_folders)

    def _route(self, path: str) -> str:
        page = PurePosixPath(path)
        name = _name(page)
        if not self.config.uses_directory_urls:
            return page.with_name(f"{name}.html").as_posix()
        folder = page.parent if name == "index" else page.with_name(name)
        return "" if folder == PurePosixPath(".") else f"{folder.as_posix()}/"

    def _name(self, path: str) -> str:
        name = _name(PurePosixPath(path))
        return "Home" if name == "index" and "/" not in path else readable_name(name)


def mkdocs(root: Path, config: MkDocsConfig, *, base_url: str | None, route_base: str | None) -> MkDocs:
    listed = {entry.path: (number, entry) for number, entry in enumerate(config.nav or ())}
    base = base_of(base_url, urlsplit(config.site_url).path or "/", route_base)
    return MkDocs(root, base, config, listed)


def _name(page: PurePosixPath) -> str:
    return "index" if page.stem == "README" else page.stem


def _folder_order(path: str) -> Order:
    """Sorts every folder: the index comes first, then the pages, then the folders."""
    *folders, name = path.split("/")
    order: Order = ()
    for folder in folders:
        order = (*order, 2.0, folder)
    is_index = _name(PurePosixPath(name)) == "index"
    return (*order, 0.0 if is_index else 1.0, name)
