"""mdBook: `book.toml`, and a `SUMMARY.md` that says what the chapters are."""

from glossator.ingest.sites.mdbook.published import (
    CONFIG_NAME,
    SUMMARY_NAME,
    MdBook,
    MdBookConfig,
    mdbook,
    read_config,
)

__all__ = ["CONFIG_NAME", "SUMMARY_NAME", "MdBook", "MdBookConfig", "mdbook", "read_config"]
