"""reStructuredText as Markdown: docutils reads it, with the directives and roles of Sphinx."""

from glossator.ingest.rst.markdown import rst_page

__all__ = ["rst_page"]
