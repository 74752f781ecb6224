"""Health is looked up, never guessed, costs nothing in a storm and tells no secrets."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from time import monotonic

import pytest

from glossator.errors import (
    IndexFault,
    IndexUnavailable,
    RecordsUnavailable,
    WriterRefused,
    WriterUnavailable,
)
from glossator.model import Manifest
from glossator.resilience.circuit_breaker import Breaker, Dependency
from glossator.resilience.health import Address, Check, Health, Probe, check_index, check_service
from glossator.resilience.watched import WatchedIndex
from glossator.testing import MemoryIndex, MemoryIndexStore
from support.index_books import publish, three_chapters

LONG = 60.0


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.fixture
def listening(listener: socket.socket) -> Address:
    return listener.getsockname()


@pytest.fixture
def deserted() -> Iterator[Address]:
    """Ours, and nobody listens there."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        yield made.getsockname()


class Ping:
    """A check that counts, and fails when it is told to."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.asked = 0

    async def __call__(self) -> None:
        self.asked += 1
        await asyncio.sleep(0)
        if self.failure:
            raise self.failure


def health(check: Check, **options: object) -> Health:
    return Health({Dependency.RECORDS: check}, **options)  # type: ignore[arg-type]


def seen(made: Health) -> Probe:
    return asyncio.run(retrieval(made))


async def retrieval(made: Health) -> Probe:
    return (await made.probe())[Dependency.RECORDS]


def test_what_answers_is_up_with_its_latency() -> None:
    """No less than the check itself takes, and no more than its caller waits."""
    ping_ms = 0.0

    async def check() -> None:
        nonlocal ping_ms
        begun = monotonic()
        await Ping()()
        ping_ms = (monotonic() - begun) * 1000

    begun = monotonic()
    probe = seen(health(check))
    waited_ms = (monotonic() - begun) * 1000
    assert probe.is_up
    assert probe.message is None
    assert round(ping_ms, 3) <= probe.latency_ms <= round(waited_ms, 3)


def test_what_fails_is_down_in_our_own_words() -> None:
    canary = "postgresql://glossator:CANARY@10.0.0.1/db"
    probe = seen(health(Ping(RecordsUnavailable(f"cannot reach {canary}"))))
    assert not probe.is_up
    assert probe.message == "The database does not answer."
    assert "CANARY" not in repr(probe)


def test_a_storm_is_answered_by_one_look() -> None:
    ping = Ping()
    made = health(ping, fresh=LONG)

    async def storm() -> list[Probe]:
        probes = await asyncio.gather(*(retrieval(made) for _ in range(500)))
        return [*probes, await retrieval(made)]

    assert len(set(asyncio.run(storm()))) == 1
    assert ping.asked == 1


def test_after_a_moment_it_looks_again() -> None:
    ping = Ping(RecordsUnavailable())
    made = health(ping, fresh=0.0)
    assert not seen(made).is_up
    ping.failure = None
    assert seen(made).is_up


def test_what_hangs_is_down_in_time_and_is_not_asked_twice() -> None:
    asked = 0
    released = asyncio.Event()

    async def hang() -> None:
        nonlocal asked
        asked += 1
        await released.wait()

    async def run() -> None:
        made = health(hang, seconds=0.05, fresh=0.0)
        probes = [await retrieval(made) for _ in range(20)]
        assert {(probe.is_up, probe.message) for probe in probes} == {(False, "It did not answer in time.")}
        assert asked == 1
        released.set()
        assert (await retrieval(made)).is_up

    asyncio.run(run())


def test_a_caller_who_leaves_does_not_take_the_look_from_the_others() -> None:
    released = asyncio.Event()
    ping = Ping()

    async def check() -> None:
        await released.wait()
        await ping()

    async def run() -> None:
        made = health(check)
        leaving, staying = asyncio.create_task(retrieval(made)), asyncio.create_task(retrieval(made))
        await asyncio.sleep(0)
        leaving.cancel()
        released.set()
        assert (await staying).is_up
        assert leaving.cancelled()

    asyncio.run(run())
    assert ping.asked == 1


def test_a_look_that_was_broken_off_is_not_taken_for_a_result() -> None:
    made = health(Ping(), fresh=LONG)

    async def break_off() -> None:
        asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)  # type: ignore[union-attr]
        await made.probe()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(break_off())
    assert seen(made).is_up


DOWN = Ping(RecordsUnavailable())


@pytest.mark.parametrize(
    ("down", "is_ready"),
    [((), True), (("records",), False), (("index",), False), (("writer", "index"), False)],
)
def test_it_is_ready_when_everything_that_answers_need_is_up(down: tuple[str, ...], is_ready: bool) -> None:
    checks = {dependency: DOWN if dependency in down else Ping() for dependency in Dependency}
    assert asyncio.run(Health(checks, needed=tuple(Dependency)).is_ready()) is is_ready


def test_without_the_database_questions_can_still_be_answered() -> None:
    checks = {dependency: DOWN if dependency is Dependency.RECORDS else Ping() for dependency in Dependency}
    assert asyncio.run(Health(checks).is_ready())


def breaker(dependency: Dependency, *, is_open: bool = False, seconds: float = LONG) -> Breaker:
    made = Breaker(dependency, failures=1, seconds=seconds)
    failure = {Dependency.WRITER: WriterUnavailable(), Dependency.INDEX: IndexUnavailable()}[dependency]
    if is_open:
        with pytest.raises(type(failure)), made.watch():
            raise failure
    return made


def run(check: Callable[[], Awaitable[None]]) -> None:
    async def wait() -> None:
        await check()

    asyncio.run(wait())


def test_a_service_is_up_when_somebody_listens_and_nothing_is_said_to_them(
    listener: socket.socket, listening: Address
) -> None:
    run(check_service(breaker(Dependency.WRITER), listening))
    listener.settimeout(10)
    line, _ = listener.accept()
    with line:
        line.settimeout(10)
        assert heard(line) == b""


def heard(line: socket.socket) -> bytes:
    try:
        return line.recv(1)
    except ConnectionResetError:
        return b""


def test_a_service_is_down_when_nobody_listens(deserted: Address) -> None:
    with pytest.raises(WriterUnavailable):
        run(check_service(breaker(Dependency.WRITER), deserted))


def test_a_service_that_is_left_alone_is_down_until_it_may_be_tried(listening: Address) -> None:
    with pytest.raises(WriterUnavailable):
        run(check_service(breaker(Dependency.WRITER, is_open=True), listening))
    run(check_service(breaker(Dependency.WRITER, is_open=True, seconds=0.0), listening))


def test_a_service_that_refused_the_last_call_is_down_until_one_goes_well(listening: Address) -> None:
    told = list[str]()
    breaker = Breaker(Dependency.WRITER, tell=lambda dependency, fault: told.append(f"{dependency}: {fault}"))
    made = Health({Dependency.RECORDS: check_service(breaker, listening)}, fresh=0.0)
    with suppress(WriterRefused), breaker.watch():
        raise WriterRefused("The key is refused (401).")
    assert seen(made).message == WriterRefused.__doc__
    assert told == ["writer: The key is refused (401)."]
    with breaker.watch():
        pass
    assert seen(made).is_up


def test_whether_the_key_is_taken_is_asked_seldom_but_again_after_a_refusal(listening: Address) -> None:
    look = Ping(WriterRefused())
    made = Health({Dependency.RECORDS: check_service(Breaker(Dependency.WRITER), listening, look)}, fresh=0.0)

    async def story() -> None:
        assert not (await retrieval(made)).is_up
        look.failure = None
        for _ in range(5):
            assert (await retrieval(made)).is_up
        assert look.asked == 2

    asyncio.run(story())


def test_what_is_no_service_is_up() -> None:
    run(check_service(breaker(Dependency.WRITER)))


def test_an_index_without_a_book_is_down() -> None:
    index_store = MemoryIndexStore()
    check = check_index(MemoryIndex(index_store), breaker(Dependency.INDEX))
    probe = asyncio.run(Health({Dependency.INDEX: check}).probe())[Dependency.INDEX]
    assert not probe.is_up
    assert "glossator ingest" in (probe.message or "")
    publish(index_store, three_chapters())
    run(check)


def test_an_index_on_a_server_is_down_when_nobody_listens_though_its_manifest_is_in_memory(
    listening: Address, deserted: Address
) -> None:
    index_store = MemoryIndexStore()
    publish(index_store, three_chapters())
    closed = breaker(Dependency.INDEX)
    index = WatchedIndex(MemoryIndex(index_store), closed)
    run(check_index(index, closed, listening))
    with pytest.raises(IndexUnavailable):
        run(check_index(index, closed, deserted))


class Threaded(MemoryIndex):
    def manifest(self) -> Manifest:
        assert threading.current_thread() is not threading.main_thread()
        raise IndexFault("/srv/secret/CANARY cannot be opened")


def test_the_manifest_is_read_in_a_thread_and_its_failure_names_no_path() -> None:
    check = check_index(Threaded(MemoryIndexStore()), breaker(Dependency.INDEX))
    probe = asyncio.run(Health({Dependency.INDEX: check}).probe())[Dependency.INDEX]
    assert probe.message == "The index failed."
