"""Pages and folders as the docs plugin sees them: ids, addresses, labels and positions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from glossator.ingest.sites.config_file import mapping_of, number_of, read_page, read_yaml, text_of
from glossator.ingest.sites.site import AFTER_ALL, Order


@dataclass(frozen=True, slots=True)
class Doc:
    path: str
    """The path from the docs folder."""
    base_id: str
    folder_id: str
    """The path of its folder as in ids and addresses, without number prefixes; empty at the top."""
    slug: str | None
    position: float | None

    @classmethod
    def of(cls, path: str, front_matter: Mapping[str, object], *, parses_numbers: bool = True) -> Doc:
        parses = parses_numbers and front_matter.get("parse_number_prefixes") is not False
        stem = PurePosixPath(path).stem
        name, number = numbered(stem) if parses else Numbered(stem, None)
        folder = folder_of(path)
        position = number_of(front_matter.get("sidebar_position"))
        return cls(
            path=path,
            base_id=text_of(front_matter.get("id")) or name,
            folder_id=unnumbered_path(folder) if parses else folder,
            slug=text_of(front_matter.get("slug")),
            position=number if position is None else position,
        )

    @property
    def id(self) -> str:
        return f"{self.folder_id}/{self.base_id}" if self.folder_id else self.base_id

    @property
    def route(self) -> str:
        """The address relative to the docs; it ends in a slash where the plugin leaves one."""
        folder = f"/{self.folder_id}/" if self.folder_id else "/"
        if self.slug and self.slug.startswith("/"):
            return self.slug
        if not self.slug and is_category_index(self.path):
            return folder
        return _resolved(self.slug or self.base_id, folder)


def is_category_index(path: str) -> bool:
    """Whether the page is that of its folder: `index`, `readme`, or named like the folder."""
    page = PurePosixPath(path)
    return page.stem.lower() in ("index", "readme", page.parent.name.lower())


def folder_of(path: str) -> str:
    """The folder a path is in; empty at the top."""
    return path.rpartition("/")[0]


def _resolved(slug: str, folder: str) -> str:
    parts: list[str] = []
    for part in (folder + slug).split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    ends_open = slug.rpartition("/")[2] in ("", ".", "..")
    return "/" + "/".join(parts) + ("/" if ends_open and parts else "")


# Number prefixes of file names, which set their order and are no part of the address.

_DATE_OR_VERSION = re.compile(r"\d+[-_.]\d+", re.ASCII)
_NUMBERED = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)", re.ASCII)


class Numbered(NamedTuple):
    name: str
    number: float | None


def numbered(name: str) -> Numbered:
    """`02-ros2` is `ros2`, the second; `2021-01-01-news` and `1.2.3-notes` keep their numbers."""
    match = None if _DATE_OR_VERSION.match(name) else _NUMBERED.fullmatch(name)
    return Numbered(match[2], float(match[1])) if match else Numbered(name, None)


def unnumbered_path(path: str) -> str:
    return "/".join(numbered(part).name for part in path.split("/"))


_IMPORTS = re.compile(r"(?:import\s(?:.|\n(?!\n))*\n{2,})*")
_TITLE = re.compile(r"#[ \t]++([^ \t\n][^\n]*+)|(.*)\n=+[ \t]*(?:\n|\Z)")
_BEHIND_TITLE = re.compile(r"(?<![ \t])[ \t]*+(?:\{#*+[\w-]++\}|(?<!#)#++)[ \t]*+\Z")
_NO_LINK = object()


@dataclass(frozen=True, slots=True)
class Category:
    label: str
    position: float | None
    page: str | None
    """The index page of the folder, by its path in the docs folder."""


@dataclass(frozen=True, slots=True)
class SidebarPosition:
    """The position of a page in a sidebar."""

    order: Order
    labels: tuple[str, ...]
    """The labels of the categories around it, outermost first."""


@dataclass(frozen=True, slots=True)
class Categories:
    by_folder: Mapping[str, Category]

    def locate(self, doc: Doc, within: str) -> SidebarPosition | None:
        """The position of the page in a sidebar generated from the folder `within`."""
        if within and not doc.path.startswith(f"{within}/"):
            return None
        folders = [folder for folder in _folders_down_to(doc.path) if len(folder) > len(within)]
        categories = [self._category(folder) for folder in folders]
        order: Order = ()
        for folder, category in zip(folders, categories, strict=True):
            order = (*order, _number(category.position), PurePosixPath(folder).name)
        if not categories or categories[-1].page != doc.path:
            order = (*order, _number(doc.position), PurePosixPath(doc.path).name)
        return SidebarPosition(order, tuple(category.label for category in categories))

    def is_wrapped(self, within: str) -> bool:
        """Whether the folder contains a single folder, and that one several."""
        inside = [folder for folder in self.by_folder if folder.startswith(f"{within}/" if within else "")]
        depths = [folder.count("/") - within.count("/") - bool(within) for folder in inside]
        return depths.count(0) == 1 and depths.count(1) > 1

    def _category(self, folder: str) -> Category:
        """A folder without pages has only its name."""
        return self.by_folder.get(folder) or Category(PurePosixPath(folder).name, None, None)


def categories_of(roots: Sequence[Path], *, parses_numbers: bool) -> Categories:
    """The categories of the docs in the last root; pages of earlier roots override those at the same path."""
    reader = _Reader(roots, parses_numbers)
    return Categories({folder: reader.category(folder) for folder in reader.folders()})


@dataclass(frozen=True, slots=True)
class _Reader:
    roots: Sequence[Path]
    parses_numbers: bool

    def folders(self) -> Iterator[str]:
        for folder, names, _ in os.walk(self.roots[-1]):
            names[:] = sorted(
                name for name in names if not name.startswith((".", "_")) and name != "node_modules"
            )
            if Path(folder) != self.roots[-1]:
                yield Path(folder).relative_to(self.roots[-1]).as_posix()

    def category(self, folder: str) -> Category:
        metadata = self._metadata(folder)
        page = self._page(folder, metadata.get("link", _NO_LINK))
        front_matter, title = self._head(page)
        folder_name = PurePosixPath(folder).name
        name, number = numbered(folder_name) if self.parses_numbers else Numbered(folder_name, None)
        label = text_of(metadata.get("label")) or text_of(front_matter.get("sidebar_label")) or title or name
        position = number_of(metadata.get("position"))
        if position is None and page:
            position = Doc.of(page, front_matter, parses_numbers=self.parses_numbers).position
        return Category(label, number if position is None else position, page)

    def _metadata(self, folder: str) -> Mapping[str, object]:
        for ending in ("json", "yml", "yaml"):
            path = self.roots[-1] / folder / f"_category_.{ending}"
            if path.is_file():
                return mapping_of(read_yaml(path))
        return {}

    def _page(self, folder: str, link: object) -> str | None:
        pages = self._pages(folder)
        if link is _NO_LINK:
            return next((page for page in pages if is_category_index(page)), None)
        fields = mapping_of(link)
        if fields.get("type") != "doc":
            return None
        docs = (Doc.of(page, self._head(page)[0], parses_numbers=self.parses_numbers) for page in pages)
        return next((doc.path for doc in docs if fields.get("id") in (doc.base_id, doc.id)), None)

    def _pages(self, folder: str) -> list[str]:
        files = sorted((self.roots[-1] / folder).iterdir())
        names = [file.name for file in files if file.suffix in (".md", ".mdx") and file.is_file()]
        return [f"{folder}/{name}" for name in names if not name.startswith((".", "_"))]

    def _head(self, page: str | None) -> tuple[Mapping[str, object], str | None]:
        """The front matter of a page, and its title."""
        if page is None:
            return {}, None
        path = next(root / page for root in self.roots if (root / page).is_file())
        front_matter, body = read_page(path)
        return front_matter, text_of(front_matter.get("title")) or _content_title(body)


def _content_title(body: str) -> str | None:
    """The heading at the beginning of a page, by the rules of Docusaurus."""
    text = body.strip()
    imports = _IMPORTS.match(text)
    match = _TITLE.match(text[imports.end() :].lstrip() if imports else text)
    if match is None:
        return None
    title = match[2] if match[1] is None else _BEHIND_TITLE.sub("", match[1]) or match[1]
    return title.replace("`", "").strip()


def _folders_down_to(path: str) -> list[str]:
    parts = folder_of(path).split("/") if folder_of(path) else []
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def _number(position: float | None) -> float:
    return AFTER_ALL if position is None else position
