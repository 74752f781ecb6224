"""Health checks of the dependencies; none of them makes a call that costs money."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from time import monotonic

from glossator.errors import GlossatorError
from glossator.ports import Index
from glossator.resilience.circuit_breaker import UNAVAILABLE_ERRORS, Breaker, Dependency, State

__all__ = ["Address", "Check", "Dependency", "Health", "Probe", "check_index", "check_service", "connect"]

Address = tuple[str, int]
"""Host and port."""

_CONNECT_SECONDS = 2.0
_RECHECK_SECONDS = 30.0

Check = Callable[[], Awaitable[None]]
"""Raises a GlossatorError when the dependency does not work."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of one check."""

    is_up: bool
    latency_ms: float
    message: str | None = None
    """Safe to show publicly."""


@dataclass(slots=True)
class Health:
    """Runs one check per dependency at a time, however many callers, and reuses it for `fresh` seconds."""

    checks: Mapping[Dependency, Check]
    needed: Collection[Dependency] = (Dependency.INDEX, Dependency.EMBEDDER, Dependency.WRITER)
    """Questions need these; without the records they are answered but not stored."""
    seconds: float = 2.0
    """How long a caller waits for a check."""
    fresh: float = 1.0
    _checks: dict[Dependency, _RunningCheck] = field(
        default_factory=dict[Dependency, "_RunningCheck"], init=False
    )

    async def probe(self) -> Mapping[Dependency, Probe]:
        probes = await asyncio.gather(*(self._probe(dependency) for dependency in self.checks))
        return dict(zip(self.checks, probes, strict=True))

    async def is_ready(self) -> bool:
        """Whether questions can be answered at all."""
        probes = await self.probe()
        return all(probe.is_up for dependency, probe in probes.items() if dependency in self.needed)

    async def _probe(self, dependency: Dependency) -> Probe:
        check = self._checks.get(dependency)
        if check is None or not check.is_fresh(self.fresh):
            check = self._checks[dependency] = _RunningCheck(self.checks[dependency])
        return await check.result(self.seconds)


class _RunningCheck:
    """One run of a check, shared by all callers."""

    def __init__(self, check: Check) -> None:
        self._started = self._ended = monotonic()
        self._task = asyncio.ensure_future(self._run(check))

    def is_fresh(self, seconds: float) -> bool:
        """No second check starts while one runs: where one hangs, another would hang too."""
        if not self._task.done():
            return True
        return not self._task.cancelled() and monotonic() - self._ended < seconds

    async def result(self, seconds: float) -> Probe:
        left = max(self._started + seconds - monotonic(), 0.0)
        done, _ = await asyncio.wait({self._task}, timeout=left)
        return self._task.result() if done else self._probe("It did not answer in time.")

    async def _run(self, check: Check) -> Probe:
        try:
            await check()
            return self._probe()
        except GlossatorError as error:
            # The docstring of the error class: the message of the dependency may hold private details.
            return self._probe((type(error).__doc__ or "").strip())
        finally:
            self._ended = monotonic()

    def _probe(self, message: str | None = None) -> Probe:
        return Probe(message is None, round((monotonic() - self._started) * 1000, 3), message)


def check_index(index: Index, breaker: Breaker, address: Address | None = None) -> Check:
    """Pass the `address` of an index server, since the manifest may come from a cache."""
    service_check = check_service(breaker, address)

    async def check() -> None:
        await service_check()
        await asyncio.to_thread(index.manifest)

    return check


def check_service(breaker: Breaker, address: Address | None = None, look: Check | None = None) -> Check:
    """Checks the breaker and whether the port is open: a real call may cost money.

    `look` is a free call, such as one that validates the API key; it is made every half minute.
    """
    unavailable = UNAVAILABLE_ERRORS[breaker.dependency][0]
    free_call = _OccasionalCheck(look) if look else None

    async def check() -> None:
        # Half open counts as up: otherwise no traffic would arrive to make the trial call.
        if breaker.state is State.OPEN:
            raise unavailable
        if breaker.refusal is not None:
            raise breaker.refusal
        try:
            if address is not None:
                await connect(address, unavailable)
            if free_call is not None:
                await free_call.check()
        except GlossatorError as fault:
            breaker.tell(breaker.dependency, fault)
            raise

    return check


class _OccasionalCheck:
    """Repeats a check after half a minute, or at once if the last one failed."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._due_at = 0.0

    async def check(self) -> None:
        if monotonic() < self._due_at:
            return
        await self._check()
        self._due_at = monotonic() + _RECHECK_SECONDS


async def connect(address: Address, unavailable: type[GlossatorError]) -> None:
    """Raises `unavailable` where nothing listens there."""
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(*address)
    except OSError as error:
        raise unavailable from error
    writer.transport.abort()
