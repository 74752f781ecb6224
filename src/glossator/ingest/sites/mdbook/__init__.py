"""mdBook: `book.toml`, and a `SUMMARY.md` that lists the chapters."""

from glossator.ingest.sites.mdbook.published import (
    CONFIG_NAME,
    SUMMARY_NAME,
    MdBook,
    MdBookConfig,
    mdbook,
    read_config,
)

__all__ = ["CONFIG_NAME", "SUMMARY_NAME", "MdBook", "MdBookConfig", "mdbook", "read_config"]
