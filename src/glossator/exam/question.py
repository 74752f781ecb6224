"""A question with a known answer, and the reply of the assistant."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from glossator.model import Outcome
from glossator.question_generation import SectionPlace


class ExamKind(StrEnum):
    HEADING = "heading"
    DEFINITION = "definition"
    TABLE = "table"
    NUMBER = "number"
    CODE = "code"
    TYPO = "typo"
    """One of the above, mistyped."""
    FOLLOW_UP = "follow_up"
    """Refers to the question before it."""
    NEAR = "near"
    """A question on the book's subject, about a term that the book does not have."""
    FOREIGN = "foreign"
    LEFT_OUT = "left_out"
    """A question that is asked while the section that answers it is hidden."""
    AUTHOR = "author"
    """A question from the author's file."""


_MAX_COMMON_WORDS = 4
"""A fact of so many words may occur by chance."""


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    kind: ExamKind
    text: str
    is_answerable: bool
    places: tuple[SectionPlace, ...] = ()
    """Where the answer is, or was before it was hidden; empty if unknown."""
    knows_section: bool = True
    """Whether the places are sections, or whole pages."""
    facts: tuple[str, ...] = ()
    """Texts of which a right answer states at least one."""
    after: str = ""
    """The question asked before it, for a follow-up."""
    without: tuple[str, ...] = ()
    """The chunks that are hidden while it is asked."""
    elsewhere: tuple[SectionPlace, ...] = ()
    """Other sections that state the hidden answer too."""
    note: str = ""
    """How it was generated."""

    @property
    def is_unmistakable(self) -> bool:
        """Whether its facts are too long to be stated by chance, so that any cited page is right."""
        return self.kind is not ExamKind.AUTHOR and all(
            len(fact.split()) > _MAX_COMMON_WORDS for fact in self.facts
        )


@dataclass(frozen=True, slots=True)
class CitedPlace:
    page: str
    section: str
    url: str
    quote: str
    on_page: bool
    """Whether this is the right page."""
    in_section: bool


@dataclass(frozen=True, slots=True)
class ExamReply:
    question: ExamQuestion
    outcome: Outcome
    confidence: float | None
    """None if nothing was retrieved."""
    text: str
    citations: tuple[CitedPlace, ...]
    page_rank: int | None
    """The rank of the first hit on the right page; None if there is none."""
    section_rank: int | None
    nearest: CitedPlace | None
    """The best hit."""
    has_fact: bool | None
    """Whether it states one of the facts; None if none are known."""
    milliseconds: float

    @property
    def is_answered(self) -> bool:
        return self.outcome.is_answer

    @property
    def cites_page(self) -> bool:
        return any(cited.on_page for cited in self.citations)

    @property
    def cites_section(self) -> bool:
        return any(cited.in_section for cited in self.citations)

    @property
    def is_stated_elsewhere(self) -> bool:
        return bool(self.question.elsewhere)

    @property
    def is_right(self) -> bool:
        """Refused if unanswerable; otherwise states a fact, or cites the right place."""
        question = self.question
        if not question.is_answerable or not self.is_answered:
            return not question.is_answerable and not self.is_answered
        if self.has_fact is None:
            return self.cites_section or not question.places
        return self.has_fact and (self.cites_page or not question.places or question.is_unmistakable)

    @property
    def carried(self) -> bool | None:
        """Whether the evidence supported the answer, which confidence predicts; None if unknown."""
        question = self.question
        if not question.is_answerable:
            return None if self.is_stated_elsewhere else False
        if not question.places and not question.facts:
            return None
        if self.is_answered:
            return self.is_right
        return self.section_rank is not None if question.places else None


def shuffle_key(text: str) -> bytes:
    """A sort key for a reproducible shuffle: the digest of the text."""
    return hashlib.sha256(text.encode()).digest()


def of_kind(replies: Sequence[ExamReply], *kinds: ExamKind) -> list[ExamReply]:
    return [reply for reply in replies if reply.question.kind in kinds]
