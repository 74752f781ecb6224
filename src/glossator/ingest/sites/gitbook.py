"""GitBook: `.gitbook.yaml`, or a `SUMMARY.md` beside a `README.md`; anchors as on GitHub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from glossator.ingest.sites.config_file import mapping_of, read_text, read_yaml, text_of
from glossator.ingest.sites.configured_site import Listed, folder_order
from glossator.ingest.sites.mdbook import SUMMARY_NAME, entries_of
from glossator.ingest.sites.site import Directive, Heading, Order, SiteKind, github_anchors

CONFIG_NAME = ".gitbook.yaml"


@dataclass(frozen=True, slots=True)
class GitBookConfig:
    folder: Path = field(repr=False)
    source: Path = field(repr=False)
    summary: tuple[tuple[str, str], ...] = ()
    """Paths in reading order, each with its chapter."""
    title: str = field(default="", repr=False)

    @property
    def kind(self) -> SiteKind:
        return SiteKind.GITBOOK

    @property
    def language(self) -> str:
        return ""

    @property
    def home(self) -> str:
        return ""

    @property
    def base_path(self) -> str:
        return "/"

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)

    def publishes(self, path: str) -> bool:
        return path.endswith(".md") and (path in dict(self.summary) if self.summary else path != SUMMARY_NAME)

    def route(self, path: str, front_matter: Mapping[str, object]) -> str:
        page = PurePosixPath(path)
        folder = page.parent.as_posix()
        is_index = page.stem.lower() in ("readme", "index")
        return (folder if folder != "." else "") if is_index else page.with_suffix("").as_posix()

    def order(self, path: str, front_matter: Mapping[str, object]) -> Order:
        return folder_order(path)

    def navigation(self) -> Mapping[str, Listed]:
        return {path: Listed(number, chapter) for number, (path, chapter) in enumerate(self.summary)}

    def chapter(self, path: str) -> str:
        return ""

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return github_anchors(headings)

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return iter(())


def find_config(folder: Path) -> Path | None:
    return folder / CONFIG_NAME if (folder / CONFIG_NAME).is_file() else None


def default_config(folder: Path) -> GitBookConfig:
    return read_config(folder / CONFIG_NAME)


def read_config(path: Path) -> GitBookConfig:
    fields = mapping_of(read_yaml(path)) if path.is_file() else mapping_of(None)
    source = (path.parent / (text_of(fields.get("root")) or ".")).resolve()
    name = text_of(mapping_of(fields.get("structure")).get("summary")) or SUMMARY_NAME
    summary = source / name
    # A group of pages has a heading of the second level, where mdBook has one of the first.
    entries = entries_of(read_text(summary).replace("\n## ", "\n# ")) if summary.is_file() else ()
    listed = dict.fromkeys((entry.path, entry.chapter) for entry in entries)
    return GitBookConfig(path.parent, source, tuple(listed))
