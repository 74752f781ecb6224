"""The book that is served, and whether what serves it is well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from glossator.engine.dependency import Dependency
from glossator.engine.health import Probe
from glossator.model import Manifest

_NAMES = {
    Dependency.INDEX: "The index",
    Dependency.EMBEDDER: "The embedding model",
    Dependency.WRITER: "The writer",
    Dependency.RECORDS: "The records",
}


@dataclass(frozen=True, slots=True)
class BookView:
    book: Manifest | None
    reason: str
    """Why there is none."""
    probes: Mapping[Dependency, Probe]

    @property
    def health(self) -> Mapping[str, Probe]:
        return {_NAMES.get(one, one.value): probe for one, probe in self.probes.items()}

    @property
    def is_well(self) -> bool:
        return all(probe.is_up for probe in self.probes.values())

    @property
    def chapters(self) -> int:
        return len({page.chapter for page in self.book.pages}) if self.book else 0

    @property
    def made_at(self) -> datetime | None:
        return datetime.fromisoformat(self.book.created_at) if self.book else None
