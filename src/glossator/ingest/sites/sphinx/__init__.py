"""Sphinx: `conf.py`, and pages that toctrees put in order."""

from glossator.ingest.sites.sphinx.documents import References
from glossator.ingest.sites.sphinx.published import Sphinx, SphinxConfig, find_config, read_config, sphinx

__all__ = ["References", "Sphinx", "SphinxConfig", "find_config", "read_config", "sphinx"]
