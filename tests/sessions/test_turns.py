"""A question on its way through the engine: whole in the records, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from glossator.errors import (
    AnswerTimeout,
    ExchangeUnknown,
    IdempotencyMismatch,
    Overloaded,
    QuestionEmpty,
    RecordsUnavailable,
    SessionBusy,
    SessionUnknown,
    Stopping,
    WriterUnavailable,
)
from glossator.model import AnswerFinished, ClaimChecked, Event, Idempotency, Opening, Owner, TurnStatus
from glossator.ports import Embedder, Reader
from glossator.sessions.limits import ConcurrencyLimiter
from glossator.sessions.running import Cursor, RunningTurn
from glossator.sessions.turns import TurnTimeouts
from support.engine_parts import OWNER, DownRecords, Parts, asking, parts_of, until

Story = Callable[[Parts], Awaitable[None]]


@pytest.fixture
def tell(home: Path, embedder: Embedder, reader: Reader, tmp_path: Path) -> Callable[..., None]:
    def run(story: Story, **more: object) -> None:
        async def told() -> None:
            records = tmp_path / "records.sqlite"
            async with parts_of(home, embedder, reader, records, **more) as parts:  # type: ignore[arg-type]
                await story(parts)

        asyncio.run(told())

    return run


def test_a_turn_is_accepted_then_streams_then_is_complete(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        running = await parts.turn_runner.ask(asking())
        assert await parts.exchanges.status(running.id, OWNER) in (TurnStatus.ACCEPTED, TurnStatus.STREAMING)
        await until(lambda: _is(parts, running.id, TurnStatus.STREAMING))
        assert not await parts.exchanges.of_session(running.session_id or "", OWNER)
        parts.writer.go_on.set()
        answer = await running.answer()
        assert await parts.exchanges.status(running.id, OWNER) is TurnStatus.COMPLETE
        [kept] = await parts.exchanges.of_session(running.session_id or "", OWNER)
        assert (kept.id, kept.question, kept.answer.text) == (running.id, "What is a topic?", answer.text)
        assert answer.id == running.id

    tell(story)


def test_it_is_stored_before_the_last_event_is_told(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        parts.writer.go_on.set()
        running = await parts.turn_runner.ask(asking())
        async for heard in running.events():
            if isinstance(heard.event, AnswerFinished):
                assert await parts.exchanges.status(running.id, OWNER) is TurnStatus.COMPLETE
                return
        raise AssertionError("no answer was told")

    tell(story)


def test_a_reader_who_hangs_up_stops_the_writer_and_leaves_no_half_exchange(
    tell: Callable[..., None],
) -> None:
    async def story(parts: Parts) -> None:
        running = await parts.turn_runner.ask(asking())
        async with aclosing(running.events()) as events:
            async for heard in events:
                if isinstance(heard.event, ClaimChecked):
                    break
        await until(lambda: parts.writer.was_hung_up)
        await until(lambda: _is(parts, running.id, TurnStatus.INTERRUPTED))
        assert not await parts.exchanges.of_session(running.session_id or "", OWNER)
        parts.writer.go_on.set()
        again = await parts.turn_runner.ask(asking(session_id=running.session_id))
        assert (await again.answer()).claims

    tell(story)


def test_a_reader_who_comes_back_in_time_hears_the_rest(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        running = await parts.turn_runner.ask(asking(), linger=True)
        seen = Cursor()
        async with aclosing(running.events()) as events:
            async for heard in events:
                seen = heard.cursor
                if isinstance(heard.event, ClaimChecked):
                    break
        back = await parts.turn_runner.resume(running.id, OWNER)
        parts.writer.go_on.set()
        rest = [heard async for heard in back.events(seen)]
        assert [type(heard.event) for heard in rest] == [ClaimChecked, AnswerFinished]
        assert rest[-1].cursor == Cursor(seen.events + 2, seen.replayed + 2)

    tell(story, timeouts=TurnTimeouts(linger=30.0))


def test_what_was_stored_is_told_again_from_where_the_reader_was(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        parts.writer.go_on.set()
        running = await parts.turn_runner.ask(asking())
        answer = await running.answer()
        again = await parts.turn_runner.resume(running.id, OWNER)
        assert again is not running
        rest = [heard async for heard in again.events(Cursor(events=5, replayed=1))]
        assert [type(heard.event) for heard in rest] == [ClaimChecked, AnswerFinished]
        assert rest[-1].cursor == Cursor(7, 3)
        whole = [heard.event async for heard in again.events(Cursor(events=2, replayed=0))]
        assert [event.claim for event in whole[:-1] if isinstance(event, ClaimChecked)] == list(answer.claims)

    tell(story)


def test_nobody_else_is_told_a_turn(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        running = await parts.turn_runner.ask(asking())
        with pytest.raises(ExchangeUnknown):
            await asyncio.wait_for(parts.turn_runner.resume(running.id, Owner("another key")), 2)
        parts.writer.go_on.set()
        await running.answer()
        with pytest.raises(ExchangeUnknown):
            await parts.turn_runner.resume(running.id, Owner("another key"))

    tell(story)


def test_the_questions_of_a_session_come_one_after_the_other(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        first = await parts.turn_runner.ask(asking(session_id="s"))
        later = ["What is a node?", "How do I stop a node?", "How long does the battery last?"]
        others = [asyncio.create_task(_answered(parts, question)) for question in later]
        await until(lambda: len(parts.writer.briefs) == 1)
        parts.writer.go_on.set()
        await first.answer()
        await asyncio.gather(*others)
        kept = await parts.exchanges.of_session("s", OWNER)
        assert [exchange.question for exchange in kept] == ["What is a topic?", *later]
        assert all(earlier.answered_at <= later.answered_at for earlier, later in pairwise(kept))
        # A writer is asked again where it would tell the last answer once more.
        seen = [len(brief.history) for brief in parts.writer.briefs]
        assert [length for length, _ in groupby(seen)] == [0, 1, 2, 3]

    tell(story)


def test_one_session_cannot_take_all_the_places(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        first = await parts.turn_runner.ask(asking(session_id="s"))
        others = [asyncio.create_task(_answered(parts, "What is a node?")) for _ in range(12)]
        parts.writer.go_on.set()
        told = await asyncio.gather(*others, return_exceptions=True)
        await first.answer()
        assert {type(reply) for reply in told if isinstance(reply, Exception)} == {SessionBusy}
        kept = await parts.exchanges.of_session("s", OWNER)
        assert len(kept) == 1 + sum(not isinstance(reply, Exception) for reply in told)

    tell(story)


def test_the_same_key_asks_once_and_all_hear_the_same(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        named = Idempotency("k", "fingerprint")
        together = await asyncio.gather(*(parts.turn_runner.ask(asking(idempotency=named)) for _ in range(8)))
        parts.writer.go_on.set()
        answers = {(await running.answer()).id for running in together}
        later = await parts.turn_runner.ask(asking(idempotency=named))
        assert answers == {(await later.answer()).id} == {later.id}
        assert len(parts.writer.briefs) == 1
        with pytest.raises(IdempotencyMismatch):
            await parts.turn_runner.ask(asking("What is a node?", idempotency=Idempotency("k", "another")))

    tell(story)


def test_a_key_whose_question_failed_may_be_used_again(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        named = Idempotency("k", "fingerprint")
        parts.writer.fails = True
        running = await parts.turn_runner.ask(asking(idempotency=named))
        with pytest.raises(WriterUnavailable):
            await running.answer()
        assert await parts.exchanges.status(running.id, OWNER) is TurnStatus.FAILED
        parts.writer.fails = False
        parts.writer.go_on.set()
        assert (await (await parts.turn_runner.ask(asking(idempotency=named))).answer()).claims

    tell(story)


def test_beyond_the_queue_a_question_is_turned_away_at_once(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        first = await parts.turn_runner.ask(asking())
        waiting = asyncio.create_task(parts.turn_runner.ask(asking()))
        await until(lambda: parts.turn_runner.limiter.waiting == 1)
        with pytest.raises(Overloaded) as refused:
            await asyncio.wait_for(parts.turn_runner.ask(asking()), 0.2)
        assert refused.value.retry_after is not None
        assert refused.value.retry_after >= 1
        parts.writer.go_on.set()
        await first.answer()
        await (await waiting).answer()
        assert (parts.turn_runner.limiter.waiting, parts.turn_runner.limiter.refused) == (0, 1)

    tell(story, limiter=ConcurrencyLimiter(running=1, waiting=1))


def test_an_answer_that_takes_too_long_fails_and_frees_its_session(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        running = await parts.turn_runner.ask(asking(session_id="s"))
        with pytest.raises(AnswerTimeout):
            await running.answer()
        assert await parts.exchanges.status(running.id, OWNER) in (TurnStatus.FAILED, TurnStatus.INTERRUPTED)
        parts.writer.go_on.set()
        assert (await (await parts.turn_runner.ask(asking(session_id="s"))).answer()).claims

    tell(story, timeouts=TurnTimeouts(answer=1.0))


def test_who_resumes_past_the_end_hears_the_answer(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        far = Cursor(999, 999)
        running = await parts.turn_runner.ask(asking())
        early = asyncio.create_task(_heard(running, far))
        parts.writer.go_on.set()
        answer = await running.answer()
        kept = await parts.turn_runner.resume(running.id, OWNER)
        for heard in (await early, await _heard(running, far), await _heard(kept, far)):
            [last] = heard
            assert isinstance(last, AnswerFinished)
            assert last.answer.text == answer.text

    tell(story)


async def _heard(running: RunningTurn, seen: Cursor) -> list[Event]:
    async with aclosing(running.events(seen)) as events:
        return [event.event async for event in events]


def test_a_server_that_stops_tells_those_who_listen(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        running = await parts.turn_runner.ask(asking())
        listening = asyncio.create_task(running.answer())
        await parts.turn_runner.stop(0.05)
        with pytest.raises(Stopping):
            await listening
        assert await parts.exchanges.status(running.id, OWNER) is TurnStatus.INTERRUPTED
        with pytest.raises(Stopping):
            await parts.turn_runner.ask(asking())

    tell(story)


def test_what_is_almost_finished_may_finish_when_the_server_stops(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        running = await parts.turn_runner.ask(asking())
        stopping = asyncio.create_task(parts.turn_runner.stop(10))
        parts.writer.go_on.set()
        assert (await running.answer()).claims
        await stopping

    tell(story)


def test_without_the_records_only_what_need_not_be_remembered_is_answered(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        parts.writer.go_on.set()
        parts.turn_runner.turns = parts.turn_runner.exchanges = DownRecords()  # type: ignore[assignment]
        with pytest.raises(RecordsUnavailable):
            await parts.turn_runner.ask(asking())
        forgotten = await parts.turn_runner.ask(asking(remember=False, session_id="s"))
        assert (await forgotten.answer()).claims
        assert forgotten.session_id is None

    tell(story)


def test_nothing_is_accepted_that_cannot_be_asked(tell: Callable[..., None]) -> None:
    async def story(parts: Parts) -> None:
        with pytest.raises(QuestionEmpty):
            await parts.turn_runner.ask(asking("  "))
        with pytest.raises(SessionUnknown):
            await parts.turn_runner.ask(asking(session_id="unknown", opening=Opening.NEVER))
        assert not parts.writer.briefs

    tell(story)


async def _answered(parts: Parts, text: str) -> None:
    await (await parts.turn_runner.ask(asking(text, session_id="s"))).answer()


async def _is(parts: Parts, exchange_id: str, status: TurnStatus) -> bool:
    return await parts.exchanges.status(exchange_id, OWNER) is status
