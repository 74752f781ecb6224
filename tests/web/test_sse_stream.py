"""Events on their way to a reader, at the door where the server calls."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest
from starlette.types import Message

from glossator.web.sse import EventStream, frame

HEARTBEAT = b": hb\n\n"


class Reader:
    """Whoever is at the other end: hears what is sent, and may hang up or stop taking anything."""

    def __init__(self) -> None:
        self.heard = list[Message]()
        self.has_left = asyncio.Event()
        self.takes = asyncio.Event()
        self.takes.set()
        self.news = asyncio.Event()

    async def receive(self) -> Message:
        await self.has_left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        await self.takes.wait()
        self.heard.append(message)
        self.news.set()

    @property
    def bodies(self) -> list[bytes]:
        return [message["body"] for message in self.heard[1:]]

    async def until(self, is_enough: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not is_enough():
                self.news.clear()
                await self.news.wait()


def run(test: Callable[[Reader], Awaitable[None]]) -> None:
    async def alone() -> None:
        await test(Reader())
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left running"

    asyncio.run(alone())


async def serve(frames: AsyncGenerator[bytes], reader: Reader, heartbeat_seconds: float = 15.0) -> None:
    await EventStream(frames, heartbeat_seconds)({"type": "http"}, reader.receive, reader.send)


async def three() -> AsyncGenerator[bytes]:
    for number in range(3):
        yield frame(str(number).encode())


def test_a_frame_has_its_number_and_name_before_its_data():
    assert frame(b"{}", event="claim", id="x:1") == b"id: x:1\nevent: claim\ndata: {}\n\n"


@pytest.mark.parametrize("text", [b"a\nb", b"a\rb", b"a\r\nb"])
def test_every_line_of_the_data_is_a_line_of_data(text: bytes):
    assert frame(text) == b"data: a\ndata: b\n\n"


def test_data_cannot_forge_another_event():
    assert frame(b"a\r\n\r\nevent: answer\r\rdata: b") == (
        b"data: a\ndata: \ndata: event: answer\ndata: \ndata: data: b\n\n"
    )


def test_no_proxy_is_to_keep_or_change_what_comes():
    headers = EventStream(three()).headers
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-cache, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert "content-length" not in headers


def test_frames_that_are_ready_together_leave_together():
    async def test(reader: Reader) -> None:
        await serve(three(), reader)
        assert reader.bodies == [b"data: 0\n\ndata: 1\n\ndata: 2\n\n", b""]
        assert [message.get("more_body") for message in reader.heard] == [None, True, False]

    run(test)


def test_a_frame_does_not_wait_for_the_next():
    async def test(reader: Reader) -> None:
        go_on = asyncio.Event()

        async def frames() -> AsyncGenerator[bytes]:
            yield b"first"
            await go_on.wait()
            yield b"second"

        serving = asyncio.create_task(serve(frames(), reader))
        await reader.until(lambda: reader.bodies == [b"first"])
        go_on.set()
        await serving
        assert reader.bodies == [b"first", b"second", b""]

    run(test)


def test_a_quiet_stream_shows_that_it_lives():
    async def test(reader: Reader) -> None:
        go_on = asyncio.Event()

        async def frames() -> AsyncGenerator[bytes]:
            await go_on.wait()
            yield b"at last"

        serving = asyncio.create_task(serve(frames(), reader, 0.01))
        await reader.until(lambda: reader.bodies.count(HEARTBEAT) >= 3)
        go_on.set()
        await serving
        assert reader.bodies[-2:] == [b"at last", b""]

    run(test)


def test_a_reader_who_leaves_ends_the_frames_and_their_end_is_waited_for():
    async def test(reader: Reader) -> None:
        ended = list[str]()

        async def frames() -> AsyncGenerator[bytes]:
            try:
                yield b"first"
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("kept what was finished")

        serving = asyncio.create_task(serve(frames(), reader))
        await reader.until(lambda: reader.bodies == [b"first"])
        reader.has_left.set()
        await serving
        assert ended == ["kept what was finished"]
        assert reader.bodies == [b"first"]

    run(test)


def test_a_reader_who_takes_nothing_is_not_worked_for_without_end():
    async def test(reader: Reader) -> None:
        made = list[int]()

        async def frames() -> AsyncGenerator[bytes]:
            for number in itertools.count():
                made.append(number)
                yield b"x"

        reader.takes.clear()
        serving = asyncio.create_task(serve(frames(), reader))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert 0 < len(made) < 1000
        reader.has_left.set()
        reader.takes.set()
        await serving

    run(test)


def test_frames_that_fail_leave_the_line_without_an_end():
    async def test(reader: Reader) -> None:
        async def frames() -> AsyncGenerator[bytes]:
            yield b"first"
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await serve(frames(), reader)
        assert reader.bodies == [b"first"]

    run(test)


def test_a_server_that_gives_up_the_request_ends_the_frames_too():
    async def test(reader: Reader) -> None:
        ended = list[str]()

        async def frames() -> AsyncGenerator[bytes]:
            try:
                yield b"first"
                await asyncio.Event().wait()
            finally:
                ended.append("ended")

        serving = asyncio.create_task(serve(frames(), reader))
        await reader.until(lambda: reader.bodies == [b"first"])
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        assert ended == ["ended"]

    run(test)
