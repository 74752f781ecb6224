"""What is remembered of a reader: sessions, and the whole exchanges in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from glossator.model.answer import Answer, Exchange, Selection
from glossator.model.search import Filters


class Contract(StrEnum):
    """One wire format over the one engine."""

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
    """Whose a session is: of the key that opened it, and of one of that key's users where it names them."""

    key: str
    user: str | None = None


class SessionState(StrEnum):
    CREATED = "created"
    """Opened, nothing asked yet."""
    ACTIVE = "active"
    INACTIVE = "inactive"
    """Archived: out of the hot listing, still readable, resumed by the next question."""
    EXPIRED = "expired"
    """Past its time: reads as unknown, and is deleted by the next sweep."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """How long the sessions of a contract are kept."""

    archive_after: timedelta | None
    delete_after: timedelta
    in_view: int
    """How many messages a reader is shown; older ones stay stored."""


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
    """Whole ones."""
    topic_summary: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    context_mode: str = ""
    filters: Filters = field(default_factory=Filters)


class TurnStatus(StrEnum):
    ACCEPTED = "accepted"
    STREAMING = "streaming"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """The reader left, the server stopped or died."""
    FAILED = "failed"


class ResponseState(StrEnum):
    """How far an answer has come on its way to its reader."""

    PROCESSING = "processing"
    VALIDATED = "validated"
    """Every claim was checked and held; it is being sent."""
    DELIVERED = "delivered"
    FLAGGED = "flagged"
    """A claim failed its check."""


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's own name for a request, so that sending it twice asks once."""

    key: str
    fingerprint: str
    """Of everything that was asked: the same key with another question is a mistake."""


class Opening(StrEnum):
    """What becomes of a session id that nobody knows, and of one that is known."""

    IF_UNKNOWN = "if_unknown"
    NEVER = "never"
    """It must be there: SessionUnknown otherwise."""
    ALWAYS = "always"
    """It must be new: SessionUnknown otherwise, for whoever asks has no proof that it is theirs."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question on its way into a session."""

    id: str
    """Of the exchange it becomes."""
    session: Session
    """As it is opened when there is none of that id."""
    question: str
    asked_at: datetime
    selection: Selection | None = None
    mode: str = "general"
    idempotency: Idempotency | None = None
    opening: Opening = Opening.IF_UNKNOWN
    session_created_at: datetime | None = None
    """Only the session that was created then may be entered, not a later one of its id; None for any."""


@dataclass(frozen=True, slots=True)
class AcceptedTurn:
    """What a session knows when a question comes in."""

    session: Session
    history: tuple[Exchange, ...] = ()
    """The last few exchanges, oldest first."""


@dataclass(frozen=True, slots=True)
class KeptExchange:
    """One question and its answer, stored whole."""

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
    """What one exchange was about, for the summary of a session."""

    question: str
    sections: tuple[str, ...]
    """The titles that were cited."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a reader thought of an answer."""

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
    """What a run of the retention rules did, or would do."""

    archived: Sequence[str] = ()
    deleted: Sequence[str] = ()
    """Ids of sessions."""
    interrupted: Sequence[str] = ()
    """Ids of exchanges that a crash left half done."""
    is_elsewhere: bool = False
    """Whether another replica is sweeping; then nothing was done here."""


# Who may ask: keys, and what they open.


class KeyKind(StrEnum):
    SECRET = "secret"  # noqa: S105
    """From server to server."""
    PUBLISHABLE = "publishable"
    """In public pages: may only open sessions and ask, from named origins."""


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
    """SHA-256 of the whole key, in hexadecimal; the key itself is shown once and never kept."""
    scopes: frozenset[Scope]
    origins: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None = None
    is_anonymous: bool = False
    """Whether a page of its origins that sends no key is taken as having sent this one."""
