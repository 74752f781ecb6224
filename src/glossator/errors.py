"""Every reason Glossator says no.

GlossatorError
├── BookError                 what the author gave us
│   ├── BookNotFound
│   ├── PageUnreadable
│   └── PathOutsideBook
├── SettingsError             what the operator asked for
├── EmbedderError             the model that turns text into numbers
│   ├── ModelMissing
│   ├── ModelCorrupt
│   └── EmbedderUnavailable   (worth another try)
├── IndexFault                where the book is kept
│   ├── NoBookYet
│   ├── WrongModel
│   ├── GenerationIncomplete
│   ├── DiskFull
│   └── IndexUnavailable      (worth another try)
└── IngestRunning             somebody else holds the lock (worth another try)

The docstring of a class is its message when none is given.
"""

from __future__ import annotations

from typing import ClassVar


class GlossatorError(Exception):
    """Something went wrong."""

    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class BookError(GlossatorError):
    """The book cannot be read."""


class BookNotFound(BookError):
    """There is no book at that path."""


class PageUnreadable(BookError):
    """The page cannot be read."""


class PathOutsideBook(BookError):
    """The path leads out of the book."""


class SettingsError(GlossatorError):
    """A setting is wrong."""


class EmbedderError(GlossatorError):
    """The embedder failed."""


class ModelMissing(EmbedderError):
    """The embedding model is not on this machine and cannot be fetched."""


class ModelCorrupt(EmbedderError):
    """The embedding model on this machine is not the one that was pinned."""


class EmbedderUnavailable(EmbedderError):
    """The embedding service does not answer."""

    retryable = True


class IndexFault(GlossatorError):
    """The index failed."""


class NoBookYet(IndexFault):
    """No book has been ingested here yet: run `glossator ingest PATH`."""


class WrongModel(IndexFault):
    """The index was made with another embedding model: run `glossator ingest PATH` again."""


class GenerationIncomplete(IndexFault):
    """The new generation does not hold what was put into it; the old one still serves."""


class DiskFull(IndexFault):
    """The disk is full; the old book still serves."""


class IndexUnavailable(IndexFault):
    """The index does not answer."""

    retryable = True


class IngestRunning(GlossatorError):
    """Another ingest is running."""

    retryable = True
