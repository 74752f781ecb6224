"""The sessions of readers, as an operator finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query

from glossator.model import Feedback, KeptExchange, Owner, Session
from glossator.model.insights import Export

_MOST_EXCHANGES = 100

Name = Annotated[str, Query(min_length=1, max_length=255)]


def _named(id: Name, key: Name, user: Name | None = None) -> tuple[str, Owner]:
    return id, Owner(key, user)


Named = Annotated[tuple[str, Owner], Depends(_named)]
"""Which session is meant: an id alone is its owner's own, and two may have chosen the same."""


@dataclass(frozen=True, slots=True)
class ListedSession:
    session: Session

    @property
    def address(self) -> str:
        """What `Named` reads."""
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
    """The id that was looked for; empty where the latest are shown."""
    sessions: Sequence[ListedSession]

    @classmethod
    def of(cls, wanted: str, sessions: Sequence[Session]) -> SessionsView:
        return cls(wanted, [ListedSession(one) for one in sessions])


@dataclass(frozen=True, slots=True)
class SessionView:
    listed: ListedSession
    export: Export

    @classmethod
    def of(cls, export: Export) -> SessionView:
        return cls(ListedSession(export.session), export)

    @property
    def latest(self) -> Sequence[KeptExchange]:
        """The last ones, oldest first; all of them are in the file."""
        return self.export.exchanges[-_MOST_EXCHANGES:]

    def judged(self, exchange_id: str) -> Feedback | None:
        return next((one for one in self.export.feedback if one.exchange_id == exchange_id), None)
