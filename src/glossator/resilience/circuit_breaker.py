"""What fails again and again is left alone for a while, so that nobody waits for it in vain."""

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

# What an answer depends on, and which failures say that it is not well.


class Dependency(StrEnum):
    INDEX = "index"
    RECORDS = "records"
    WRITER = "writer"
    EMBEDDER = "embedder"


SIGNS: Mapping[Dependency, tuple[type[GlossatorError], ...]] = {
    Dependency.INDEX: (IndexUnavailable,),
    Dependency.RECORDS: (RecordsUnavailable,),
    Dependency.WRITER: (WriterUnavailable, WriterTimeout, WriterBroken),
    Dependency.EMBEDDER: (EmbedderUnavailable,),
}
"""The first is what callers hear while it is left alone. Whatever else is refused was at least answered."""

REFUSALS = (WriterRefused, WrongModel, ModelMissing, ModelCorrupt)
"""It is there and will not do its work: until a call goes well, it is not healthy."""

_FAULTS = (EmbedderError, IndexFault, WriterError, RecordsUnavailable, RecordsOutdated)
_ANSWERS = (NoBookYet, SectionUnknown)


def is_fault(error: BaseException | None) -> bool:
    """Whether the operator should read of it: a dependency did not do what it is there for."""
    return isinstance(error, _FAULTS) and not isinstance(error, _ANSWERS)


Tell = Callable[[Dependency, GlossatorError], None]

_SOON = 1.0
"""Seconds, for those who come while somebody is trying."""


_SOONER = {Dependency.RECORDS: 1.0}
"""Seconds at most: a database that was restarted is back within moments, and to try costs nothing."""


class State(StrEnum):
    CLOSED = "closed"
    """Everybody gets through."""
    OPEN = "open"
    """Nobody does."""
    HALF_OPEN = "half_open"
    """One tries for all."""


class Breaker:
    """Of one dependency; any thread may use it.

    Opens after so many failures in a row, and lets one call through after so many seconds: when that
    one does its work, all others get through again.
    """

    def __init__(
        self,
        dependency: Dependency,
        *,
        failures: int = 5,
        seconds: float = 10.0,
        clock: Callable[[], float] = monotonic,
        tell: Tell = lambda dependency, fault: None,
    ) -> None:
        """`tell`: hears of every call that failed by the dependency's fault."""
        self.dependency = dependency
        self.refusal: GlossatorError | None = None
        """Why the last call was refused; None where it was not."""
        self.tell = tell
        self._signs = SIGNS[dependency]
        self._most = failures
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._in_a_row = 0
        self._is_open = False
        self._next_try = 0.0
        self._trial: WatchedCall | None = None

    @property
    def state(self) -> State:
        with self._lock:
            if not self._is_open:
                return State.CLOSED
            is_tried = self._trial is not None or self._clock() >= self._next_try
            return State.HALF_OPEN if is_tried else State.OPEN

    def watch(self, *, proves: bool = True) -> WatchedCall:
        """Around a call; one that may be answered from memory proves nothing by its success.

        Raises the dependency's own `…Unavailable` where the call would be in vain.
        """
        return WatchedCall(self, proves=proves)

    def begin(self, watch: WatchedCall) -> None:
        if not self._is_open:
            return
        with self._lock:
            left = self._next_try - self._clock()
            if self._is_open and left > 0:
                raise self._signs[0](retry_after=_SOON if self._trial else left)
            if self._is_open and watch.proves:
                # Should the one who tries never come back, another may try after the same time.
                self._trial, self._next_try = watch, self._clock() + self._seconds

    def end(self, watch: WatchedCall, raised: BaseException | None) -> None:
        """What says neither yes nor no, such as a reader who left, changes nothing."""
        if is_fault(raised):
            self.tell(self.dependency, cast("GlossatorError", raised))
        with self._lock:
            if isinstance(raised, REFUSALS):
                self.refusal = raised
            elif watch.proves and raised is None:
                self.refusal = None
            if isinstance(raised, self._signs):
                self._count_failure(watch)
            elif watch.proves and (raised is None or isinstance(raised, GlossatorError)):
                self._count_success(watch)
            elif watch is self._trial:
                self._trial, self._next_try = None, self._clock()

    def _count_failure(self, watch: WatchedCall) -> None:
        self._in_a_row += 1
        if self._is_open:
            is_news = watch is self._trial or self._clock() >= self._next_try
        else:
            is_news = self._in_a_row >= self._most
        if is_news:
            self._is_open, self._trial = True, None
            self._next_try = self._clock() + self._seconds

    def _count_success(self, watch: WatchedCall) -> None:
        """While it is open only the trial counts: the others began before."""
        if watch is self._trial or not self._is_open:
            self._in_a_row, self._is_open, self._trial = 0, False, None


class WatchedCall:
    """One call, as a context manager."""

    __slots__ = ("_breaker", "proves")

    def __init__(self, breaker: Breaker, *, proves: bool) -> None:
        self._breaker = breaker
        self.proves = proves

    def __enter__(self) -> WatchedCall:
        self._breaker.begin(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._breaker.end(self, raised)


def breakers(
    *, failures: int, seconds: float, tell: Tell = lambda dependency, fault: None
) -> Mapping[Dependency, Breaker]:
    return {
        one: Breaker(one, failures=failures, seconds=min(seconds, _SOONER.get(one, seconds)), tell=tell)
        for one in Dependency
    }
