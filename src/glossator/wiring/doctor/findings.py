"""What a check finds, and what to do about it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from glossator.errors import GlossatorError


class Severity(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Answers go on without it."""
    FAULT = "fault"
    """Readers get no answers, or are not let in."""


@dataclass(frozen=True, slots=True)
class Finding:
    subject: str
    level: Severity
    text: str
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    all: list[Finding] = field(default_factory=list[Finding])

    def ok(self, subject: str, text: str) -> None:
        self.all.append(Finding(subject, Severity.OK, text))

    def note(self, subject: str, text: str, todo: str) -> None:
        self.all.append(Finding(subject, Severity.NOTE, text, todo))

    def fault(self, subject: str, text: str, todo: str) -> None:
        self.all.append(Finding(subject, Severity.FAULT, text, todo))

    @contextmanager
    def faults(self, subject: str, todo: str, level: Severity = Severity.FAULT) -> Generator[None]:
        """Our errors become findings, so that the other checks go on."""
        try:
            yield
        except GlossatorError as error:
            self.all.append(Finding(subject, level, str(error), todo))

    @property
    def stops_answers(self) -> bool:
        return any(finding.level is Severity.FAULT for finding in self.all)
