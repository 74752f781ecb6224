"""An event loop in a thread of its own, for a server that tests talk to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

SECONDS_TO_STOP = 10

Work = Coroutine[Any, Any, None]


def run_on(loop: asyncio.AbstractEventLoop, work: Work) -> None:
    asyncio.run_coroutine_threadsafe(work, loop).result(SECONDS_TO_STOP)


@contextmanager
def running_loop(
    loop: asyncio.AbstractEventLoop, name: str, listen: Callable[[], Work], stop: Callable[[], Work]
) -> Iterator[None]:
    """Listens while the block runs; afterwards the loop is closed."""
    thread = threading.Thread(target=loop.run_forever, name=name)
    thread.start()
    try:
        run_on(loop, listen())
        yield
    finally:
        run_on(loop, stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
