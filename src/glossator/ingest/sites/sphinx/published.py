"""A Sphinx site: the addresses, anchors, chapters and order of its documents."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from glossator.ingest.sites.config_file import matches_any
from glossator.ingest.sites.configured_site import SourceSite
from glossator.ingest.sites.site import (
    AFTER_ALL,
    Directive,
    Heading,
    PageFacts,
    PagePlace,
    SiteKind,
    base_of,
    declared_title,
    readable_name,
)
from glossator.ingest.sites.sphinx.config import SphinxConfig
from glossator.ingest.sites.sphinx.documents import References, SphinxDocument, reading_order, scan
from glossator.ingest.sites.sphinx.myst import myst_directives


@dataclass(frozen=True, slots=True)
class Sphinx(SourceSite[SphinxConfig]):
    documents: Mapping[str, SphinxDocument] = field(repr=False)
    """The documents by name, which is the path from the source folder without its suffix."""
    chapters: Mapping[str, str]
    """The chapter of each document, in reading order."""
    labels: Mapping[str, str] = field(repr=False)
    """The title of the section that each label of the site marks."""
    numbers: Mapping[str, int] = field(repr=False)
    """The position of each document in the reading order."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.SPHINX

    @property
    def home(self) -> str:
        return self.config.base_url

    def is_page(self, path: str) -> bool:
        below = self.path_in_source(path)
        if below is None or not _is_document(below, self.config):
            return False
        return not self.config.only_listed or _name(below) in self.documents

    def place(self, page: PageFacts) -> PagePlace:
        name = _name(self.path_in_source(page.path) or page.path)
        title = declared_title(page) or readable_name(posixpath.basename(name))
        order = (float(self.numbers.get(name, AFTER_ALL)), name)
        return PagePlace(title, self.base.address_in(self.route(name)), self.chapters.get(name, title), order)

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        """A heading has the id of its label, or of its words; of equal ones the second is `id1`.

        For reStructuredText, docutils has given every heading its id, which is its custom id here.
        """
        from docutils.nodes import make_id

        labels = [make_id(heading.custom_id or "") for heading in headings]
        used = set(labels)
        anchors, number = list[str](), 0
        for heading, label in zip(headings, labels, strict=True):
            anchor = make_id(heading.text)
            while not anchor or anchor in used:
                number += 1
                anchor = f"id{number}"
            used.add(anchor)
            anchors.append(label or anchor)
        return anchors

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        """Reads the directives of MyST; `rst` reads those of reStructuredText."""
        page = folder.relative_to(self.config.source) if folder.is_relative_to(self.config.source) else Path()
        references = self.references((self.config.source / page / "page.md").as_posix())
        return myst_directives(text, folder, self.config.source, references)

    def references(self, path: str) -> References:
        """The titles that the page at `path` may show of others."""
        return References(self.documents, self.labels, posixpath.dirname(self.path_in_source(path) or path))

    def route(self, name: str) -> str:
        if not self.config.has_folder_urls:
            return f"{name}.html"
        return name.removesuffix("index") if name == "index" or name.endswith("/index") else f"{name}/"


def sphinx(root: Path, config: SphinxConfig, *, base_url: str | None, route_base: str | None) -> Sphinx:
    documents = dict(_documents(config))
    if config.contents:
        documents = config.contents.applied(documents, only_listed=config.only_listed)
    chapters = reading_order(documents, config.root)
    base = base_of(base_url, urlsplit(config.base_url).path or "/", route_base)
    labels = {name: title for document in documents.values() for name, title in document.labels.items()}
    numbers = {name: number for number, name in enumerate(chapters)}
    return Sphinx(root, base, config, documents, chapters, labels, numbers)


def _documents(config: SphinxConfig) -> Iterator[tuple[str, SphinxDocument]]:
    for path in sorted(config.source.rglob("*")):
        name = path.relative_to(config.source).as_posix()
        if path.suffix in config.suffixes and _is_document(name, config) and path.is_file():
            text = path.read_text(encoding="utf-8-sig", errors="replace")
            yield _name(name), scan(text, path.suffix)


def _is_document(path: str, config: SphinxConfig) -> bool:
    return path.endswith(config.suffixes) and not matches_any(path, config.excluded)


def _name(path: str) -> str:
    return posixpath.splitext(path)[0]
