"""Jupyter Book 2 and `mystmd`: `myst.yml`, pages in MyST, and addresses made of the names of files.

Labels, order and directives are those of Sphinx; addresses and anchors are not.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from glossator.ingest.sites.config_file import (
    flag_of,
    items_of,
    mapping_of,
    matches_any,
    read_yaml,
    text_of,
    texts_of,
)
from glossator.ingest.sites.site import Heading, SiteKind
from glossator.ingest.sites.sphinx.config import NEVER_PAGES, SOURCES, SphinxConfig
from glossator.ingest.sites.sphinx.documents import TocFile, Toctree, document_of
from glossator.ingest.sites.sphinx.published import Sphinx, sphinx

CONFIG_NAME = "myst.yml"
_SUFFIXES = (".md", ".ipynb")
_INDEX_NAMES = ("index.md", "readme.md", "main.md", "index.ipynb", "readme.ipynb", "main.ipynb")


@dataclass(frozen=True, slots=True)
class MystConfig(SphinxConfig):
    has_toc: bool = False
    has_folders: bool = False
    """Whether folders are part of an address: `site.options.folders`."""


def find_config(folder: Path) -> Path | None:
    paths = (folder / source / CONFIG_NAME for source in SOURCES)
    return next((path for path in paths if path.is_file()), None)


def read_config(path: Path) -> MystConfig:
    fields = mapping_of(read_yaml(path))
    project, site = mapping_of(fields.get("project")), mapping_of(fields.get("site"))
    exclude = project.get("exclude")
    patterns = texts_of(exclude) or ((exclude,) if isinstance(exclude, str) else ())
    return _with_contents(
        MystConfig(
            source=path.parent.resolve(),
            title=text_of(project.get("title")) or text_of(site.get("title")) or "",
            suffixes=_SUFFIXES,
            excluded=(*NEVER_PAGES, *patterns, *(f"{pattern.rstrip('/')}/**" for pattern in patterns)),
            only_listed=True,
            has_folders=flag_of(mapping_of(site.get("options")).get("folders")) or False,
        ),
        [mapping_of(entry) for entry in items_of(project.get("toc"))],
    )


def default_config(folder: Path) -> MystConfig:
    return _with_contents(MystConfig(folder, suffixes=_SUFFIXES, excluded=NEVER_PAGES, only_listed=True), [])


# Contents: those that the configuration lists, or else those of the folders.

_Entry = Mapping[str, object]


def _with_contents(config: MystConfig, entries: Sequence[_Entry]) -> MystConfig:
    names = sorted(_files(config), key=_sort_key)
    contents = _Listing(names, entries).contents() if entries else _contents_of_folders(names)
    return replace(config, root=contents.root, contents=contents, has_toc=bool(entries))


def _files(config: MystConfig) -> Iterator[str]:
    for path in config.source.rglob("*"):
        name = path.relative_to(config.source).as_posix()
        if path.suffix in _SUFFIXES and not matches_any(name, config.excluded) and path.is_file():
            yield name


_WORD = re.compile(r"[^\s_-]+")
_DIGITS, _PUNCTUATION = re.compile("[0-9]+"), re.compile(r"[\W_]+")


def _sort_key(path: str) -> tuple[str, bool, str]:
    """Within a folder, its index comes first; numbers count as numbers, and punctuation not at all."""
    folder, name = posixpath.split(path)
    return _sortable(folder), name not in _INDEX_NAMES, _sortable(name)


def _sortable(name: str) -> str:
    padded = _DIGITS.sub(lambda digits: digits[0].zfill(12), name.lower())
    return _PUNCTUATION.sub("", unicodedata.normalize("NFKD", padded))


class _Listing:
    """The pages that the configuration lists; a file that one entry names is in no pattern after it."""

    def __init__(self, names: Sequence[str], entries: Sequence[_Entry]) -> None:
        self._names = names
        self._entries = entries
        self._taken = set[str]()
        self._toctrees = dict[str, tuple[Toctree, ...]]()

    def contents(self) -> TocFile:
        self._taken.update(self._explicit(self._entries))
        root, *_ = [*self._listed(self._entries[0]), "/index"]
        name = root.removeprefix("/")
        self._toctrees[name] = self._below(self._entries[1:])
        return TocFile(name, self._toctrees)

    def _explicit(self, entries: Iterable[_Entry]) -> Iterator[str]:
        for entry in entries:
            yield text_of(entry.get("file")) or ""
            yield from self._explicit(_children(entry))

    def _below(self, entries: Iterable[_Entry]) -> tuple[Toctree, ...]:
        captions = ((None if entry.get("file") else text_of(entry.get("title")), entry) for entry in entries)
        return tuple(Toctree(caption, tuple(self._listed(entry))) for caption, entry in captions)

    def _listed(self, entry: _Entry) -> Iterator[str]:
        file, pattern = text_of(entry.get("file")), text_of(entry.get("pattern"))
        if file:
            name = posixpath.normpath(document_of(file))
            self._toctrees[name] = self._below(_children(entry))
            yield f"/{name}"
            return
        if pattern:
            found = [name for name in self._names if name not in self._taken and matches_any(name, [pattern])]
            self._taken.update(found)
            yield from (f"/{document_of(name)}" for name in found)
        for child in _children(entry):
            yield from self._listed(child)


def _children(entry: _Entry) -> list[_Entry]:
    return [mapping_of(child) for child in items_of(entry.get("children"))]


def _contents_of_folders(names: Sequence[str]) -> TocFile:
    """The files of a folder come before its folders; the first page is the index, or else the first file."""
    top = [name for name in names if "/" not in name] or list(names[:1])
    indexes = [name for index in _INDEX_NAMES for name in top if name.lower() == index]
    markdown = [name for name in top if name.endswith(".md")]
    root, *_ = [*indexes, *markdown, *top, "index"]
    folders = dict[str, list[str]]()
    for name in names:
        if name != root:
            folders.setdefault(name.split("/")[0] if "/" in name else "", []).append(f"/{document_of(name)}")
    toctrees = (Toctree(_title(folder) or None, tuple(inside)) for folder, inside in folders.items())
    return TocFile(document_of(root), {document_of(root): tuple(toctrees)})


def _title(folder: str) -> str:
    words = _WORD.findall(_without_number(folder))
    return " ".join(word[0].upper() + word[1:] for word in words)


# Addresses and anchors.


@dataclass(frozen=True, slots=True)
class Mystmd(Sphinx):
    slugs: Mapping[str, str]
    """The address of each document below the base."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.MYST

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return anchors_of(headings)

    def route(self, name: str) -> str:
        return self.slugs.get(name, _slug(posixpath.basename(name)))


