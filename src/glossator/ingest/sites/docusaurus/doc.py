"""A page as the docs plugin sees it: its id, its address, its position among its neighbours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from glossator.ingest.sites.config_file import number_of, text_of


@dataclass(frozen=True, slots=True)
class Doc:
    path: str
    """From the docs folder."""
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
