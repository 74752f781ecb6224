"""MkDocs: `mkdocs.yml`, with or without a `nav`."""

from glossator.ingest.site.mkdocs.config import Config, find_config, read_config
from glossator.ingest.site.mkdocs.published import MkDocs, mkdocs

__all__ = ["Config", "MkDocs", "find_config", "mkdocs", "read_config"]
