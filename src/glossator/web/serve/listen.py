"""The address that the server is reached at."""

from __future__ import annotations

import errno
import os
import resource
import socket

from glossator.errors import SettingsError

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
