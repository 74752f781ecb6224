"""mdBook: `book.toml`, and a `SUMMARY.md` that says what the chapters are."""

from glossator.ingest.site.mdbook.config import CONFIG_NAME, SUMMARY_NAME, Config, read_config
from glossator.ingest.site.mdbook.published import MdBook, mdbook

__all__ = ["CONFIG_NAME", "SUMMARY_NAME", "Config", "MdBook", "mdbook", "read_config"]
