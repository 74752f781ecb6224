"""A request to answer, as every contract hands it to the engine."""

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
    """Made when there is none."""
    opening: Opening = Opening.IF_UNKNOWN
    session_created_at: datetime | None = None
    """Only the session that was created then may be entered, not a later one of its id; None for any."""
    remember: bool = True
    """If not, nothing about the question is written anywhere."""
    idempotency: Idempotency | None = None
    mode: str = "general"
    """In the contract's own words, such as `selected_text`."""
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


# A question that is being answered, apart from whoever listens.
#
# The work goes on in a task of its own, so that a dropped line loses nothing, two who sent the same request
# hear the same answer, and a reader who comes back hears the rest.


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a reader had come when the line dropped."""

    events: int = 0
    told: int = 0
    """Those among them that are told again when the answer comes from the records."""

    def and_then(self, event: Event) -> Cursor:
        return Cursor(self.events + 1, self.told + isinstance(event, ClaimChecked | AnswerFinished))


@dataclass(frozen=True, slots=True)
class Delivered:
    """An event, and how far whoever heard it has come."""

    event: Event
    seen: Cursor


_FROM_THE_START = Cursor()


class RunningTurn:
    def __init__(self, turn_id: str, turn_request: TurnRequest, *, linger: float = 0.0) -> None:
        self.turn_id = turn_id
        self.id = turn_id
        """Of the exchange: of an earlier one, where it was answered before."""
        self.asking = turn_request
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

    async def events(self, seen: Cursor = _FROM_THE_START) -> AsyncGenerator[Delivered]:
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
                    yield Delivered(event, seen)
                if place < len(self._events):
                    continue
                if self._has_ended:
                    if begun > len(self._events) and self.answered:
                        yield Delivered(self._events[-1], seen)
                    break
                await self._news.wait()
        finally:
            self._leave()
        if self._failure:
            raise self._failure

    async def answer(self) -> Answer:
        async with aclosing(self.events()) as events:
            async for heard in events:
                if isinstance(heard.event, AnswerFinished):
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
        if self.first_text_ms is None and isinstance(event, ClaimChecked | AnswerFinished):
            self.first_text_ms = round((perf_counter() - self._begun) * 1000, 1)
        self._events.append(event)
        self._tell()

    def conclude(self, answer: Answer, at: datetime) -> None:
        self.answered_at = at
        self.publish(AnswerFinished(answer))

    def replay(self, kept: KeptExchange) -> None:
        """It was answered before: its sentences and the answer are told again."""
        self.id, self.is_replay = kept.id, True
        self.accept(kept.session_id, kept.session_created_at)
        self._events += map(ClaimChecked, kept.answer.claims)
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
        return last.answer if isinstance(last, AnswerFinished) else None

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


def told_again(running: RunningTurn, turn_request: TurnRequest) -> RunningTurn:
    """For whoever sent a request that was asked before."""
    return cast("RunningTurn", _Replay(running, turn_request))


class _Replay:
    """When a session was created is what its token is made of: only who knew it before is told."""

    def __init__(self, running: RunningTurn, turn_request: TurnRequest) -> None:
        self._running = running
        self._asking = turn_request

    @property
    def session_created_at(self) -> datetime | None:
        created_at = self._running.session_created_at
        return created_at if created_at == self._asking.session_created_at else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._running, name)


# The turns of this process that somebody may ask for again.

_MOST_FORGETFUL = 64
"""Finished turns that are kept here because the records may not have them."""

Name = tuple[str, Owner, str]


class RunningTurns:
    def __init__(self) -> None:
        self._by_id = dict[str, RunningTurn]()
        self._by_name = dict[Name, list[RunningTurn]]()
        self._forgetful = OrderedDict[str, RunningTurn]()

    def add(self, running: RunningTurn) -> None:
        self._by_id[running.turn_id] = running
        if name := _name(running.asking):
            self._by_name.setdefault(name, []).append(running)

    def find(self, turn_id: str) -> RunningTurn | None:
        return self._by_id.get(turn_id)

    def asked(self, turn_request: TurnRequest) -> RunningTurn | None:
        """The same request, if it came before; which of two others has the name, the records decide.

        Where one of them is not to be remembered, they cannot: it is whichever came first.
        """
        name = _name(turn_request)
        for running in self._by_name.get(name, ()) if name else ():
            if running.asking.idempotency == turn_request.idempotency:
                return running
            if not (running.asking.remember and turn_request.remember):
                raise IdempotencyMismatch
        return None

    def release(self, running: RunningTurn) -> None:
        """It ended: what was stored is found in the records from now on."""
        if running.asking.remember or running.failure:
            self._drop(running)
            return
        self._forgetful[running.turn_id] = running
        while len(self._forgetful) > _MOST_FORGETFUL:
            self._drop(self._forgetful.popitem(last=False)[1])

    def _drop(self, running: RunningTurn) -> None:
        self._by_id.pop(running.turn_id, None)
        name = _name(running.asking)
        if name and name in self._by_name:
            self._by_name[name].remove(running)
            if not self._by_name[name]:
                del self._by_name[name]


def _name(turn_request: TurnRequest) -> Name | None:
    named = turn_request.idempotency
    return (turn_request.contract, turn_request.owner, named.key) if named else None
