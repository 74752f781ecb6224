"""A question that is being answered, apart from whoever listens.

The work goes on in a task of its own, so that a dropped line loses nothing, two who sent the same request
hear the same answer, and a reader who comes back hears the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any, cast

from glossator.engine.asking import Asking
from glossator.errors import Stopping
from glossator.model import Answer, Answered, Claimed, Event, KeptExchange, TurnStatus


@dataclass(frozen=True, slots=True)
class Seen:
    """How far a reader had come when the line dropped."""

    events: int = 0
    told: int = 0
    """Those among them that are told again when the answer comes from the records."""

    def and_then(self, event: Event) -> Seen:
        return Seen(self.events + 1, self.told + isinstance(event, Claimed | Answered))


@dataclass(frozen=True, slots=True)
class Heard:
    """An event, and how far whoever heard it has come."""

    event: Event
    seen: Seen


_FROM_THE_START = Seen()


class Running:
    def __init__(self, turn_id: str, asking: Asking, *, linger: float = 0.0) -> None:
        self.turn_id = turn_id
        self.id = turn_id
        """Of the exchange: of an earlier one, where it was answered before."""
        self.asking = asking
        self.session_id: str | None = None
        """Known once it was accepted; None where nothing is remembered."""
        self.session_created_at: datetime | None = None
        self.answered_at: datetime | None = None
        self.first_text_ms: float | None = None
        """From the question to the first words of the answer."""
        self._begun = perf_counter()
        self._linger = linger
        self._events = list[Event]()
        self._failure: Exception | None = None
        self._is_accepted = False
        self.is_replay = False
        self._has_ended = False
        self._can_be_left = True
        self._listeners = 0
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def accepted(self) -> None:
        """Returns when an answer is on its way; raises why there will be none."""
        self._listeners += 1
        try:
            while not self._is_accepted and not self._has_ended:
                await self._news.wait()
        except asyncio.CancelledError:
            self._leave()
            raise
        self._listeners -= 1
        if not self._is_accepted and self._failure:
            raise self._failure

    async def events(self, seen: Seen = _FROM_THE_START) -> AsyncGenerator[Heard]:
        """From where the reader was; ends with the answer, or raises why there is none.

        Who says to have been further than its end hears the answer.
        """
        place = begun = seen.told if self.is_replay else seen.events
        self._listeners += 1
        try:
            while True:
                for event in self._events[place:]:
                    place += 1
                    seen = seen.and_then(event)
                    yield Heard(event, seen)
                if place < len(self._events):
                    continue
                if self._has_ended:
                    if begun > len(self._events) and self.answered:
                        yield Heard(self._events[-1], seen)
                    break
                await self._news.wait()
        finally:
            self._leave()
        if self._failure:
            raise self._failure

    async def answer(self) -> Answer:
        async with aclosing(self.events()) as events:
            async for heard in events:
                if isinstance(heard.event, Answered):
                    return heard.event.answer
        raise AssertionError("every turn ends with its answer or its failure")

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        self._task = asyncio.create_task(work)
        return self._task

    def accept(self, session_id: str | None, session_created_at: datetime | None) -> None:
        """Both are None where nothing is remembered."""
        self.session_id, self.session_created_at = session_id, session_created_at
        self._is_accepted = True
        self._tell()

    def publish(self, event: Event) -> None:
        if self.first_text_ms is None and isinstance(event, Claimed | Answered):
            self.first_text_ms = round((perf_counter() - self._begun) * 1000, 1)
        self._events.append(event)
        self._tell()

    def conclude(self, answer: Answer, at: datetime) -> None:
        self.answered_at = at
        self.publish(Answered(answer))

    def replay(self, kept: KeptExchange) -> None:
        """It was answered before: its sentences and the answer are told again."""
        self.id, self.is_replay = kept.id, True
        self.accept(kept.session_id, kept.session_created_at)
        self._events += map(Claimed, kept.answer.claims)
        self.conclude(kept.answer, kept.answered_at)

    def keep(self) -> None:
        """The answer is there: whoever leaves now, it is stored."""
        self._can_be_left = False

    def finish(self, failure: Exception | None = None) -> None:
        self._failure, self._has_ended = failure, True
        self._tell()

    @property
    def failure(self) -> Exception | None:
        return self._failure

    @property
    def status(self) -> TurnStatus:
        if not self._has_ended:
            return TurnStatus.STREAMING if self._is_accepted else TurnStatus.ACCEPTED
        if isinstance(self._failure, Stopping):
            return TurnStatus.INTERRUPTED
        return TurnStatus.FAILED if self._failure else TurnStatus.COMPLETE

    @property
    def answered(self) -> Answer | None:
        last = self._events[-1] if self._events else None
        return last.answer if isinstance(last, Answered) else None

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _leave(self) -> None:
        self._listeners -= 1
        if not self._listeners and not self._has_ended:
            asyncio.get_running_loop().call_later(self._linger, self._stop_if_alone)

    def _stop_if_alone(self) -> None:
        if self._task and not self._listeners and self._can_be_left and not self._has_ended:
            self._task.cancel()


def told_again(running: Running, asking: Asking) -> Running:
    """For whoever sent a request that was asked before."""
    return cast("Running", _ToldAgain(running, asking))


class _ToldAgain:
    """When a session was created is what its token is made of: only who knew it before is told."""

    def __init__(self, running: Running, asking: Asking) -> None:
        self._running = running
        self._asking = asking

    @property
    def session_created_at(self) -> datetime | None:
        created_at = self._running.session_created_at
        return created_at if created_at == self._asking.session_created_at else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._running, name)