def mystmd(root: Path, config: MystConfig, *, base_url: str | None, route_base: str | None) -> Mystmd:
    site = sphinx(root, config, base_url=base_url, route_base=route_base)
    return Mystmd(
        site.root,
        site.base,
        config,
        site.documents,
        site.chapters,
        site.labels,
        site.numbers,
        _slugs(list(site.numbers), config),
    )


def _slugs(names: Sequence[str], config: MystConfig) -> dict[str, str]:
    """Goes in reading order, because of pages with the same slug the first one keeps it."""
    slugs, counts = dict[str, str](), dict[str, int]()
    # The first page of a written list has the slug `index`, whatever its name.
    _numbered("index" if config.has_toc else _slug(posixpath.basename(config.root)), counts)
    for name in names:
        folder, own = posixpath.split(name)
        folders = folder.split("/") if folder and config.has_folders else []
        slugs[name] = "" if name == config.root else _address([*map(_slug, folders), _slug(own)], counts)
    return slugs


def _address(parts: Sequence[str], counts: dict[str, int]) -> str:
    is_index = len(parts) > 1 and parts[-1] == "index"
    return _numbered("/".join(parts[:-1] if is_index else parts), counts)


def _numbered(slug: str, counts: dict[str, int]) -> str:
    count = counts.get(slug, 0)
    counts[slug] = count + 1
    return f"{slug}-{count}" if count else slug


_YEAR_OR_LONG = re.compile("[12][0-9]{3}|[0-9]{5}")
_ENUMERATION = re.compile("[0-9_.-]+")
_OTHER = re.compile("[^a-z0-9-]+")
_DASHES = re.compile("-{2,}")
_LONGEST_SLUG = 50


def _slug(name: str) -> str:
    dashed = _OTHER.sub("-", _without_number(name).replace("&", " and ").lower())
    joined = _DASHES.sub("-", dashed)
    return joined.removeprefix("-").removesuffix("-")[:_LONGEST_SLUG]


def _without_number(name: str) -> str:
    number = None if _YEAR_OR_LONG.match(name) else _ENUMERATION.match(name)
    return name[number.end() :] or name if number else name


def anchors_of(headings: Sequence[Heading]) -> list[str]:
    """The title of the page has none."""
    anchors, counts = list[str](), dict[str, int]()
    for number, heading in enumerate(headings):
        is_title = number == 0 and heading.level == 1
        anchors.append("" if is_title else _unique(_html_id(heading.custom_id or heading.text), counts))
    return anchors


_QUOTES = re.compile("['‘’\"“”]")


def _html_id(text: str) -> str:
    dashed = _OTHER.sub("-", _QUOTES.sub("", " ".join(text.split())).lower())
    led = f"id-{dashed}" if re.match("[0-9-]", dashed) else dashed
    return _DASHES.sub("-", led).strip("-")


def _unique(anchor: str, counts: dict[str, int]) -> str:
    if not anchor:
        return ""
    unique = anchor
    while unique in counts:
        counts[anchor] += 1
        unique = f"{anchor}-{counts[anchor]}"
    counts[unique] = 0
    return unique
