"""Every reason Glossator says no.

GlossatorError
├── BookError                 what the author gave us
│   ├── BookNotFound
│   ├── PageUnreadable
│   └── PathOutsideBook
├── SettingsError             what the operator asked for
├── EmbedderError             the model that turns text into numbers
│   ├── ModelMissing
│   ├── ModelCorrupt
│   └── EmbedderUnavailable   (worth another try)
├── IndexFault                where the book is kept
│   ├── NoBookYet
│   ├── WrongModel
│   ├── SectionUnknown
│   ├── GenerationIncomplete
│   ├── DiskFull
│   └── IndexUnavailable      (worth another try)
├── QuestionError             what the reader sent
│   ├── QuestionEmpty
│   ├── QuestionTooLong
│   └── QuestionUnreadable
├── SearchTimeout             the book could not be searched in time (worth another try)
├── WriterError               who puts the answer into words
│   ├── WriterRefused         a wrong key, an unknown model
│   ├── WriterUnavailable     (worth another try)
│   ├── WriterTimeout         (worth another try)
│   └── WriterBroken          it broke off, or said nothing that can be read (worth another try)
├── RecordsError              where conversations are kept
│   ├── RecordsUnavailable    (worth another try)
│   ├── RecordsOutdated       the tables are of another version
│   ├── SessionUnknown        there is none, or it is somebody else's
│   ├── TurnLost              it was reset, deleted or swept away while it ran (worth another try)
│   ├── SessionBusy           another question of the session takes too long (worth another try)
│   ├── ExchangeUnknown
│   ├── KeyUnknown
│   ├── AlreadyAsked          the same idempotency key again: not a failure, names the exchange
│   └── IdempotencyMismatch   the same idempotency key with another question
├── AccessError               who asks
│   ├── KeyMissing
│   ├── KeyInvalid
│   ├── TokenInvalid          expired, or of another session, owner or contract
│   ├── OriginRefused
│   └── ScopeMissing
├── TooManyRequests           (worth another try)
├── RequestTooLarge
├── RequestBroken             its body ended before it was whole
├── Overloaded                more questions than can be carried (worth another try)
├── Stopping                  the server is going down (worth another try)
├── AnswerTimeout             30 seconds in all are over (worth another try)
└── IngestRunning             somebody else holds the lock (worth another try)

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
        """Seconds until another try may do better, where that is known."""


class BookError(GlossatorError):
    """The book cannot be read."""


class BookNotFound(BookError):
    """There is no book at that path."""


class PageUnreadable(BookError):
    """The page cannot be read."""


class PathOutsideBook(BookError):
    """The path leads out of the book."""


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


class WrongModel(IndexFault):
    """The index was made with another embedding model: run `glossator ingest PATH` again."""


class SectionUnknown(IndexFault):
    """The book has no such section."""


class GenerationIncomplete(IndexFault):
    """The new generation does not hold what was put into it; the old one still serves."""


class DiskFull(IndexFault):
    """The disk is full; the old book still serves."""


class IndexUnavailable(IndexFault):
    """The index does not answer."""

    retryable = True


class QuestionError(GlossatorError):
    """The question cannot be taken."""


class QuestionEmpty(QuestionError):
    """There is no question: type a few words."""


class QuestionTooLong(QuestionError):
    """The question is too long."""


class QuestionUnreadable(QuestionError):
    """The question holds characters that no text has."""


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
    """The request's body is not whole, or is not sent as HTTP says."""


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
