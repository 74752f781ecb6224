"""The lease of a build: one machine at a time may build, roll back or remove a book on a Qdrant server.

A build renews its lease while it runs. A build that was killed does not, so its lease ends by itself. Clocks
of two machines may differ: then a lease may be taken too early, which costs the slower machine its build and
readers nothing, because publishing is refused without the lease.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime

from glossator.adapters.index.server_catalog import NOBODY, Catalog, CatalogState, held_by, is_free
from glossator.errors import IndexFault, IngestRunning

logger = logging.getLogger(__name__)

LEASE_SECONDS = 60.0


class Lease:
    def __init__(self, catalog: Catalog, clock: Callable[[], float] = time.time) -> None:
        self._catalog = catalog
        self._clock = clock
        self._token = secrets.token_hex(8)
        self._until = 0.0

    def take(self) -> CatalogState:
        """Raises IngestRunning, naming the holder, when another machine has it."""
        self._catalog.begin()
        now = self._clock()
        state = self._catalog.set_where(
            is_free(now), holder=self._token, holder_name=_name(), lease_until=now + LEASE_SECONDS
        )
        if state.holder != self._token:
            raise IngestRunning(
                f"Another ingest is running ({state.holder_name}); try again later. If it was killed, "
                f"its lock is free in {max(state.lease_until - now, 0):.0f} s."
            )
        self._until = state.lease_until
        return state

    def renew(self) -> None:
        """Has no effect once another machine has taken the lease."""
        until = self._clock() + LEASE_SECONDS
        state = self._catalog.set_where(held_by(self._token), lease_until=until)
        self._until = state.lease_until if state.holder == self._token else 0.0

    def check(self) -> None:
        """Raises IngestRunning once the lease has run out."""
        if self._clock() >= self._until:
            raise _lost()

    def change(self, **changes: object) -> CatalogState:
        """Changes the state of the catalog if this lease still holds it. Raises IngestRunning if not."""
        state = self._catalog.set_where(held_by(self._token), **changes)
        if state.holder != self._token:
            raise _lost()
        return state

    def give_back(self) -> None:
        try:
            self._catalog.set_where(held_by(self._token), holder=NOBODY, holder_name="", lease_until=0.0)
        except IndexFault as fault:
            logger.warning("The lock of the ingest is free in %.0f s: %s", LEASE_SECONDS, fault)


@contextmanager
def held_lease(
    catalog: Catalog,
    clock: Callable[[], float] = time.time,
    wait: Callable[[threading.Event, float], bool] = threading.Event.wait,
) -> Generator[Lease]:
    """Takes the lease, renews it in the background, and gives it back at the end."""
    lease, is_over = Lease(catalog, clock), threading.Event()
    lease.take()

    def renew_until_it_is_over() -> None:
        while not wait(is_over, LEASE_SECONDS / 3):
            try:
                lease.renew()
            except IndexFault as fault:
                logger.warning("The lock of the ingest could not be renewed: %s", fault)

    renewal = threading.Thread(target=renew_until_it_is_over, name="lease", daemon=True)
    renewal.start()
    try:
        yield lease
    finally:
        is_over.set()
        renewal.join()
        lease.give_back()


def _name() -> str:
    started = datetime.now(UTC).isoformat(timespec="seconds")
    return f"process {os.getpid()} on {socket.gethostname()}, since {started}"


def _lost() -> IngestRunning:
    return IngestRunning(
        "This ingest did not renew its lock in time, and another one may have taken over; this one did not "
        "change the book in the index. Try again later."
    )
