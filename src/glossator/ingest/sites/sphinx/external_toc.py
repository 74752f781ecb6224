"""A table of contents in `_toc.yml`: that of Jupyter Book 1 and of the extension `sphinx_external_toc`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from glossator.ingest.sites.config_file import items_of, mapping_of, read_yaml, text_of
from glossator.ingest.sites.sphinx.documents import TocFile, Toctree, document_of

TOC_NAME = "_toc.yml"
_PARTS = ("parts", "subtrees")
_ENTRIES = ("chapters", "sections", "entries")


def read_toc(path: Path) -> TocFile | None:
    """None for a file that names no first page, as one of another program does."""
    loaded = read_yaml(path)
    items = items_of(loaded)
    fields = _upgraded(items) if items else mapping_of(loaded)
    root = text_of(fields.get("root"))
    return TocFile(document_of(root), dict(_toctrees(document_of(root), fields))) if root else None


def _upgraded(items: Sequence[object]) -> Mapping[str, object]:
    """The list of Jupyter Book before 0.11: the first page, and then pages and parts."""
    first, *rest = map(mapping_of, items)
    parts = [item if "part" in item else {"chapters": [item]} for item in rest]
    return {"root": first.get("file"), "parts": [{"chapters": _first_of(first, _ENTRIES)}, *parts]}


def _toctrees(name: str, fields: Mapping[str, object]) -> Iterator[tuple[str, tuple[Toctree, ...]]]:
    """The tables of contents of a document and of all below it."""
    parts = [mapping_of(part) for part in _first_of(fields, _PARTS)] or [fields]
    entries = [[mapping_of(entry) for entry in _first_of(part, _ENTRIES)] for part in parts]
    captions = (text_of(part.get("caption")) or text_of(part.get("part")) for part in parts)
    yield name, tuple(map(_toctree, captions, entries))
    for entry in (entry for part in entries for entry in part):
        file = text_of(entry.get("file"))
        if file:
            yield from _toctrees(document_of(file), entry)


def _toctree(caption: str | None, entries: Sequence[Mapping[str, object]]) -> Toctree:
    names = (text_of(entry.get("file")) or text_of(entry.get("glob")) for entry in entries)
    return Toctree(caption, tuple(f"/{name}" for name in names if name), has_patterns=True)


def _first_of(fields: Mapping[str, object], names: Sequence[str]) -> Sequence[object]:
    return next((items for items in map(items_of, map(fields.get, names)) if items), ())
