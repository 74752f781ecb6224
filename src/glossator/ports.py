"""What the core needs from outside, as small protocols."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
    Owner,
    Passage,
    Reading,
    RetentionReport,
    Session,
    SessionState,
    Support,
    Turn,
    TurnStatus,
    Window,
)
from glossator.model.insights import CitedSection, Export, Overview, Unanswered


class Embedder(Protocol):
    """Turns text into vectors of one length that can be compared by cosine."""

    @property
    def identity(self) -> EmbedderIdentity: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many word pieces each text has, without the model's own marks."""
        ...

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        """In the order given; texts are batched by length inside."""
        ...

    def embed_query(self, text: str, *, states: bool = False) -> Embedding: ...


@runtime_checkable
class Loadable(Protocol):
    """An embedder or a reader whose model has to be brought into memory first."""

    def load(self) -> None:
        """There when it returns; at once from then on."""
        ...


class Reader(Protocol):
    """Reads a question or a claim together with windows of the book, each window by itself."""

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]: ...

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]: ...


class Index(Protocol):
    """The current generation of the book, followed when it changes."""

    def manifest(self) -> Manifest:
        """Raises NoBookYet when nothing was ever ingested."""
        ...

    def search(self, query: IndexQuery) -> list[FoundPassage]:
        """Dense and sparse together, fused, best first; ties by chunk id and passage number."""
        ...

    def chunk(self, chunk_id: str) -> Chunk | None: ...

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk once, in no particular order."""
        ...

    def close(self) -> None: ...


class Generation(Protocol):
    """A generation being built beside the one that serves."""

    @property
    def number(self) -> int: ...

    def add(self, passages: Sequence[Passage], embeddings: Sequence[Embedding]) -> None: ...

    def publish(self, manifest: Manifest) -> None:
        """Check that everything arrived, then make it current in one step."""
        ...


class IndexStore(Protocol):
    """Where generations are kept."""

    @property
    def recipe(self) -> str:
        """What else decides how a passage is stored, such as the language of its words."""
        ...

    def current(self) -> Manifest | None: ...

    def is_whole(self) -> bool:
        """Whether the current generation can be read to its end."""
        ...

    def build(self, identity: EmbedderIdentity) -> AbstractContextManager[Generation]:
        """A new generation; what was not published is removed on the way out."""
        ...


class Cache(Protocol):
    """What was worked out before, by content, so that it never has to be again."""

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]: ...

    def put(self, values: Mapping[str, bytes]) -> None:
        """Durable when it returns."""
        ...

    def keep_only(self, keys: Sequence[str]) -> None: ...


class Progress(Protocol):
    """Told how far a long job is."""

    def start(self, what: str, total: int) -> None: ...

    def advance(self, done: int) -> None: ...

    def finish(self) -> None: ...


class Writer(Protocol):
    """Composes an answer from evidence."""

    @property
    def name(self) -> str:
        """Which kind of writer, such as `extractive`."""
        ...

    @property
    def model(self) -> str: ...

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Markdown, piece by piece as it comes, with `[n]` behind what rests on evidence number n."""
        ...


