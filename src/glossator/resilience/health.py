"""Whether what an answer needs is there; nothing here costs money."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from time import monotonic

from glossator.errors import GlossatorError
from glossator.ports import Index
from glossator.resilience.circuit_breaker import SIGNS, Breaker, Dependency, State

__all__ = ["Address", "Check", "Dependency", "Health", "Probe", "check_index", "check_service"]

Address = tuple[str, int]
"""Host and port."""

_CONNECT_SECONDS = 2.0
_SELDOM_SECONDS = 30.0

Check = Callable[[], Awaitable[None]]
"""Raises one of our errors when the dependency does not do its work."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What one look at a dependency showed."""

    is_up: bool
    latency_ms: float
    message: str | None = None
    """Safe to show to anybody."""


@dataclass(slots=True)
class Health:
    """However many ask, each dependency is looked at once at a time, and not again for `fresh` seconds."""

    checks: Mapping[Dependency, Check]
    needed: Collection[Dependency] = (Dependency.INDEX, Dependency.EMBEDDER, Dependency.WRITER)
    """Without which no question is answered; those that need not be remembered are, without the records."""
    seconds: float = 2.0
    fresh: float = 1.0
    _looks: dict[Dependency, _Look] = field(default_factory=dict[Dependency, "_Look"], init=False)

    async def probe(self) -> Mapping[Dependency, Probe]:
        found = await asyncio.gather(*(self._look(one) for one in self.checks))
        return dict(zip(self.checks, found, strict=True))

    async def is_ready(self) -> bool:
        """Whether questions can be answered at all."""
        probes = await self.probe()
        return all(probe.is_up for one, probe in probes.items() if one in self.needed)

    async def _look(self, dependency: Dependency) -> Probe:
        look = self._looks.get(dependency)
        if look is None or not look.is_good(self.fresh):
            look = self._looks[dependency] = _Look(self.checks[dependency])
        return await look.shown(self.seconds)


class _Look:
    """At one dependency, on behalf of everybody who wants to know."""

    def __init__(self, check: Check) -> None:
        self._begun = self._ended = monotonic()
        self._task = asyncio.ensure_future(self._done(check))

    def is_good(self, fresh: float) -> bool:
        """While it lasts no second one is begun: what hangs would only hang again."""
        if not self._task.done():
            return True
        return not self._task.cancelled() and monotonic() - self._ended < fresh

    async def shown(self, seconds: float) -> Probe:
        left = max(self._begun + seconds - monotonic(), 0.0)
        done, _ = await asyncio.wait({self._task}, timeout=left)
        return self._task.result() if done else self._probe("It did not answer in time.")

    async def _done(self, check: Check) -> Probe:
        try:
            await check()
            return self._probe()
        except GlossatorError as error:
            # The sentence of its kind: what a dependency itself says may hold more than anybody should read.
            return self._probe((type(error).__doc__ or "").strip())
        finally:
            self._ended = monotonic()

    def _probe(self, message: str | None = None) -> Probe:
        return Probe(message is None, round((monotonic() - self._begun) * 1000, 3), message)


def check_index(index: Index, breaker: Breaker, address: Address | None = None) -> Check:
    """With an `address` where it is on a server, since the manifest may come from memory."""
    is_there = check_service(breaker, address)

    async def check() -> None:
        await is_there()
        await asyncio.to_thread(index.manifest)

    return check


def check_service(breaker: Breaker, address: Address | None = None, look: Check | None = None) -> Check:
    """By how the last calls went, and by whether somebody listens: a call itself may cost money.

    `look` is asked as well, once in a while: whether the key is taken, which costs nothing.
    """
    unavailable = SIGNS[breaker.dependency][0]
    retrieval = _Seldom(look) if look else None

    async def check() -> None:
        # One that is half open is up: else nobody would be sent here who could find out.
        if breaker.state is State.OPEN:
            raise unavailable
        if breaker.refusal is not None:
            raise breaker.refusal
        try:
            if address is not None:
                await _connect(address, unavailable)
            if retrieval is not None:
                await retrieval.check()
        except GlossatorError as fault:
            breaker.tell(breaker.dependency, fault)
            raise

    return check


class _Seldom:
    """Looks again after half a minute, or at once where the last look found a fault."""

    def __init__(self, look: Check) -> None:
        self._look = look
        self._is_due_at = 0.0

    async def check(self) -> None:
        if monotonic() < self._is_due_at:
            return
        await self._look()
        self._is_due_at = monotonic() + _SELDOM_SECONDS


async def _connect(address: Address, unavailable: type[GlossatorError]) -> None:
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _, line = await asyncio.open_connection(*address)
    except OSError as error:
        raise unavailable from error
    line.transport.abort()
