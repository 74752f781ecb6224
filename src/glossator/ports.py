"""The ports: protocols of everything that the core needs from adapters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, runtime_checkable

from glossator.model import (
    AcceptedTurn,
    Answer,
    ApiKey,
    Brief,
    Chunk,
    Contract,
    EmbedderIdentity,
    Embedding,
    ErasedReader,
    Exchange,
    Feedback,
    FoundPassage,
    IndexQuery,
    KeptExchange,
    Manifest,
    Outcome,
    Owner,
    Passage,
    PassageEmbedding,
    Reading,
    RetentionReport,
    Session,
    SessionState,
    Support,
    Turn,
    TurnStatus,
    Window,
)
from glossator.model.insights import AskedQuestion, CitedSection, Export, Overview, Unanswered


class Embedder(Protocol):
    """Turns text into normalized vectors that can be compared by cosine similarity."""

    @property
    def identity(self) -> EmbedderIdentity: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, without the model's special tokens."""
        ...

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        """Returns one embedding for each text, in the same order."""
        ...

    def embed_query(self, text: str, *, states: bool = False) -> Embedding: ...


@runtime_checkable
class Loadable(Protocol):
    """An embedder or a reader whose model has to be loaded first."""

    def load(self) -> None:
        """Returns when the model is loaded; at once from then on."""
        ...


class Reader(Protocol):
    """The reader model: scores a question or a claim against each window separately."""

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]: ...

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]: ...


class Index(Protocol):
    """Searches the current generation of the book, and switches to a new one when it is published."""

    def manifest(self) -> Manifest:
        """Raises NoBookYet where nothing has been ingested."""
        ...

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        """Fused results of dense and sparse search, best first; ties are ordered by chunk id and number."""
        ...

    def chunk(self, chunk_id: str) -> Chunk | None: ...

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk once, sorted by the path of its page and its place there, as they are read."""
        ...

    def close(self) -> None: ...


class Generation(Protocol):
    """A new generation that is built while the current one serves."""

    @property
    def number(self) -> int: ...

    @property
    def base(self) -> Manifest | None:
        """The generation whose pages it begins with; None where it begins empty."""
        ...

    def put(
        self, pages: Sequence[str], passages: Sequence[Passage], embeddings: Sequence[PassageEmbedding]
    ) -> None:
        """Replaces all passages of these pages."""
        ...

    def publish(self, manifest: Manifest) -> None:
        """Check that all passages are stored, then make it the current generation atomically."""
        ...


class IndexStore(Protocol):
    """Stores the generations of the index."""

    def current(self) -> Manifest | None: ...

    def is_whole(self) -> bool:
        """Whether the current generation can be read completely."""
        ...

    def roll_back(self) -> Manifest:
        """Make the generation before the current one current again.

        Raises NoEarlierGeneration, and IngestRunning where another machine builds.
        """
        ...

    def remove(self) -> None:
        """Remove the book with all its generations; readers find none from then on.

        Raises NoBookYet, and IngestRunning where another machine builds.
        """
        ...

    def build(self, identity: EmbedderIdentity, language: str) -> AbstractContextManager[Generation]:
        """A new generation, for a book in this language.

        It is removed at the end of the context unless it was published. Raises IngestRunning where another
        machine builds.
        """
        ...


class Cache(Protocol):
    """Results of earlier ingests by a key of their content."""

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]: ...

    def put(self, values: Mapping[str, bytes]) -> None:
        """Durable when it returns."""
        ...

    def keep_only(self, keys: Iterable[str]) -> None: ...

    def remove(self, keys: Iterable[str]) -> None: ...

    def is_empty(self) -> bool: ...


class Progress(Protocol):
    """Shows the progress of a long job."""

    def start(self, what: str, total: int) -> None: ...

    def advance(self, done: int) -> None: ...

    def finish(self) -> None: ...


class Writer(Protocol):
    """Composes an answer from evidence."""

    @property
    def name(self) -> str:
        """The kind of writer, such as `extractive`."""
        ...

    @property
    def model(self) -> str: ...

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Markdown in pieces as they are written, with `[n]` after text that cites evidence number n."""
        ...


@runtime_checkable
class Signed(Protocol):
    """Pieces from `write` that name their writer, where it is chosen late; valid after the first piece."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...


@runtime_checkable
class Closable(Protocol):
    async def aclose(self) -> None: ...


class Rewriter(Protocol):
    """Rewrites a question that depends on the conversation so that it can be understood alone."""

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str: ...


class TurnStore(Protocol):
    """Stores turns: a turn ends as a complete exchange, or leaves none."""

    async def accept(self, turn: Turn) -> AcceptedTurn:
        """Open the session where it is new, and lock it until the turn ends, so that no other is accepted.

        Raises SessionUnknown (also for a session of another owner), SessionBusy, AlreadyAsked and
        IdempotencyMismatch.
        """
        ...

    async def hold(self, turn_id: str) -> None:
        """Renew the lock while the answer streams, so that the sweeper does not end it as abandoned."""
        ...

    async def complete(self, turn_id: str, answer: Answer, at: datetime) -> KeptExchange:
        """Store the exchange in one transaction with the session's count, summary and unanswered question."""
        ...

    async def give_up(self, turn_id: str, status: TurnStatus) -> None:
        """End the turn as interrupted or failed; its idempotency key may be used again."""
        ...


