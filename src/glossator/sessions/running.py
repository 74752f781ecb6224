"""A turn: the request, its run in a task of its own, and the register of the turns in this process.

The run is separate from its listeners, so that a dropped connection loses nothing, two senders of the same
request get the same answer, and a reader who reconnects gets the rest.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any, cast

from glossator.errors import IdempotencyMismatch, Stopping
from glossator.model import (
    Answer,
    AnswerFinished,
    ClaimChecked,
    Contract,
    Event,
    Idempotency,
    KeptExchange,
    Opening,
    Owner,
    Question,
    Session,
    Turn,
    TurnStatus,
)


@dataclass(frozen=True, slots=True)
class TurnRequest:
    question: Question
    owner: Owner
    contract: Contract
    session_id: str | None = None
    """None opens a new session."""
    opening: Opening = Opening.IF_UNKNOWN
    session_created_at: datetime | None = None
    """Only the session created at this time may be continued, not a later one with its id; None for any."""
    remember: bool = True
    """False: nothing about the question is written anywhere."""
    idempotency: Idempotency | None = None
    mode: str = "general"
    """As the contract names it, such as `selected_text`."""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])

    def turn(self, turn_id: str, session_id: str, at: datetime) -> Turn:
        session = Session(
            id=session_id,
            owner=self.owner,
            contract=self.contract,
            created_at=at,
            updated_at=at,
            metadata=self.metadata,
            context_mode=self.mode,
            filters=self.question.filters,
        )
        return Turn(
            id=turn_id,
            session=session,
            question=self.question.text.strip(),
            asked_at=at,
            selection=self.question.selection,
            mode=self.mode,
            idempotency=self.idempotency,
            opening=self.opening if self.session_id else Opening.ALWAYS,
            session_created_at=self.session_created_at,
        )


@dataclass(frozen=True, slots=True)
class Cursor:
    """How many events a reader has received, to resume after a dropped connection."""

    events: int = 0
    replayed: int = 0
    """The events that a replay from the records sends too: claims and the answer."""

    def after(self, event: Event) -> Cursor:
        return Cursor(self.events + 1, self.replayed + isinstance(event, ClaimChecked | AnswerFinished))


@dataclass(frozen=True, slots=True)
class Delivered:
    """An event, and the cursor of a reader who has received it."""

    event: Event
    cursor: Cursor


_START = Cursor()


class RunningTurn:
    def __init__(self, turn_id: str, request: TurnRequest, *, linger: float = 0.0) -> None:
        self.turn_id = turn_id
        self.id = turn_id
        """Of the exchange; of the earlier one where the question was answered before."""
        self.request = request
        self.session_id: str | None = None
        """Set when the turn is accepted; None where nothing is remembered."""
        self.session_created_at: datetime | None = None
        self.answered_at: datetime | None = None
        self.first_text_ms: float | None = None
        """From the question to the first text of the answer."""
        self._started = perf_counter()
        self._linger = linger
        self._events = list[Event]()
        self._failure: Exception | None = None
        self._is_accepted = False
        self.is_replay = False
        self._has_ended = False
        self._is_cancellable = True
        self._listeners = 0
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def accepted(self) -> None:
        """Returns when the turn is accepted; raises the failure if it is not."""
        self._listeners += 1
        try:
            while not self._is_accepted and not self._has_ended:
                await self._changed.wait()
        except asyncio.CancelledError:
            self._leave()
            raise
        self._listeners -= 1
        if not self._is_accepted and self._failure:
            raise self._failure

    async def events(self, cursor: Cursor = _START) -> AsyncGenerator[Delivered]:
        """The events after the cursor; ends with the answer, or raises the failure.

        A cursor beyond the end gets the answer again.
        """
        position = first = cursor.replayed if self.is_replay else cursor.events
        self._listeners += 1
        try:
            while True:
                for event in self._events[position:]:
                    position += 1
                    cursor = cursor.after(event)
                    yield Delivered(event, cursor)
                if position < len(self._events):
                    continue
                if self._has_ended:
                    if first > len(self._events) and self.answered:
                        yield Delivered(self._events[-1], cursor)
                    break
                await self._changed.wait()
        finally:
            self._leave()
        if self._failure:
            raise self._failure

    async def answer(self) -> Answer:
        async with aclosing(self.events()) as events:
            async for delivered in events:
                if isinstance(delivered.event, AnswerFinished):
                    return delivered.event.answer
        raise AssertionError("every turn ends with its answer or its failure")

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        self._task = asyncio.create_task(work)
        return self._task

    def accept(self, session_id: str | None, session_created_at: datetime | None) -> None:
        """Both are None where nothing is remembered."""
        self.session_id, self.session_created_at = session_id, session_created_at
        self._is_accepted = True
        self._notify()

    def publish(self, event: Event) -> None:
        if self.first_text_ms is None and isinstance(event, ClaimChecked | AnswerFinished):
            self.first_text_ms = round((perf_counter() - self._started) * 1000, 1)
        self._events.append(event)
        self._notify()

    def conclude(self, answer: Answer, at: datetime) -> None:
        self.answered_at = at
        self.publish(AnswerFinished(answer))

    def replay(self, exchange: KeptExchange) -> None:
        """Publishes the claims and the answer of an exchange that was answered before."""
        self.id, self.is_replay = exchange.id, True
        self.accept(exchange.session_id, exchange.session_created_at)
        self._events += map(ClaimChecked, exchange.answer.claims)
        self.conclude(exchange.answer, exchange.answered_at)

    def protect(self) -> None:
        """Makes sure that the answer is stored from here on, even when the last listener leaves."""
        self._is_cancellable = False

    def finish(self, failure: Exception | None = None) -> None:
        self._failure, self._has_ended = failure, True
        self._notify()

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
        return last.answer if isinstance(last, AnswerFinished) else None

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _leave(self) -> None:
        self._listeners -= 1
        if not self._listeners and not self._has_ended:
            asyncio.get_running_loop().call_later(self._linger, self._cancel_if_unheard)

    def _cancel_if_unheard(self) -> None:
        if self._task and not self._listeners and self._is_cancellable and not self._has_ended:
            self._task.cancel()


def as_replay(running: RunningTurn, request: TurnRequest) -> RunningTurn:
    """The running turn for a second sender of the same request."""
    return cast("RunningTurn", _Replay(running, request))


class _Replay:
    """Hides `session_created_at` from a sender who did not know it: the session's token is made from it."""

    def __init__(self, running: RunningTurn, request: TurnRequest) -> None:
        self._running = running
        self._request = request

    @property
    def session_created_at(self) -> datetime | None:
        created_at = self._running.session_created_at
        return created_at if created_at == self._request.session_created_at else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._running, name)


