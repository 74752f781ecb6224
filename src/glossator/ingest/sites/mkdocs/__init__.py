"""MkDocs: `mkdocs.yml`, with or without a `nav`."""

from glossator.ingest.sites.mkdocs.published import MkDocs, MkDocsConfig, find_config, mkdocs, read_config

__all__ = ["MkDocs", "MkDocsConfig", "find_config", "mkdocs", "read_config"]
