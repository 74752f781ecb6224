"""A Sphinx site: its configuration, and the addresses, anchors, chapters and order of its documents."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from glossator.ingest.sites.config_file import items_of, mapping_of, matches_any, read_text, text_of
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
from glossator.ingest.sites.sphinx.documents import Document, References, reading_order, scan
from glossator.ingest.sites.sphinx.myst import myst_directives

CONFIG_NAME = "conf.py"
_SOURCES = ("", "source", "docs", "doc", "docs/source", "doc/source")
"""Where `conf.py` stands in a repository."""
_NEVER_PAGES = ("**/_build/**", "**/_templates/**", "**/_static/**", "**/.*/**")
_MYST = {"myst_parser", "myst_nb", "recommonmark"}
_NOTEBOOKS = {"myst_nb", "nbsphinx"}


@dataclass(frozen=True, slots=True)
class SphinxConfig:
    source: Path = field(repr=False)
    """The folder with `conf.py` and the documents."""
    title: str = field(default="", repr=False)
    language: str = field(default="", repr=False)
    base_url: str = ""
    root: str = "index"
    """The document that the reading order begins with."""
    suffixes: tuple[str, ...] = (".rst",)
    excluded: tuple[str, ...] = _NEVER_PAGES
    has_folder_urls: bool = False
    """Whether the builder is `dirhtml`."""

    @property
    def folder(self) -> Path:
        return self.source

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)


def find_config(folder: Path) -> Path | None:
    """The configuration of a site in the folder; another program's `conf.py` names no project."""
    paths = (folder / source / CONFIG_NAME for source in _SOURCES)
    return next((path for path in paths if path.is_file() and "project" in _assigned(read_text(path))), None)


def read_config(path: Path) -> SphinxConfig:
    values = _assigned(read_text(path))
    extensions = {text_of(name) for name in items_of(values.get("extensions"))}
    suffixes = mapping_of(values.get("source_suffix")) or items_of(values.get("source_suffix"))
    named = [text_of(suffix) or "" for suffix in suffixes] or [text_of(values.get("source_suffix")) or ".rst"]
    markdown = [".md"] if extensions & _MYST else []
    notebooks = [".ipynb"] if extensions & _NOTEBOOKS else []
    excluded = [text_of(pattern) or "" for pattern in items_of(values.get("exclude_patterns"))]
    return SphinxConfig(
        source=path.parent.resolve(),
        title=text_of(values.get("html_title")) or text_of(values.get("project")) or "",
        language=text_of(values.get("language")) or "",
        base_url=text_of(values.get("html_baseurl")) or "",
        root=text_of(values.get("root_doc")) or text_of(values.get("master_doc")) or "index",
        suffixes=tuple(dict.fromkeys([*named, *markdown, *notebooks])),
        excluded=(*_NEVER_PAGES, *excluded, *(f"{pattern.rstrip('/')}/**" for pattern in excluded)),
        has_folder_urls=_builds_folders(path.parent),
    )


def _assigned(text: str) -> Mapping[str, object]:
    """The plain values that `conf.py` assigns; it is read and never run."""
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    values = dict[str, object]()
    for statement in statements:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            values[name] = _literal(statement.value)
    return values


def _literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


_DIRHTML = re.compile(r"^\s*builder:\s*[\"']?dirhtml\b", re.MULTILINE)


def _builds_folders(source: Path) -> bool:
    """As Read the Docs is told."""
    for folder in (source, *source.parents[:3]):
        for path in (folder / ".readthedocs.yaml", folder / ".readthedocs.yml"):
            if path.is_file():
                return bool(_DIRHTML.search(read_text(path)))
    return False


@dataclass(frozen=True, slots=True)
class Sphinx(SourceSite[SphinxConfig]):
    documents: Mapping[str, Document] = field(repr=False)
    """By name: the path from the source folder, without its suffix."""
    chapters: Mapping[str, str]
    """Of each document, in reading order."""
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
        source_path = self.path_in_source(path)
        return source_path is not None and _is_document(source_path, self.config)

    def place(self, page: PageFacts) -> PagePlace:
        name = _name(self.path_in_source(page.path) or page.path)
        title = declared_title(page) or readable_name(posixpath.basename(name))
        order = (float(self.numbers.get(name, AFTER_ALL)), name)
        return PagePlace(
            title, self.base.address_in(self._route(name)), self.chapters.get(name, title), order
        )

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        """A heading has the id of its label, or of its words; of equal ones the second is `id1`.

        For reStructuredText, docutils has given every heading its id, which is its custom id here.
        """
        from docutils.nodes import make_id

        used = {heading.custom_id for heading in headings if heading.custom_id}
        anchors, number = list[str](), 0
        for heading in headings:
            anchor = make_id(heading.text)
            while not anchor or anchor in used:
                number += 1
                anchor = f"id{number}"
            used.add(anchor)
            anchors.append(heading.custom_id or anchor)
        return anchors

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        """Those of MyST; `rst` reads the directives of reStructuredText."""
        page = folder.relative_to(self.config.source) if folder.is_relative_to(self.config.source) else Path()
        references = self.references((self.config.source / page / "page.md").as_posix())
        return myst_directives(text, folder, self.config.source, references)

    def references(self, path: str) -> References:
        """The titles that the page at `path` may show of others."""
        return References(self.documents, self.labels, posixpath.dirname(self.path_in_source(path) or path))

    def _route(self, name: str) -> str:
        if not self.config.has_folder_urls:
            return f"{name}.html"
        return name.removesuffix("index") if name == "index" or name.endswith("/index") else f"{name}/"


def sphinx(root: Path, config: SphinxConfig, *, base_url: str | None, route_base: str | None) -> Sphinx:
    documents = dict(_documents(config))
    chapters = reading_order(documents, config.root)
    base = base_of(base_url, urlsplit(config.base_url).path or "/", route_base)
    labels = {name: title for document in documents.values() for name, title in document.labels.items()}
    numbers = {name: number for number, name in enumerate(chapters)}
    return Sphinx(root, base, config, documents, chapters, labels, numbers)


def _documents(config: SphinxConfig) -> Iterator[tuple[str, Document]]:
    for path in sorted(config.source.rglob("*")):
        name = path.relative_to(config.source).as_posix()
        if path.suffix in config.suffixes and _is_document(name, config) and path.is_file():
            text = path.read_text(encoding="utf-8-sig", errors="replace")
            yield _name(name), scan(text, is_rst=path.suffix not in (".md", ".ipynb"))


def _is_document(path: str, config: SphinxConfig) -> bool:
    return path.endswith(config.suffixes) and not matches_any(path, config.excluded)


def _name(path: str) -> str:
    return posixpath.splitext(path)[0]
