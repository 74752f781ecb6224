"""All errors of Glossator, as one tree.

GlossatorError
├── BookError                 the book on disk
│   ├── BookNotFound
│   ├── PageUnreadable
│   ├── PathOutsideBook
│   ├── CrawlFailed           the pages of a published site cannot be fetched
│   └── BookWouldShrink       an ingest would lose much of the book
├── SettingsError             the operator's settings
├── EmbedderError             the embedding model
│   ├── ModelMissing
│   ├── ModelCorrupt
│   └── EmbedderUnavailable   (retryable)
├── IndexFault                the index
│   ├── NoBookYet
│   ├── BookUnknown
│   ├── BookExists
│   ├── WrongModel
│   ├── SectionUnknown
│   ├── GenerationIncomplete
│   ├── NoEarlierGeneration
│   ├── DiskFull
│   └── IndexUnavailable      (retryable)
├── QuestionError             the reader's question
│   ├── QuestionEmpty
│   ├── QuestionTooLong
│   └── QuestionUnreadable
├── SearchTimeout             the book could not be searched in time (retryable)
├── WriterError               the writer of the answer
│   ├── WriterRefused         for example a wrong key or an unknown model
│   ├── WriterUnavailable     (retryable)
│   ├── WriterTimeout         (retryable)
│   └── WriterBroken          the stream ended early or was unreadable (retryable)
├── RecordsError              the database of sessions
│   ├── RecordsUnavailable    (retryable)
│   ├── RecordsOutdated       the tables have another version
│   ├── SessionUnknown        it does not exist, or has another owner
│   ├── TurnLost              its session was reset, deleted or swept meanwhile (retryable)
│   ├── SessionBusy           another question of the session takes too long (retryable)
│   ├── ExchangeUnknown
│   ├── KeyUnknown
│   ├── AlreadyAsked          a repeated idempotency key: not a failure, names the exchange
│   └── IdempotencyMismatch   the same idempotency key with another request
├── AccessError               keys, tokens, origins and scopes
│   ├── KeyMissing
│   ├── KeyInvalid
│   ├── TokenInvalid          expired, or of another session, owner or contract
│   ├── OriginRefused
│   └── ScopeMissing
├── TooManyRequests           (retryable)
├── RequestTooLarge
├── RequestBroken             the body is incomplete or not valid HTTP
├── Overloaded                the queue of questions is full (retryable)
├── Stopping                  the server shuts down (retryable)
├── AnswerTimeout             the answer took 30 seconds in all (retryable)
├── IngestRunning             another process has the lock (retryable)
└── BackupError               a backup cannot be made or restored

The docstring of a class is its message when none is given.
"""

from __future__ import annotations

from typing import ClassVar


class GlossatorError(Exception):
    """Something went wrong."""

    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None, *, retry_after: float | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.retry_after = retry_after
        """Seconds after which to retry, where that is known."""


class BookError(GlossatorError):
    """The book cannot be read."""


class BookNotFound(BookError):
    """There is no book at that path."""


class PageUnreadable(BookError):
    """The page cannot be read."""


class PathOutsideBook(BookError):
    """The path leads out of the book."""


class CrawlFailed(BookError):
    """The pages of the site cannot be fetched."""


class BookWouldShrink(BookError):
    """Much of the book would be removed from the index."""


class SettingsError(GlossatorError):
    """A setting is wrong."""


class EmbedderError(GlossatorError):
    """The embedder failed."""


class ModelMissing(EmbedderError):
    """The embedding model is not on this machine and cannot be fetched."""


class ModelCorrupt(EmbedderError):
    """The embedding model on this machine is not the one that was pinned."""


class EmbedderUnavailable(EmbedderError):
    """The embedding service does not answer."""

    retryable = True


class IndexFault(GlossatorError):
    """The index failed."""


class NoBookYet(IndexFault):
    """No book has been ingested here yet: run `glossator ingest PATH`."""


class BookUnknown(IndexFault):
    """There is no book of this name."""


class BookExists(IndexFault):
    """There is a book of this name already."""


class WrongModel(IndexFault):
    """The index was made with another embedding model: run `glossator ingest PATH` again."""


class SectionUnknown(IndexFault):
    """The book has no such section."""


class GenerationIncomplete(IndexFault):
    """The new generation does not hold what was put into it; the old one still serves."""


class NoEarlierGeneration(IndexFault):
    """There is no earlier generation of the book to go back to."""


class DiskFull(IndexFault):
    """The disk is full; the old book still serves."""


class IndexUnavailable(IndexFault):
    """The index does not answer."""

    retryable = True


class QuestionError(GlossatorError):
    """The question is invalid."""


class QuestionEmpty(QuestionError):
    """There is no question: type a few words."""


class QuestionTooLong(QuestionError):
    """The question is too long."""


class QuestionUnreadable(QuestionError):
    """The question contains characters that are not text."""


class SearchTimeout(GlossatorError):
    """The book could not be searched in time."""

    retryable = True


class WriterError(GlossatorError):
    """The answer could not be written."""


class WriterRefused(WriterError):
    """The language model does not take the request."""


class WriterUnavailable(WriterError):
    """The language model does not answer."""

    retryable = True


class WriterTimeout(WriterError):
    """The language model did not finish in time."""

    retryable = True


class WriterBroken(WriterError):
    """The language model broke off before its answer was whole."""

    retryable = True


class RecordsError(GlossatorError):
    """Conversations cannot be kept."""


class RecordsUnavailable(RecordsError):
    """The database does not answer."""

    retryable = True


class RecordsOutdated(RecordsError):
    """The database was made by another version of Glossator."""


class SessionUnknown(RecordsError):
    """There is no such session."""


class TurnLost(RecordsError):
    """The conversation was ended while this was being answered."""

    retryable = True


class SessionBusy(RecordsError):
    """Another question of this session is still being answered."""

    retryable = True


class ExchangeUnknown(RecordsError):
    """There is no such answer."""


class KeyUnknown(RecordsError):
    """There is no key of that id."""


class AlreadyAsked(RecordsError):
    """This was asked before, under the same idempotency key."""

    def __init__(self, exchange_id: str) -> None:
        super().__init__()
        self.exchange_id = exchange_id


class IdempotencyMismatch(RecordsError):
    """This idempotency key was used for another request."""


class AccessError(GlossatorError):
    """Access is not allowed."""


class KeyMissing(AccessError):
    """A key is needed: send it as `Authorization: Bearer …`."""


class KeyInvalid(AccessError):
    """The key is not valid."""


class TokenInvalid(AccessError):
    """The session's token is missing or no longer valid."""


class OriginRefused(AccessError):
    """This key may not be used from this page."""


class ScopeMissing(AccessError):
    """This key may not do that."""


class TooManyRequests(GlossatorError):
    """Too many requests: slow down."""

    retryable = True


class RequestTooLarge(GlossatorError):
    """The request is too large."""


class RequestBroken(GlossatorError):
    """The request body is incomplete or not valid HTTP."""


class Overloaded(GlossatorError):
    """More questions are being asked than can be answered: try again shortly."""

    retryable = True


class Stopping(GlossatorError):
    """The server is being stopped: try again shortly."""

    retryable = True


class AnswerTimeout(GlossatorError):
    """The answer was not finished in time."""

    retryable = True


class IngestRunning(GlossatorError):
    """Another ingest is running."""

    retryable = True


class BackupError(GlossatorError):
    """The backup cannot be made or restored."""
