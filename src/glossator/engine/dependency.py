"""What an answer depends on, and which failures say that it is not well."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from glossator.errors import (
    EmbedderUnavailable,
    GlossatorError,
    IndexUnavailable,
    RecordsUnavailable,
    WriterBroken,
    WriterTimeout,
    WriterUnavailable,
)


class Dependency(StrEnum):
    INDEX = "index"
    RECORDS = "records"
    WRITER = "writer"
    EMBEDDER = "embedder"


SIGNS: Mapping[Dependency, tuple[type[GlossatorError], ...]] = {
    Dependency.INDEX: (IndexUnavailable,),
    Dependency.RECORDS: (RecordsUnavailable,),
    Dependency.WRITER: (WriterUnavailable, WriterTimeout, WriterBroken),
    Dependency.EMBEDDER: (EmbedderUnavailable,),
}
"""The first is what callers hear while it is left alone. Whatever else is refused was at least answered."""