_MAX_UNSTORED = 64
"""Finished turns that stay in memory because they are not to be stored in the records."""

_RequestKey = tuple[str, Owner, str]
"""Contract, owner, idempotency key."""


class RunningTurns:
    """The turns of this process that may be resumed or sent again."""

    def __init__(self) -> None:
        self._by_id = dict[str, RunningTurn]()
        self._by_key = dict[_RequestKey, list[RunningTurn]]()
        self._unstored = OrderedDict[str, RunningTurn]()

    def add(self, running: RunningTurn) -> None:
        self._by_id[running.turn_id] = running
        if key := _request_key(running.request):
            self._by_key.setdefault(key, []).append(running)

    def find(self, turn_id: str) -> RunningTurn | None:
        return self._by_id.get(turn_id)

    def find_same(self, request: TurnRequest) -> RunningTurn | None:
        """The running turn of the same request. Raises IdempotencyMismatch.

        The records decide which of two different requests owns an idempotency key. Where one of them is not
        stored, they cannot know, so the first one owns it.
        """
        key = _request_key(request)
        for running in self._by_key.get(key, ()) if key else ():
            if running.request.idempotency == request.idempotency:
                return running
            if not (running.request.remember and request.remember):
                raise IdempotencyMismatch
        return None

    def release(self, running: RunningTurn) -> None:
        """Drops a turn that ended; a stored one is found in the records from now on."""
        if running.request.remember or running.failure:
            self._drop(running)
            return
        self._unstored[running.turn_id] = running
        while len(self._unstored) > _MAX_UNSTORED:
            self._drop(self._unstored.popitem(last=False)[1])

    def _drop(self, running: RunningTurn) -> None:
        self._by_id.pop(running.turn_id, None)
        key = _request_key(running.request)
        if key and key in self._by_key:
            self._by_key[key].remove(running)
            if not self._by_key[key]:
                del self._by_key[key]


def _request_key(request: TurnRequest) -> _RequestKey | None:
    idempotency = request.idempotency
    return (request.contract, request.owner, idempotency.key) if idempotency else None
