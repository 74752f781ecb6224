"""A question whose right reply is known, and the reply that came."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from glossator.answer.question_generation import SectionPlace
from glossator.model import Outcome


class ExamKind(StrEnum):
    HEADING = "heading"
    DEFINITION = "definition"
    TABLE = "table"
    NUMBER = "number"
    CODE = "code"
    TYPO = "typo"
    """One of the above, mistyped."""
    FOLLOW_UP = "follow_up"
    """Leans on the question before it."""
    NEAR = "near"
    """Of the book's own subject, about something that the book does not have."""
    FOREIGN = "foreign"
    LEFT_OUT = "left_out"
    """Asked of the book without the section that answers it."""
    OWN = "own"
    """The author's."""


_FEW = 4
"""Words that may stand anywhere."""


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    kind: ExamKind
    text: str
    is_answerable: bool
    places: tuple[SectionPlace, ...] = ()
    """Where the answer stands, or of one left out, stood; empty where nobody knows."""
    knows_section: bool = True
    """Whether a place is a section, or only a page."""
    facts: tuple[str, ...] = ()
    """Words that carry the answer; any of them will do."""
    after: str = ""
    """The question that is asked before it, where it leans on one."""
    without: tuple[str, ...] = ()
    """The chunks that are taken away while it is asked."""
    elsewhere: tuple[SectionPlace, ...] = ()
    """Of one left out: other sections that tell it too."""
    note: str = ""
    """How it was made."""

    @property
    def is_unmistakable(self) -> bool:
        """Whether its facts are too long to be said by chance, so that it matters no more from which page."""
        return self.kind is not ExamKind.OWN and all(len(fact.split()) > _FEW for fact in self.facts)


@dataclass(frozen=True, slots=True)
class CitedPlace:
    page: str
    section: str
    url: str
    quote: str
    on_page: bool
    """Whether it stands on the right page."""
    in_section: bool


@dataclass(frozen=True, slots=True)
class ExamReply:
    question: ExamQuestion
    outcome: Outcome
    confidence: float | None
    """None where nothing was looked up."""
    text: str
    citations: tuple[CitedPlace, ...]
    page_rank: int | None
    """Which hit was the first on the right page; None when none was."""
    section_rank: int | None
    nearest: CitedPlace | None
    """The best hit."""
    has_fact: bool | None
    """Whether it says the words that carry the answer; None where none are known."""
    milliseconds: float

    @property
    def is_answered(self) -> bool:
        return self.outcome in (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)

    @property
    def cites_page(self) -> bool:
        return any(cited.on_page for cited in self.citations)

    @property
    def cites_section(self) -> bool:
        return any(cited.in_section for cited in self.citations)

    @property
    def is_told_elsewhere(self) -> bool:
        return bool(self.question.elsewhere)

    @property
    def is_right(self) -> bool:
        """Refused where the book tells nothing, else it says what carries the answer from the right place."""
        question = self.question
        if not question.is_answerable or not self.is_answered:
            return not question.is_answerable and not self.is_answered
        if self.has_fact is None:
            return self.cites_section or not question.places
        return self.has_fact and (self.cites_page or not question.places or question.is_unmistakable)

    @property
    def carried(self) -> bool | None:
        """Whether the evidence carried the answer, as confidence promises; None where nobody knows."""
        question = self.question
        if not question.is_answerable:
            return None if self.is_told_elsewhere else False
        if not question.places and not question.facts:
            return None
        if self.is_answered:
            return self.is_right
        return self.section_rank is not None if question.places else None


def by_chance(text: str) -> bytes:
    """What texts are put in order by, so that every one has the same chance to come first."""
    return hashlib.sha256(text.encode()).digest()


def of_kind(replies: Sequence[ExamReply], *kinds: ExamKind) -> list[ExamReply]:
    return [reply for reply in replies if reply.question.kind in kinds]
