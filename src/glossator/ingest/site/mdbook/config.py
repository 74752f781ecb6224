"""What `book.toml` and `SUMMARY.md` say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from glossator.ingest.site.config_file import read_text, read_toml
from glossator.ingest.site.foreign import mapping_of, text_of
from glossator.ingest.site.mdbook.summary import Entry, entries_of

CONFIG_NAME = "book.toml"
SUMMARY_NAME = "SUMMARY.md"


@dataclass(frozen=True, slots=True)
class Config:
    source: Path = field(repr=False)
    """The folder that holds the pages."""
    base_url: str
    makes_readmes_indexes: bool
    has_smart_punctuation: bool
    summary: tuple[Entry, ...] | None
    """None where there is no summary, and every page is one."""

    def holds(self, folder: Path) -> bool:
        return folder.is_relative_to(self.source)


def read_config(path: Path) -> Config:
    """Of a book with a `book.toml`; without one, the defaults in the same folder."""
    fields = read_toml(path) if path.is_file() else mapping_of(None)
    html = mapping_of(mapping_of(fields.get("output")).get("html"))
    build = mapping_of(fields.get("build"))
    is_default = build.get("use-default-preprocessors") is not False
    source = path.parent / (text_of(mapping_of(fields.get("book")).get("src")) or "src")
    # The folder of the pages may itself be what was given.
    source = source.resolve() if source.is_dir() else path.parent
    summary = source / SUMMARY_NAME
    return Config(
        source=source,
        base_url=text_of(html.get("site-url")) or "/",
        makes_readmes_indexes=is_default or "index" in mapping_of(fields.get("preprocessor")),
        has_smart_punctuation=html.get("smart-punctuation") is not False,
        summary=entries_of(read_text(summary)) if summary.is_file() else None,
    )
