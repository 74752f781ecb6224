"""Glossator answers a reader's question about a book, from the book, and shows where.

The names below are the public Python API, see docs/python.md; everything else may change.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glossator.errors import GlossatorError
    from glossator.library import Assistant, Book
    from glossator.model import Answer, Citation, Filters, Hit

__all__ = ["Answer", "Assistant", "Book", "Citation", "Filters", "GlossatorError", "Hit"]

_HOME = {"Assistant": "library", "Book": "library", "GlossatorError": "errors"}


def __getattr__(name: str) -> Any:
    """Loaded when it is used, so that the command line does not wait for what it does not need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"glossator.{_HOME.get(name, 'model')}"), name)
