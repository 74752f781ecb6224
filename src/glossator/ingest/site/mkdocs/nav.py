"""The navigation an author wrote in `mkdocs.yml`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from glossator.ingest.site.foreign import items_of, mapping_of


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    """From the docs folder."""
    title: str | None
    """None where the page names itself."""
    section: str | None
    """The outermost section it stands in."""


def entries_of(nav: object) -> tuple[Entry, ...]:
    """The pages in reading order, each where it comes first; links to elsewhere are left out."""
    entries = {entry.path: entry for entry in reversed(list(_entries(nav, None, None)))}
    return tuple(reversed(entries.values()))


def _entries(value: object, title: str | None, section: str | None) -> Iterator[Entry]:
    if isinstance(value, str):
        if "://" not in value:
            yield Entry(posixpath.normpath(value), title, section)
        return
    for item in items_of(value):
        yield from _entries(item, None, section)
    for name, inner in mapping_of(value).items():
        yield from _entries(inner, name, section if isinstance(inner, str) else section or name)
