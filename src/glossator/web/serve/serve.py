"""Serves an application until it is told to stop."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory

from glossator.errors import SettingsError
from glossator.web.serve.job import WorkerJob
from glossator.web.serve.supervise import supervise


@dataclass(frozen=True, slots=True)
class ServeOptions:
    make_app: str
    """`package.module:function`, which is called in each worker; see MakeApp."""
    host: str = "127.0.0.1"
    port: int = 8000
    """Any free one when 0."""
    workers: int = 1
    header_seconds: float = 10.0
    """Until a request's headers must have come, and for which an idle connection is kept."""
    stop_seconds: float = 8.0
    """How long running answers may go on when the server is stopped."""
    watchdog_seconds: float = 5.0
    """A worker whose event loop has been silent for so long is replaced."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a worker's environment has besides ours."""


def serve(options: ServeOptions, on_ready: Callable[[str], None]) -> None:
    """Returns after SIGTERM or SIGINT; `on_ready` hears the address once every worker serves.

    Raises SettingsError where the address cannot be had, and GlossatorError where a worker cannot begin.
    """
    allow_many_connections()
    with (
        listen(options.host, options.port) as listener,
        _shared(options.workers) as shared,
        suppress(asyncio.CancelledError),
    ):
        url = url_of(listener)
        job = WorkerJob(
            make_app=options.make_app,
            listener=listener.fileno(),
            header_seconds=options.header_seconds,
            stop_seconds=options.stop_seconds,
            watchdog_seconds=options.watchdog_seconds,
            shared=shared,
        )
        environments = [_environment(options, shared)] * options.workers
        asyncio.run(supervise(job, listener, environments, lambda: on_ready(url)))


def _shared(workers: int) -> AbstractContextManager[str | None]:
    return TemporaryDirectory(prefix="glossator-metrics-") if workers > 1 else nullcontext()


def _environment(options: ServeOptions, shared: str | None) -> Mapping[str, str]:
    """What a worker's libraries read when they are imported."""
    # What one question needs is too little for several threads: they cost twice the time of one.
    few_threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    environment = few_threads | dict(os.environ) | dict(options.environment)
    environment["PROMETHEUS_DISABLE_CREATED_SERIES"] = "1"
    environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
    if shared is not None:
        environment["PROMETHEUS_MULTIPROC_DIR"] = shared
    return environment


# The address that the server is reached at.

BACKLOG = 2048
_MOST_DESCRIPTORS = 65_536


def listen(host: str, port: int) -> socket.socket:
    """Held for as long as the server runs; any free port when it is 0."""
    family, address = _resolved(host)
    try:
        listener = socket.create_server((address, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise SettingsError(f"Port {port} of {host} cannot be used: {_reason(error)}.") from error
    # Connections have it from here: an event that waits for the last one to be acknowledged is 40 ms late.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_many_connections() -> None:
    """As many as the system lets us have; many a shell begins with a thousand."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_connections() -> int:
    """The rest of the descriptors is for the index, the database and the model."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else max(64, soft * 3 // 4)


def _resolved(host: str) -> tuple[int, str]:
    try:
        family, *_, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise SettingsError(f"{host!r} is not an address of a machine.") from error
    return family, str(address[0])


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program listens there"
    return os.strerror(error.errno or 0).lower()
