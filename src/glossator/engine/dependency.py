"""What an answer depends on, and which failures say that it is not well."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from glossator.errors import (
    EmbedderError,
    EmbedderUnavailable,
    GlossatorError,
    IndexFault,
    IndexUnavailable,
    ModelCorrupt,
    ModelMissing,
    NoBookYet,
    RecordsOutdated,
    RecordsUnavailable,
    SectionUnknown,
    WriterBroken,
    WriterError,
    WriterRefused,
    WriterTimeout,
    WriterUnavailable,
    WrongModel,
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

REFUSALS = (WriterRefused, WrongModel, ModelMissing, ModelCorrupt)
"""It is there and will not do its work: until a call goes well, it is not healthy."""

_FAULTS = (EmbedderError, IndexFault, WriterError, RecordsUnavailable, RecordsOutdated)
_ANSWERS = (NoBookYet, SectionUnknown)


def is_fault(error: BaseException | None) -> bool:
    """Whether the operator should read of it: a dependency did not do what it is there for."""
    return isinstance(error, _FAULTS) and not isinstance(error, _ANSWERS)
