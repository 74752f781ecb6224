"""What `mkdocs.yml` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from glossator.ingest.site.config_file import Tagged, read_yaml
from glossator.ingest.site.foreign import flag_of, items_of, mapping_of, text_of
from glossator.ingest.site.mkdocs.ids import Slug, slug_of
from glossator.ingest.site.mkdocs.nav import Entry, entries_of

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
class Config:
    docs: Path = field(repr=False)
    """The folder that holds the pages."""
    site_url: str = ""
    uses_directory_urls: bool = True
    nav: tuple[Entry, ...] | None = None
    excluded: tuple[str, ...] = _ALWAYS_EXCLUDED
    """Lines as in a .gitignore."""
    reads_custom_ids: bool = False
    slug: Slug = field(default_factory=Slug)

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.docs)


def find_config(folder: Path) -> Path | None:
    return next((folder / name for name in CONFIG_NAMES if (folder / name).is_file()), None)


def read_config(path: Path) -> Config:
    fields = {name: _untagged(value) for name, value in mapping_of(read_yaml(path)).items()}
    extensions = dict(_extensions(fields.get("markdown_extensions")))
    directory_urls = flag_of(fields.get("use_directory_urls"))
    return Config(
        docs=(path.parent / (text_of(fields.get("docs_dir")) or "docs")).resolve(),
        site_url=text_of(fields.get("site_url")) or "",
        uses_directory_urls=True if directory_urls is None else directory_urls,
        nav=entries_of(fields["nav"]) if fields.get("nav") else None,
        excluded=(*_ALWAYS_EXCLUDED, *_lines(fields.get("exclude_docs")), *_lines(fields.get("draft_docs"))),
        reads_custom_ids=not _ATTRIBUTES.isdisjoint(extensions),
        slug=slug_of(extensions.get("toc") or extensions.get("markdown.extensions.toc") or {}),
    )


def _untagged(value: object) -> object:
    """`!ENV [NAME, default]` is its default: a book reads the same on every machine."""
    if isinstance(value, Tagged) and value.tag == "ENV":
        choices = items_of(value.value)
        return choices[-1] if len(choices) > 1 else None
    return value


def _extensions(value: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    """A list of names and of names with options, or names with options alone."""
    for entry in (*items_of(value), mapping_of(value)):
        if isinstance(entry, str):
            yield entry, {}
        for name, options in mapping_of(entry).items():
            yield name, mapping_of(options)


def _lines(value: object) -> list[str]:
    return (text_of(value) or "").splitlines()
