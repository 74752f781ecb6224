"""Accepts, answers and stores a turn.

The order is guaranteed: a turn is accepted in the records before its first event is sent, and stored in full
before its last one.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from glossator.answer.pipeline import AnswerPipeline
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
    HISTORY_EXCHANGES,
    HISTORY_TOKENS,
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
from glossator.sessions.running import RunningTurn, RunningTurns, TurnRequest, as_replay
from glossator.work import in_thread


@dataclass(frozen=True, slots=True)
class TurnTimeouts:
    """Seconds."""

    answer: float = 30.0
    linger: float = 3.0
    """How long an answer goes on without a listener, so that a reader can reconnect."""
    first_hold: float = 0.15
    """Time to the first renewal of the lease: a quick answer is stored before it needs one."""
    hold: float = 3.0
    """Time between two renewals of the lease."""
    poll: float = 0.03
    """Time between two checks whether the turn before this one, in another process, has ended."""


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class TurnRunner:
    assistant: AnswerPipeline
    turns: TurnStore
    exchanges: ExchangeStore
    limiter: ConcurrencyLimiter = field(default_factory=ConcurrencyLimiter)
    timeouts: TurnTimeouts = field(default_factory=TurnTimeouts)
    clock: Callable[[], datetime] = now
    on_end: Callable[[RunningTurn], None] = lambda running: None
    """Called with every turn that ended, however it ended, in the context of the first request."""
    _register: RunningTurns = field(default_factory=RunningTurns)
    _queues: SessionQueues = field(default_factory=SessionQueues)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def ask(self, request: TurnRequest, *, linger: bool = False) -> RunningTurn:
        """Returns when the turn is accepted; with `linger` it survives a dropped connection for a moment."""
        await self._validate(request.question)
        running = self._register.find_same(request)
        is_first = running is None
        if running is None:
            lingers = linger or request.idempotency is not None
            running = RunningTurn(str(uuid.uuid4()), request, linger=self.timeouts.linger if lingers else 0.0)
            self._register.add(running)
            task = running.start(self._answer(running))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        await running.accepted()
        return running if is_first and not running.is_replay else as_replay(running, request)

    async def _validate(self, question: Question) -> None:
        """Runs in a thread if the question brings a whole conversation, since that takes longer."""
        if not question.history:
            validate(question, longest=self.assistant.longest)
            return
        try:
            async with asyncio.timeout(self.timeouts.answer):
                await in_thread(validate, question, longest=self.assistant.longest)
        except TimeoutError as error:
            raise AnswerTimeout from error

    async def resume(self, exchange_id: str, owner: Owner) -> RunningTurn:
        """The turn of that exchange, still running or read from the records. Raises ExchangeUnknown."""
        running = self._register.find(exchange_id)
        if running is None:
            return await self._resume_stored(exchange_id, owner)
        if running.request.owner != owner:
            raise ExchangeUnknown
        return running

    async def _resume_stored(self, exchange_id: str, owner: Owner) -> RunningTurn:
        try:
            async with asyncio.timeout(self.timeouts.answer):
                exchange = await self._wait_for_exchange(exchange_id, owner)
        except TimeoutError as error:
            raise AnswerTimeout from error
        if exchange is None:
            raise ExchangeUnknown
        replay = RunningTurn(exchange_id, TurnRequest(Question(exchange.question), owner, Contract.NATIVE))
        replay.replay(exchange)
        replay.finish()
        return replay

    async def stop(self, seconds: float) -> None:
        """Refuses new turns; running ones may finish within `seconds` and are cancelled after that."""
        self.limiter.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)

    async def _answer(self, running: RunningTurn) -> None:
        """Finishes the turn whatever happens, so that no listener waits for ever."""
        request = running.request
        try:
            async with (
                asyncio.timeout(self.timeouts.answer),
                self._queues.turn(request),
                self.limiter.place(),
            ):
                await (self._answer_and_store if request.remember else self._answer_only)(running)
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

    async def _answer_only(self, running: RunningTurn) -> None:
        running.accept(None, None)
        question = await self._with_history(
            running.request.question, await self._read_history(running.request)
        )
        answer = await self._stream(running, question)
        running.conclude(answer, self.clock())

    async def _read_history(self, request: TurnRequest) -> tuple[Exchange, ...]:
        """A question that is not stored may refer to stored ones; if the records fail, it has no history."""
        if request.session_id is None:
            return request.question.history
        with suppress(RecordsError):
            exchanges = await self.exchanges.of_session(
                request.session_id,
                request.owner,
                HISTORY_EXCHANGES,
                created_at=request.session_created_at,
            )
            return tuple(Exchange(exchange.question, exchange.answer.text) for exchange in exchanges)
        return ()

    async def _answer_and_store(self, running: RunningTurn) -> None:
        accepted = await self._accept(running)
        if accepted is None:
            return
        running.accept(accepted.session.id, accepted.session.created_at)
        async with self._lease_held(running):
            question = await self._with_history(running.request.question, accepted.history)
            answer = await self._stream(running, replace(question, summary=accepted.session.topic_summary))
            running.protect()
            exchange = await self._store(running.id, answer)
        running.conclude(answer, exchange.answered_at)

    async def _accept(self, running: RunningTurn) -> AcceptedTurn | None:
        """Waits for the earlier turns of the session; None if the idempotency key was answered before."""
        request = running.request
        turn = request.turn(running.id, request.session_id or str(uuid.uuid4()), self.clock())
        while True:
            try:
                return await self.turns.accept(turn)
            except AlreadyAsked as earlier:
                exchange = await self._wait_for_exchange(earlier.exchange_id, request.owner)
                if exchange is not None:
                    running.replay(exchange)
                    return None
            except SessionBusy:
                await asyncio.sleep(self.timeouts.poll)

    async def _wait_for_exchange(self, exchange_id: str, owner: Owner) -> KeptExchange | None:
        """An exchange that another process may still be answering; None when that failed."""
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
        latest = await in_thread(recent_exchanges, history, self.assistant.embedder)
        return replace(question, history=latest)

    async def _stream(self, running: RunningTurn, question: Question) -> Answer:
        stream = self.assistant.stream(question, may_cache=running.request.remember)
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, AnswerFinished):
                    return replace(event.answer, id=running.id)
                running.publish(event)
        raise AssertionError("every stream ends with its answer")

    async def _store(self, turn_id: str, answer: Answer) -> KeptExchange:
        """Never cancelled: a reader who sees a failure asks again, and the exchange would be stored twice."""
        task = asyncio.ensure_future(self.turns.complete(turn_id, answer, self.clock()))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            return await task

    @asynccontextmanager
    async def _lease_held(self, running: RunningTurn) -> AsyncGenerator[None]:
        """Renews the lease of the turn while it runs, and records how it ended when it failed."""
        done = asyncio.Event()
        renewal = asyncio.create_task(self._renew_lease(running.id, done))
        try:
            yield
        except BaseException as reason:
            is_cancelled = isinstance(reason, asyncio.CancelledError)
            status = TurnStatus.INTERRUPTED if is_cancelled else TurnStatus.FAILED
            # If the records fail here, the sweeper ends the turn later.
            with suppress(RecordsError):
                await asyncio.shield(self.turns.give_up(running.id, status))
            raise
        finally:
            done.set()
            await asyncio.shield(renewal)

    async def _renew_lease(self, turn_id: str, done: asyncio.Event) -> None:
        seconds = self.timeouts.first_hold
        while not await _wait(done, seconds):
            with suppress(RecordsError):
                await self.turns.hold(turn_id)
            seconds = self.timeouts.hold


async def _wait(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


def recent_exchanges(history: Sequence[Exchange], embedder: Embedder) -> tuple[Exchange, ...]:
    """The part of the conversation that the writer sees: the last exchanges that fit, oldest first."""
    latest = list(history[-HISTORY_EXCHANGES:])
    tokens = embedder.count_tokens([f"{exchange.question}\n{exchange.answer}" for exchange in latest])
    while latest and sum(tokens) > HISTORY_TOKENS:
        latest, tokens = latest[1:], tokens[1:]
    return tuple(latest)
