"""The views of readers' sessions, and how a request names one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query

from glossator.model import Feedback, KeptExchange, Outcome, Owner, Session, Verdict
from glossator.model.insights import AskedQuestion, Export
from glossator.web.auth.caller import AnyCaller

_MOST_EXCHANGES = 100

_Name = Annotated[str, Query(min_length=1, max_length=255)]


async def _session_ref(
    caller: AnyCaller, id: _Name, key: _Name, user: _Name | None = None
) -> tuple[str, Owner]:
    return id, Owner(key, user, caller.book)


SessionRef = Annotated[tuple[str, Owner], Depends(_session_ref)]
"""A session's id and owner: two owners may have chosen the same id."""


@dataclass(frozen=True, slots=True)
class ListedSession:
    session: Session
    began_with: str = ""
    """Its first question."""

    @property
    def address(self) -> str:
        """The query string that `SessionRef` reads."""
        owner = self.session.owner
        user = {} if owner.user is None else {"user": owner.user}
        return urlencode({"id": self.session.id, "key": owner.key, **user})

    @property
    def whose(self) -> str:
        owner = self.session.owner
        return f"{owner.key}/{owner.user}" if owner.user else owner.key


@dataclass(frozen=True, slots=True)
class SessionsView:
    wanted: str
    """The id that was searched for; empty where the latest are shown."""
    sessions: Sequence[ListedSession]

    @classmethod
    def of(
        cls,
        session_id: str,
        sessions: Sequence[Session],
        first_questions: Mapping[tuple[str, Owner], str],
    ) -> SessionsView:
        return cls(
            session_id,
            [
                ListedSession(session, first_questions.get((session.id, session.owner), ""))
                for session in sessions
            ],
        )


@dataclass(frozen=True, slots=True)
class QuestionsView:
    """The stream of questions, or those that were searched for."""

    words: str
    outcome: Outcome | None
    asked: Sequence[AskedQuestion]
    is_cut: bool
    outcomes: Sequence[Outcome] = tuple(Outcome)

    @staticmethod
    def supported(exchange: KeptExchange) -> int:
        return sum(claim.verdict is Verdict.SUPPORTED for claim in exchange.answer.claims)


@dataclass(frozen=True, slots=True)
class SessionView:
    listed: ListedSession
    export: Export

    @classmethod
    def of(cls, export: Export) -> SessionView:
        return cls(ListedSession(export.session), export)

    @property
    def latest(self) -> Sequence[KeptExchange]:
        """The last exchanges, oldest first; the exported file has all of them."""
        return self.export.exchanges[-_MOST_EXCHANGES:]

    def judged(self, exchange_id: str) -> Feedback | None:
        judgements = (feedback for feedback in self.export.feedback if feedback.exchange_id == exchange_id)
        return next(judgements, None)
