"""Docusaurus 3, as its classic preset publishes the docs plugin."""

from glossator.ingest.sites.docusaurus.config import (
    DocusaurusConfig,
    default_config,
    find_config,
    read_config,
)
from glossator.ingest.sites.docusaurus.published import Docusaurus, docusaurus

__all__ = ["Docusaurus", "DocusaurusConfig", "default_config", "docusaurus", "find_config", "read_config"]
