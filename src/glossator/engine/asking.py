"""A request to answer, as every contract hands it to the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from glossator.model import Contract, Idempotency, Opening, Owner, Question, Session, Turn


@dataclass(frozen=True, slots=True)
class Asking:
    question: Question
    owner: Owner
    contract: Contract
    session_id: str | None = None
    """Made when there is none."""
    opening: Opening = Opening.IF_UNKNOWN
    session_created_at: datetime | None = None
    """Only the session that was created then may be entered, not a later one of its id; None for any."""
    remember: bool = True
    """If not, nothing about the question is written anywhere."""
    idempotency: Idempotency | None = None
    mode: str = "general"
    """In the contract's own words, such as `selected_text`."""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])

    def turn(self, turn_id: str, session_id: str, at: datetime) -> Turn:
        session = Session(
            id=session_id,
            owner=self.owner,
            contract=self.contract,
            created_at=at,
            updated_at=at,
            metadata=self.metadata,
            context_mode=self.mode,
            filters=self.question.filters,
        )
        return Turn(
            id=turn_id,
            session=session,
            question=self.question.text.strip(),
            asked_at=at,
            selection=self.question.selection,
            mode=self.mode,
            idempotency=self.idempotency,
            opening=self.opening if self.session_id else Opening.ALWAYS,
            session_created_at=self.session_created_at,
        )
