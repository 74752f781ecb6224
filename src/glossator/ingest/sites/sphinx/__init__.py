"""Sphinx and its family: pages that toctrees put in order, in reStructuredText, MyST and notebooks."""

from glossator.ingest.sites.sphinx.config import SphinxConfig, find_book, find_config, read_config
from glossator.ingest.sites.sphinx.documents import References
from glossator.ingest.sites.sphinx.myst import is_myst
from glossator.ingest.sites.sphinx.published import Sphinx, sphinx

__all__ = [
    "References",
    "Sphinx",
    "SphinxConfig",
    "find_book",
    "find_config",
    "is_myst",
    "read_config",
    "sphinx",
]