@runtime_checkable
class Signed(Protocol):
    """What `write` may return where who writes is known only then; right once the first piece came."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...


@runtime_checkable
class Closable(Protocol):
    async def aclose(self) -> None: ...


class Rewriter(Protocol):
    """Makes a question that leans on the conversation stand alone."""

    async def rewrite(self, question: str, history: Sequence[Exchange]) -> str: ...


class TurnStore(Protocol):
    """A question on its way into its session: there whole in the end, or not at all."""

    async def accept(self, turn: Turn) -> AcceptedTurn:
        """Opens the session where it is new, and holds it: until the turn ends, no other is accepted there.

        Raises SessionUnknown (also for another's), SessionBusy, AlreadyAsked, IdempotencyMismatch.
        """
        ...

    async def hold(self, turn_id: str) -> None:
        """It streams; called again and again, lest the sweeper takes it for left behind."""
        ...

    async def complete(self, turn_id: str, answer: Answer, at: datetime) -> KeptExchange:
        """In one transaction with the session's count, summary and what was left unanswered."""
        ...

    async def give_up(self, turn_id: str, status: TurnStatus) -> None:
        """Interrupted or failed; its idempotency key may be used again."""
        ...


class ExchangeStore(Protocol):
    """Whole exchanges, and only those."""

    async def of_session(
        self, session_id: str, owner: Owner, limit: int | None = None, *, created_at: datetime | None = None
    ) -> Sequence[KeptExchange]:
        """The last so many, oldest first. Raises SessionUnknown."""
        ...

    async def find(self, exchange_id: str, owner: Owner) -> KeptExchange:
        """Raises ExchangeUnknown; also for another's."""
        ...

    async def status(self, exchange_id: str, owner: Owner) -> TurnStatus | None:
        """Also of one that is not whole yet; None where there is none, or it is another's."""
        ...

    async def judge(self, feedback: Feedback, owner: Owner, at: datetime) -> None:
        """Said again, it replaces what was said. Raises ExchangeUnknown; also for another's."""
        ...


class SessionStore(Protocol):
    """The exchanges of one reader, with an owner and a lifecycle. A wrong owner is told SessionUnknown.

    An id may be used again when its session is gone: `created_at` asks for the one that was created then.
    """

    async def open(self, session: Session) -> Session:
        """The one that is there already when the id and the owner are the same."""
        ...

    async def find(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session: ...

    async def find_by_id(self, session_id: str, key: str, contract: Contract) -> Session:
        """Of whichever of the key's users. SessionUnknown also where several have one of that id."""
        ...

    async def reset(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> Session:
        """Empties the history and keeps the id."""
        ...

    async def delete(self, session_id: str, owner: Owner, *, created_at: datetime | None = None) -> None:
        """With everything that is its own."""
        ...


class KeyStore(Protocol):
    async def all(self) -> Sequence[ApiKey]:
        """The revoked ones too."""
        ...

    async def add(self, key: ApiKey) -> None: ...

    async def revoke(self, key_id: str, at: datetime) -> ApiKey:
        """Raises KeyUnknown."""
        ...


class InsightStore(Protocol):
    """What an operator sees of everybody's sessions; whole exchanges only."""

    async def overview(self, since: datetime) -> Overview: ...

    async def unanswered(self, since: datetime, limit: int) -> Sequence[Unanswered]:
        """What the book did not answer, or hardly, or not to the reader's help; the latest first."""
        ...

    async def flagged(self, limit: int) -> Sequence[KeptExchange]:
        """Where a claim failed its check; the latest first."""
        ...

    async def cited(self, since: datetime) -> Sequence[CitedSection]:
        """Those that answers cite, the most cited first; one that an answer cites twice counts once."""
        ...

    async def list_sessions(
        self, *, state: SessionState | None = None, contract: Contract | None = None, limit: int = 50
    ) -> Sequence[Session]:
        """Those that were used last first."""
        ...

    async def find(self, session_id: str) -> Sequence[Session]:
        """An id is its owner's own: there may be several."""
        ...

    async def export(self, session_id: str, owner: Owner) -> Export:
        """Raises SessionUnknown."""
        ...

    async def delete(self, session_id: str, owner: Owner) -> None:
        """Raises SessionUnknown."""
        ...


class RetentionStore(Protocol):
    """What keeps the records in order, and forgets."""

    async def sweep(self, now: datetime, *, dry_run: bool = False) -> RetentionReport:
        """Archives and deletes what is past its time, and ends what a crash left half done."""
        ...

    async def end_abandoned(self, now: datetime) -> Sequence[str]:
        """The ids of the turns that a crash left half done, and that nobody holds any more."""
        ...

    async def erase(self, user: str) -> ErasedReader:
        """Everything of one reader, under every key and in every contract."""
        ...

    async def erase_session(
        self, session_id: str, owner: Owner, *, created_at: datetime | None = None
    ) -> ErasedReader:
        """Everything of one session. Raises SessionUnknown."""
        ...

    async def ping(self) -> None:
        """Raises RecordsUnavailable."""
        ...
