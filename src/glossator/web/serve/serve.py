"""Serves an application with worker processes on one listening socket, until SIGTERM or SIGINT."""

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
    """`package.module:function`, called in each worker; see MakeApp."""
    host: str = "127.0.0.1"
    port: int = 8000
    """0 for any free one."""
    workers: int = 1
    header_seconds: float = 10.0
    """How long a request's headers may take, and how long an idle connection is kept open."""
    drain_seconds: float = 0.0
    """How long everybody is still served after SIGTERM, while `/readyz` says that the server stops."""
    stop_seconds: float = 8.0
    """How long running answers may go on after that."""
    watchdog_seconds: float = 5.0
    """A worker whose event loop is blocked for this long is replaced."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Added to our own environment in the workers."""


def serve(options: ServeOptions, on_ready: Callable[[str], None]) -> None:
    """Returns after SIGTERM or SIGINT; calls `on_ready` with the URL once every worker serves.

    Raises SettingsError if the address cannot be used, and GlossatorError if a worker cannot start.
    """
    allow_many_connections()
    with (
        listen(options.host, options.port) as listener,
        _metrics_folder(options.workers) as shared,
        suppress(asyncio.CancelledError),
    ):
        url = url_of(listener)
        job = WorkerJob(
            make_app=options.make_app,
            listener=listener.fileno(),
            header_seconds=options.header_seconds,
            drain_seconds=options.drain_seconds,
            stop_seconds=options.stop_seconds,
            watchdog_seconds=options.watchdog_seconds,
            shared=shared,
        )
        environments = [_environment(options, shared)] * options.workers
        asyncio.run(supervise(job, listener, environments, lambda: on_ready(url)))


def _metrics_folder(workers: int) -> AbstractContextManager[str | None]:
    return TemporaryDirectory(prefix="glossator-metrics-") if workers > 1 else nullcontext()


def _environment(options: ServeOptions, shared: str | None) -> Mapping[str, str]:
    """A worker's environment; its libraries read these variables at import."""
    # One question is too little work for several threads: they take twice the time of one.
    single_threaded = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    # By default glibc keeps a heap for each of up to eight threads a core, each with memory that none uses.
    few_heaps = {"MALLOC_ARENA_MAX": "2"}
    environment = single_threaded | few_heaps | dict(os.environ) | dict(options.environment)
    environment["PROMETHEUS_DISABLE_CREATED_SERIES"] = "1"
    environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
    if shared is not None:
        environment["PROMETHEUS_MULTIPROC_DIR"] = shared
    return environment


BACKLOG = 2048
_MAX_DESCRIPTORS = 65_536


def listen(host: str, port: int) -> socket.socket:
    """Opens the listening socket; port 0 for any free one."""
    family, address = _resolve(host)
    try:
        listener = socket.create_server((address, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise SettingsError(f"Port {port} of {host} cannot be used: {_reason(error)}.") from error
    # Connections inherit this: with Nagle's algorithm, events of a stream arrive up to 40 ms late.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_many_connections() -> None:
    """Raises the limit of open files as far as the system allows; many shells start with 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = _MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


def max_connections() -> int:
    """Leaves a quarter of the descriptors to the index, the database and the model."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else max(64, soft * 3 // 4)


def _resolve(host: str) -> tuple[int, str]:
    try:
        family, *_, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise SettingsError(f"{host!r} is not an address of a machine.") from error
    return family, str(address[0])


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program listens there"
    return os.strerror(error.errno or 0).lower()
