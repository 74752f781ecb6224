"""Accept, answer, keep: a question on its way through the engine.

The order is the promise: a turn is accepted in the records before anything is told of it, and stored whole
before its last event is.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from glossator.answer.pipeline import Assistant
from glossator.answer.validate import validate
from glossator.errors import (
    AlreadyAsked,
    AnswerTimeout,
    ExchangeUnknown,
    RecordsError,
    SessionBusy,
    Stopping,
)
from glossator.model import (
    AcceptedTurn,
    Answer,
    AnswerFinished,
    Contract,
    Exchange,
    KeptExchange,
    Owner,
    Question,
    TurnStatus,
)
from glossator.ports import Embedder, ExchangeStore, TurnStore
from glossator.sessions.limits import ConcurrencyLimiter, SessionQueues
from glossator.sessions.running import RunningTurn, RunningTurns, TurnRequest, told_again
from glossator.work import in_thread


@dataclass(frozen=True, slots=True)
class TurnTimeouts:
    """Seconds."""

    answer: float = 30.0
    linger: float = 3.0
    """How long an answer goes on when nobody listens any more, for them to come back."""
    first_hold: float = 0.15
    """A quick answer is stored before it ever has to say that it is alive."""
    hold: float = 3.0
    poll: float = 0.03
    """How often a turn looks whether the one before it, in another process, has ended."""


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class TurnRunner:
    assistant: Assistant
    turns: TurnStore
    exchanges: ExchangeStore
    limiter: ConcurrencyLimiter = field(default_factory=ConcurrencyLimiter)
    timeouts: TurnTimeouts = field(default_factory=TurnTimeouts)
    clock: Callable[[], datetime] = now
    on_end: Callable[[RunningTurn], None] = lambda running: None
    """Told of every turn that ended, however it did, in the context of whoever asked first."""
    _register: RunningTurns = field(default_factory=RunningTurns)
    _queues: SessionQueues = field(default_factory=SessionQueues)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def ask(self, turn_request: TurnRequest, *, linger: bool = False) -> RunningTurn:
        """Accepted when it returns; with `linger` the answer outlives a dropped line for a moment."""
        await self._validate(turn_request.question)
        running = self._register.asked(turn_request)
        is_first = running is None
        if running is None:
            lasts = linger or turn_request.idempotency is not None
            running = RunningTurn(
                str(uuid.uuid4()), turn_request, linger=self.timeouts.linger if lasts else 0.0
            )
            self._register.add(running)
            task = running.start(self._answer(running))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        await running.accepted()
        return running if is_first and not running.is_replay else told_again(running, turn_request)

    async def _validate(self, question: Question) -> None:
        """In a thread where a whole conversation came along."""
        if not question.history:
            validate(question, longest=self.assistant.longest)
            return
        try:
            async with asyncio.timeout(self.timeouts.answer):
                await in_thread(validate, question, longest=self.assistant.longest)
        except TimeoutError as error:
            raise AnswerTimeout from error

    async def resume(self, exchange_id: str, owner: Owner) -> RunningTurn:
        """The answer of that id, from a running turn or from the records. Raises ExchangeUnknown."""
        running = self._register.find(exchange_id)
        if running is None:
            return await self._resume_kept(exchange_id, owner)
        if running.asking.owner != owner:
            raise ExchangeUnknown
        return running

    async def _resume_kept(self, exchange_id: str, owner: Owner) -> RunningTurn:
        try:
            async with asyncio.timeout(self.timeouts.answer):
                kept = await self._awaited(exchange_id, owner)
        except TimeoutError as error:
            raise AnswerTimeout from error
        if kept is None:
            raise ExchangeUnknown
        again = RunningTurn(exchange_id, TurnRequest(Question(kept.question), owner, Contract.NATIVE))
        again.replay(kept)
        again.finish()
        return again

    async def stop(self, seconds: float) -> None:
        """Nothing new is taken; what runs may finish in that time, and is broken off after it."""
        self.limiter.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)

    async def _answer(self, running: RunningTurn) -> None:
        """Whatever happens, those who listen hear of an end."""
        turn_request = running.asking
        try:
            async with (
                asyncio.timeout(self.timeouts.answer),
                self._queues.turn(turn_request),
                self.limiter.place(),
            ):
                await (self._remembered(running) if turn_request.remember else self._forgotten(running))
            running.finish()
        except TimeoutError:
            running.finish(AnswerTimeout())
        except asyncio.CancelledError:
            running.finish(Stopping(retry_after=1.0))
        except Exception as failure:  # noqa: BLE001  the listeners raise it where it is rendered
            running.finish(failure)
        finally:
            self._register.release(running)
            self.on_end(running)

    async def _forgotten(self, running: RunningTurn) -> None:
        running.accept(None, None)
        question = await self._with_history(running.asking.question, await self._read_history(running.asking))
        answer = await self._told(running, question)
        running.conclude(answer, self.clock())

    async def _read_history(self, turn_request: TurnRequest) -> tuple[Exchange, ...]:
        """A question that is not remembered may lean on those that were; it is answered without them too."""
        if turn_request.session_id is None:
            return turn_request.question.history
        with suppress(RecordsError):
            kept = await self.exchanges.of_session(
                turn_request.session_id,
                turn_request.owner,
                MOST_EXCHANGES,
                created_at=turn_request.session_created_at,
            )
            return tuple(Exchange(one.question, one.answer.text) for one in kept)
        return ()

    async def _remembered(self, running: RunningTurn) -> None:
        accepted = await self._accepted(running)
        if accepted is None:
            return
        running.accept(accepted.session.id, accepted.session.created_at)
        async with self._holding(running):
            question = await self._with_history(running.asking.question, accepted.history)
            answer = await self._told(running, replace(question, summary=accepted.session.topic_summary))
            running.keep()
            kept = await self._stored(running.id, answer)
        running.conclude(answer, kept.answered_at)

    async def _accepted(self, running: RunningTurn) -> AcceptedTurn | None:
        """Waits for its turn in the session; None when it was answered before, under the same key."""
        turn_request = running.asking
        turn = turn_request.turn(running.id, turn_request.session_id or str(uuid.uuid4()), self.clock())
        while True:
            try:
                return await self.turns.accept(turn)
            except AlreadyAsked as earlier:
                kept = await self._awaited(earlier.exchange_id, turn_request.owner)
                if kept is not None:
                    running.replay(kept)
                    return None
            except SessionBusy:
                await asyncio.sleep(self.timeouts.poll)

    async def _awaited(self, exchange_id: str, owner: Owner) -> KeptExchange | None:
        """An exchange that may still be on its way in another process; None when it came to nothing."""
        while True:
            match await self.exchanges.status(exchange_id, owner):
                case TurnStatus.COMPLETE:
                    return await self.exchanges.find(exchange_id, owner)
                case TurnStatus.ACCEPTED | TurnStatus.STREAMING:
                    await asyncio.sleep(self.timeouts.poll)
                case _:
                    return None

    async def _with_history(self, question: Question, history: tuple[Exchange, ...]) -> Question:
        if not history:
            return question
        seen = await in_thread(window, history, self.assistant.embedder)
        return replace(question, history=seen)

    async def _told(self, running: RunningTurn, question: Question) -> Answer:
        async with aclosing(self.assistant.stream(question)) as events:
            async for event in events:
                if isinstance(event, AnswerFinished):
                    return replace(event.answer, id=running.id)
                running.publish(event)
        raise AssertionError("every stream ends with its answer")

    async def _stored(self, turn_id: str, answer: Answer) -> KeptExchange:
        """Nobody breaks this off: who is told of a failure asks again, and it would be there twice."""
        storing = asyncio.ensure_future(self.turns.complete(turn_id, answer, self.clock()))
        try:
            return await asyncio.shield(storing)
        except asyncio.CancelledError:
            return await storing

    @asynccontextmanager
    async def _holding(self, running: RunningTurn) -> AsyncGenerator[None]:
        """Says that the turn is alive while it is, and how it ended when it did not reach its end."""
        done = asyncio.Event()
        holding = asyncio.create_task(self._hold(running.id, done))
        try:
            yield
        except BaseException as reason:
            is_broken_off = isinstance(reason, asyncio.CancelledError)
            status = TurnStatus.INTERRUPTED if is_broken_off else TurnStatus.FAILED
            # What the records cannot be told now, the sweeper finds.
            with suppress(RecordsError):
                await asyncio.shield(self.turns.give_up(running.id, status))
            raise
        finally:
            done.set()
            await asyncio.shield(holding)

    async def _hold(self, turn_id: str, done: asyncio.Event) -> None:
        seconds = self.timeouts.first_hold
        while not await _came(done, seconds):
            with suppress(RecordsError):
                await self.turns.hold(turn_id)
            seconds = self.timeouts.hold


async def _came(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


# What the writer sees of the conversation so far.

MOST_EXCHANGES = 5
"""Ten messages."""
MOST_TOKENS = 8000


def window(history: Sequence[Exchange], embedder: Embedder) -> tuple[Exchange, ...]:
    """The last exchanges that fit, oldest first; never half of one."""
    latest = list(history[-MOST_EXCHANGES:])
    tokens = embedder.count_tokens([f"{one.question}\n{one.answer}" for one in latest])
    while latest and sum(tokens) > MOST_TOKENS:
        latest, tokens = latest[1:], tokens[1:]
    return tuple(latest)