class ExchangeStore(Protocol):
    """Reads complete exchanges and stores their feedback. Another owner's exchange is treated as unknown."""

    async def of_session(
        self, session_id: str, owner: Owner, limit: int | None = None, *, created_at: datetime | None = None
    ) -> Sequence[KeptExchange]:
        """The last `limit` exchanges, oldest first. Raises SessionUnknown."""
        ...

    async def find(self, exchange_id: str, owner: Owner) -> KeptExchange:
        """Raises ExchangeUnknown."""
        ...

    async def status(self, exchange_id: str, owner: Owner) -> TurnStatus | None:
        """The status of a turn, complete or not; None for an unknown one."""
        ...

    async def judge(self, feedback: Feedback, owner: Owner, at: datetime) -> None:
        """Store the feedback; it replaces earlier feedback. Raises ExchangeUnknown."""
        ...


class SessionStore(Protocol):
    """Stores sessions. All methods raise SessionUnknown for a session of another owner.

    An id may be used again after its session was deleted: `created_at` selects the one created then.
    """

    async def open(self, session: Session) -> Session:
        """Returns the existing session where the id and the owner are the same."""
        ...

    async def find(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session: ...

    async def find_by_id(self, session_id: str, owner: Owner, contract: Contract) -> Session:
        """Searches all users of the owner's key. Raises SessionUnknown also where several have that id."""
        ...

    async def reset(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session:
        """Delete the exchanges and keep the session."""
        ...

    async def delete(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> None:
        """Delete the session with everything that belongs to it."""
        ...


class KeyStore(Protocol):
    async def all(self) -> Sequence[ApiKey]:
        """Including revoked keys."""
        ...

    async def add(self, key: ApiKey) -> None: ...

    async def revoke(self, key_id: str, at: datetime) -> ApiKey:
        """Raises KeyUnknown."""
        ...


class InsightStore(Protocol):
    """Reports about the complete exchanges of all sessions, for an operator."""

    async def overview(self, since: datetime) -> Overview: ...

    async def unanswered(self, since: datetime, limit: int) -> Sequence[Unanswered]:
        """Questions without an answer, with a doubtful one, or with one that did not help; newest first."""
        ...

    async def flagged(self, limit: int) -> Sequence[KeptExchange]:
        """Exchanges with a claim that failed its check; newest first."""
        ...

    async def cited(self, since: datetime) -> Sequence[CitedSection]:
        """Cited sections, most cited first; each section counts once per answer."""
        ...

    async def list_sessions(
        self, *, state: SessionState | None = None, contract: Contract | None = None, limit: int = 50
    ) -> Sequence[Session]:
        """Most recently used first."""
        ...

    async def questions(self, words: str, outcome: Outcome | None, limit: int) -> Sequence[AskedQuestion]:
        """Whose question or answer has these words, of this outcome; newest first."""
        ...

    async def first_questions(self, session_ids: Sequence[str]) -> Mapping[tuple[str, Owner], str]:
        """What each of the sessions began with, by its id and owner."""
        ...

    async def find(self, session_id: str) -> Sequence[Session]:
        """Several, where owners use the same id."""
        ...

    async def export(self, session_id: str, owner: Owner) -> Export:
        """Raises SessionUnknown."""
        ...

    async def delete(self, session_id: str, owner: Owner) -> None:
        """Raises SessionUnknown."""
        ...


class RetentionStore(Protocol):
    """Archives, deletes and erases records."""

    async def sweep(self, now: datetime, *, dry_run: bool = False) -> RetentionReport:
        """Archive and delete expired sessions, and end turns that a crash left incomplete."""
        ...

    async def end_abandoned(self, now: datetime) -> Sequence[str]:
        """End turns whose lock has expired after a crash; returns their ids."""
        ...

    async def erase(self, user: str, books: Sequence[str] = ()) -> ErasedReader:
        """Erase everything of one reader, under every key and in every contract; `books`: only in these."""
        ...

    async def erase_session(
        self, session_id: str, owner: Owner, *, created_at: datetime | None = None
    ) -> ErasedReader:
        """Erase everything of one session. Raises SessionUnknown."""
        ...

    async def ping(self) -> None:
        """Raises RecordsUnavailable."""
        ...
