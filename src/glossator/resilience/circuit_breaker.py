"""Circuit breakers: a dependency that keeps failing is not called for a while, so nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import cast

from glossator.errors import (
    EmbedderError,
    EmbedderUnavailable,
    GlossatorError,
    IndexFault,
    IndexUnavailable,
    ModelCorrupt,
    ModelMissing,
    NoBookYet,
    RecordsOutdated,
    RecordsUnavailable,
    SectionUnknown,
    WriterBroken,
    WriterError,
    WriterRefused,
    WriterTimeout,
    WriterUnavailable,
    WrongModel,
)


class Dependency(StrEnum):
    INDEX = "index"
    RECORDS = "records"
    WRITER = "writer"
    EMBEDDER = "embedder"


UNAVAILABLE_ERRORS: Mapping[Dependency, tuple[type[GlossatorError], ...]] = {
    Dependency.INDEX: (IndexUnavailable,),
    Dependency.RECORDS: (RecordsUnavailable,),
    Dependency.WRITER: (WriterUnavailable, WriterTimeout, WriterBroken),
    Dependency.EMBEDDER: (EmbedderUnavailable,),
}
"""Errors that count as a failure of the dependency; any other error shows that it responds.

The first of each is raised while the breaker is open.
"""

REFUSAL_ERRORS = (WriterRefused, WrongModel, ModelMissing, ModelCorrupt)
"""The dependency responds but refuses to work: it is unhealthy until a call succeeds."""

_FAULTS = (EmbedderError, IndexFault, WriterError, RecordsUnavailable, RecordsOutdated)
_NOT_FAULTS = (NoBookYet, SectionUnknown)


def is_fault(error: BaseException | None) -> bool:
    """Whether a dependency failed, so that the operator should see it in the log."""
    return isinstance(error, _FAULTS) and not isinstance(error, _NOT_FAULTS)


FaultListener = Callable[[Dependency, GlossatorError], None]

_TRIAL_RETRY_SECONDS = 1.0
"""`retry_after` for calls that come during the trial call."""


_MAX_OPEN_SECONDS = {Dependency.RECORDS: 1.0}
"""A restarted database is back within moments, and a trial call to it costs nothing."""


class State(StrEnum):
    CLOSED = "closed"
    """All calls go through."""
    OPEN = "open"
    """All calls are refused."""
    HALF_OPEN = "half_open"
    """One trial call goes through."""


class Breaker:
    """The circuit breaker of one dependency; thread-safe.

    Opens after `failures` failures in a row and lets one trial call through after `seconds`. When that
    succeeds, it closes.
    """

    def __init__(
        self,
        dependency: Dependency,
        *,
        failures: int = 5,
        seconds: float = 10.0,
        clock: Callable[[], float] = monotonic,
        tell: FaultListener = lambda dependency, fault: None,
    ) -> None:
        """`tell` is called with every fault of the dependency."""
        self.dependency = dependency
        self.refusal: GlossatorError | None = None
        """The refusal of the last call; None once a call succeeded."""
        self.tell = tell
        self._unavailable_errors = UNAVAILABLE_ERRORS[dependency]
        self._max_failures = failures
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._is_open = False
        self._next_try = 0.0
        self._trial: WatchedCall | None = None

    @property
    def state(self) -> State:
        with self._lock:
            if not self._is_open:
                return State.CLOSED
            is_trial_due = self._trial is not None or self._clock() >= self._next_try
            return State.HALF_OPEN if is_trial_due else State.OPEN

    def watch(self, *, proves: bool = True) -> WatchedCall:
        """Wraps a call. With `proves=False` its success is ignored, since it may come from a cache.

        Raises the dependency's `…Unavailable` error while the breaker is open.
        """
        return WatchedCall(self, proves=proves)

    def begin(self, call: WatchedCall) -> None:
        if not self._is_open:
            return
        with self._lock:
            left = self._next_try - self._clock()
            if self._is_open and left > 0:
                raise self._unavailable_errors[0](retry_after=_TRIAL_RETRY_SECONDS if self._trial else left)
            if self._is_open and call.proves:
                # If the trial call never ends, another may be made after the same time.
                self._trial, self._next_try = call, self._clock() + self._seconds

    def end(self, call: WatchedCall, error: BaseException | None) -> None:
        """An outcome that is neither success nor failure, such as a cancelled request, is not counted."""
        if is_fault(error):
            self.tell(self.dependency, cast("GlossatorError", error))
        with self._lock:
            if isinstance(error, REFUSAL_ERRORS):
                self.refusal = error
            elif call.proves and error is None:
                self.refusal = None
            if isinstance(error, self._unavailable_errors):
                self._count_failure(call)
            elif call.proves and (error is None or isinstance(error, GlossatorError)):
                self._count_success(call)
            elif call is self._trial:
                self._trial, self._next_try = None, self._clock()

    def _count_failure(self, call: WatchedCall) -> None:
        self._failures += 1
        if self._is_open:
            opens = call is self._trial or self._clock() >= self._next_try
        else:
            opens = self._failures >= self._max_failures
        if opens:
            self._is_open, self._trial = True, None
            self._next_try = self._clock() + self._seconds

    def _count_success(self, call: WatchedCall) -> None:
        """While the breaker is open only the trial call counts: other calls began before it opened."""
        if call is self._trial or not self._is_open:
            self._failures, self._is_open, self._trial = 0, False, None


class WatchedCall:
    """One call through a breaker, as a context manager."""

    __slots__ = ("_breaker", "proves")

    def __init__(self, breaker: Breaker, *, proves: bool) -> None:
        self._breaker = breaker
        self.proves = proves

    def __enter__(self) -> WatchedCall:
        self._breaker.begin(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._breaker.end(self, error)


def breakers(
    *, failures: int, seconds: float, tell: FaultListener = lambda dependency, fault: None
) -> Mapping[Dependency, Breaker]:
    return {
        dependency: Breaker(
            dependency,
            failures=failures,
            seconds=min(seconds, _MAX_OPEN_SECONDS.get(dependency, seconds)),
            tell=tell,
        )
        for dependency in Dependency
    }
