"""Sessions, turns and stored exchanges, with their owners and API keys."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from glossator.errors import SettingsError
from glossator.model.answer import Answer, Exchange, Selection
from glossator.model.search import Filters

DEFAULT_BOOK = "default"
"""What the book without a name is called where a name is needed."""
_BOOK_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")


def check_book_name(name: str) -> str:
    if not _BOOK_NAME.fullmatch(name):
        raise SettingsError("A book's name has 1 to 64 letters, digits and - only.")
    return name


class Contract(StrEnum):
    """A wire format of the server."""

    NATIVE = "native"
    THREADS = "threads"
    CITATIONS = "citations"
    GROUNDING = "grounding"
    COURSE = "course"
    PIPELINE = "pipeline"
    OPENAI = "openai"
    MCP = "mcp"


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a session: the key that opened it, and the user where the key names its users.

    A reader of one book is a stranger in the others, so the book is part of it.
    """

    key: str
    user: str | None = None
    book: str = ""
    """Its name; empty for the default book."""


class SessionState(StrEnum):
    CREATED = "created"
    """Opened, without a question yet."""
    ACTIVE = "active"
    INACTIVE = "inactive"
    """Archived: not in the list of active sessions, still readable, resumed by the next question."""
    EXPIRED = "expired"
    """Past its lifetime: treated as unknown, and deleted by the next sweep."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """How long the sessions of a contract are stored."""

    archive_after: timedelta | None
    delete_after: timedelta
    in_view: int
    """How many messages a reader sees; older ones stay stored."""


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    owner: Owner
    contract: Contract
    created_at: datetime
    updated_at: datetime
    state: SessionState = SessionState.CREATED
    archived_at: datetime | None = None
    exchanges: int = 0
    """Complete ones."""
    topic_summary: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    context_mode: str = ""
    filters: Filters = field(default_factory=Filters)


class TurnStatus(StrEnum):
    ACCEPTED = "accepted"
    STREAMING = "streaming"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """The reader left, or the server stopped or crashed."""
    FAILED = "failed"


class ResponseState(StrEnum):
    """How far an answer has come on its way to its reader."""

    PROCESSING = "processing"
    VALIDATED = "validated"
    """Every claim passed its check; the answer is being sent."""
    DELIVERED = "delivered"
    FLAGGED = "flagged"
    """A claim failed its check."""


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's key for a request, so that a repeated request is answered once."""

    key: str
    fingerprint: str
    """A fingerprint of the whole request: the same key with another request is an error."""


class Opening(StrEnum):
    """Whether a turn may or must open a new session."""

    IF_UNKNOWN = "if_unknown"
    NEVER = "never"
    """The session must exist: SessionUnknown otherwise."""
    ALWAYS = "always"
    """The session must be new: SessionUnknown otherwise, because the caller has no proof of owning it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question to be accepted into a session."""

    id: str
    """The id of the exchange that it becomes."""
    session: Session
    """The session to open where none has its id."""
    question: str
    asked_at: datetime
    selection: Selection | None = None
    mode: str = "general"
    idempotency: Idempotency | None = None
    opening: Opening = Opening.IF_UNKNOWN
    session_created_at: datetime | None = None
    """Accept the turn only into the session created then, not into a later one of its id; None for any."""


@dataclass(frozen=True, slots=True)
class AcceptedTurn:
    """The session and its history when a turn is accepted."""

    session: Session
    history: tuple[Exchange, ...] = ()
    """The last few exchanges, oldest first."""


@dataclass(frozen=True, slots=True)
class KeptExchange:
    """A complete, stored question and answer."""

    id: str
    session_id: str
    session_created_at: datetime
    question: str
    answer: Answer
    asked_at: datetime
    answered_at: datetime
    selection: Selection | None = None
    mode: str = "general"

    @property
    def latency_ms(self) -> float:
        return (self.answered_at - self.asked_at).total_seconds() * 1000

    @property
    def response_state(self) -> ResponseState:
        is_whole = self.answer.grounding.is_fully_grounded
        return ResponseState.DELIVERED if is_whole else ResponseState.FLAGGED


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic of one exchange, for the summary of a session."""

    question: str
    sections: tuple[str, ...]
    """The titles of the cited sections."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """A reader's rating of an answer."""

    exchange_id: str
    helpful: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ErasedReader:
    """The receipt for a reader who wants to be forgotten."""

    sessions: int
    exchanges: int
    feedback: int
    unanswered: int


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What a sweep did, or would do in a dry run."""

    archived: Sequence[str] = ()
    deleted: Sequence[str] = ()
    """Ids of sessions."""
    interrupted: Sequence[str] = ()
    """Ids of exchanges that a crash left incomplete."""
    is_elsewhere: bool = False
    """Whether another replica is sweeping, so that this one did nothing."""


# API keys


class KeyKind(StrEnum):
    SECRET = "secret"  # noqa: S105
    """A key for calls from a server."""
    PUBLISHABLE = "publishable"
    """A key for public pages: it may only open sessions and ask, from its origins."""


class Scope(StrEnum):
    ASK = "ask"
    READ = "read"
    OPERATE = "operate"


@dataclass(frozen=True, slots=True)
class ApiKey:
    id: str
    """Public: the part of the key between its kind and its secret."""
    kind: KeyKind
    name: str
    digest: str
    """SHA-256 of the whole key, in hexadecimal; the key itself is shown once and never stored."""
    scopes: frozenset[Scope]
    origins: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None = None
    is_anonymous: bool = False
    """Whether a request without a key from one of its origins is treated as sent with this key."""
    books: tuple[str, ...] = ()
    """The books that it may use; empty for all of them. The default book is called `default` here."""
