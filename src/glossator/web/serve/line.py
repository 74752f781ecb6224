"""Granian, in our own loop and on a socket of our own."""

from __future__ import annotations

from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.net import SocketHolder  # pyright: ignore[reportPrivateImportUsage]
from granian.server.embed import Server
from starlette.types import ASGIApp

from glossator.web.serve.listen import BACKLOG, most_connections

_HEADER_BYTES = 65_536
_LOGGING: dict[str, Any] = {
    "incremental": True,
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}
"""Its own would go to standard output, in a form of its own."""


class Line(Server):
    """`serve()` takes requests until `stop()`; what runs then is finished.

    Only HTTP/1.1: while it has to find out which one is spoken, it keeps a connection on which nothing comes.
    """

    def __init__(self, app: ASGIApp, listener: int, *, header_seconds: float) -> None:
        super().__init__(
            app,
            interface=Interfaces.ASGINL,
            http=HTTPModes.http1,
            websockets=False,
            # Of connections: without one it spins when the system has no more descriptors.
            backpressure=most_connections(),
            http1_settings=HTTP1Settings(
                header_read_timeout=int(header_seconds * 1000), max_buffer_size=_HEADER_BYTES
            ),
            log_level=LogLevels.error,
            log_dictconfig=_LOGGING,
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        # Left alone it would make one that any number of servers can share a port with.
        self._shd = SocketHolder(self._listener, False, BACKLOG)  # pyright: ignore[reportCallIssue]
