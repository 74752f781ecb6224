"""One place where a term stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from glossator.ingest.check.terms.prose import Prose
from glossator.model import Span

_BLANKS = re.compile(r"\s+")
_NEAR = 300
"""Characters; what explains a term stands beside it."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    term: str
    prose: Prose
    span: Span

    @property
    def text(self) -> str:
        """As it is written here."""
        return self.prose.text[self.span.start : self.span.end]

    @property
    def before(self) -> str:
        """What is near, with single blanks."""
        return _BLANKS.sub(" ", self.prose.text[max(self.span.start - _NEAR, 0) : self.span.start])

    @property
    def after(self) -> str:
        return _BLANKS.sub(" ", self.prose.text[self.span.end : self.span.end + _NEAR])

    @property
    def is_emphasized(self) -> bool:
        return self.prose.is_emphasized(self.span)
