"""The configuration of a Sphinx site: `conf.py`, or `_config.yml` and `_toc.yml` of Jupyter Book 1."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
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
from glossator.ingest.sites.sphinx.documents import TocFile
from glossator.ingest.sites.sphinx.external_toc import TOC_NAME, read_toc

CONFIG_NAME = "conf.py"
BOOK_NAME = "_config.yml"
SOURCES = ("", "source", "docs", "doc", "docs/source", "doc/source", "book")
"""The folders of a repository in which a configuration is looked for."""
NEVER_PAGES = ("**/_build/**", "**/_templates/**", "**/_static/**", "**/.*/**", "**/node_modules/**")
_MYST = {"myst_parser", "myst_nb", "recommonmark"}
_NOTEBOOKS = {"myst_nb", "nbsphinx"}
_EXTERNAL_TOC = "sphinx_external_toc"


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
    excluded: tuple[str, ...] = NEVER_PAGES
    has_folder_urls: bool = False
    """Whether the builder is `dirhtml`."""
    contents: TocFile | None = field(default=None, repr=False)
    """The table of contents, if the site has a file of its own for it."""
    only_listed: bool = False
    """Whether only documents in the table of contents are pages."""

    @property
    def folder(self) -> Path:
        return self.source

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)


def find_config(folder: Path) -> Path | None:
    """The configuration of a site in the folder; another program's `conf.py` names no project."""
    paths = (folder / source / CONFIG_NAME for source in SOURCES)
    return next((path for path in paths if path.is_file() and "project" in _assigned(read_text(path))), None)


def find_book(folder: Path) -> Path | None:
    """The configuration of a Jupyter Book, which has the name of Jekyll's."""
    paths = (folder / source / BOOK_NAME for source in SOURCES)
    return next((path for path in paths if path.is_file() and _toc_beside(path)), None)


def _toc_beside(path: Path) -> TocFile | None:
    toc = path.parent / TOC_NAME
    return read_toc(toc) if toc.is_file() else None


def read_config(path: Path) -> SphinxConfig:
    values = _of_book(path) if path.name == BOOK_NAME else _assigned(read_text(path))
    extensions = {text_of(name) for name in items_of(values.get("extensions"))}
    suffixes = mapping_of(values.get("source_suffix")) or items_of(values.get("source_suffix"))
    named = [text_of(suffix) or "" for suffix in suffixes] or [text_of(values.get("source_suffix")) or ".rst"]
    markdown = [".md"] if extensions & _MYST else []
    notebooks = [".ipynb"] if extensions & _NOTEBOOKS else []
    excluded = [text_of(pattern) or "" for pattern in items_of(values.get("exclude_patterns"))]
    contents = _toc_beside(path) if _EXTERNAL_TOC in extensions else None
    root = text_of(values.get("root_doc")) or text_of(values.get("master_doc")) or "index"
    return SphinxConfig(
        source=path.parent.resolve(),
        title=text_of(values.get("html_title")) or text_of(values.get("project")) or "",
        language=text_of(values.get("language")) or "",
        base_url=text_of(values.get("html_baseurl")) or "",
        root=contents.root if contents else root,
        suffixes=tuple(dict.fromkeys([*named, *markdown, *notebooks])),
        excluded=(*NEVER_PAGES, *excluded, *(f"{pattern.rstrip('/')}/**" for pattern in excluded)),
        has_folder_urls=_builds_folders(path.parent),
        contents=contents,
        only_listed=bool(contents and flag_of(values.get("external_toc_exclude_missing"))),
    )


def _of_book(path: Path) -> Mapping[str, object]:
    """The settings that Jupyter Book makes of its configuration for Sphinx."""
    fields = mapping_of(read_yaml(path))
    return {
        "extensions": ["myst_nb", _EXTERNAL_TOC],
        "html_title": fields.get("title"),
        "html_baseurl": mapping_of(fields.get("html")).get("baseurl"),
        "exclude_patterns": list(texts_of(fields.get("exclude_patterns")) or ()),
        "external_toc_exclude_missing": fields.get("only_build_toc_files"),
        **mapping_of(mapping_of(fields.get("sphinx")).get("config")),
    }


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
    """Whether the configuration of Read the Docs says so."""
    for folder in (source, *source.parents[:3]):
        for path in (folder / ".readthedocs.yaml", folder / ".readthedocs.yml"):
            if path.is_file():
                return bool(_DIRHTML.search(read_text(path)))
    return False
