"""MkDocs: `mkdocs.yml`, with or without a `nav`."""

from glossator.ingest.sites.mkdocs.published import Config, MkDocs, find_config, mkdocs, read_config

__all__ = ["Config", "MkDocs", "find_config", "mkdocs", "read_config"]
