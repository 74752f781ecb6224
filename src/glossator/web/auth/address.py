"""The client address of a request behind proxies, and which hosts and origins are loopback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope

from glossator.errors import SettingsError

UNKNOWN = "unknown"

_LOOPBACK = re.compile(r"(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)


class Addresses:
    """Believes `X-Forwarded-For` only where a trusted proxy has written it."""

    def __init__(self, trusted_proxies: Sequence[str] = ()) -> None:
        self._trusted = tuple(_parse_network(text) for text in trusted_proxies)

    def of(self, scope: Scope) -> str:
        """The peer's address, or that of the last hop before the trusted proxies."""
        client = scope.get("client")
        address = _parse(client[0]) if client else None
        if address is None:
            return UNKNOWN
        for hop in _hops(scope):
            before = _parse(hop) if self._trusts(address) else None
            if before is None:
                break
            address = before
        return str(address)

    def _trusts(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address in network for network in self._trusted)


def rate_limit_address(address: str) -> str:
    """An IPv6 address by its /64 network: a household can choose any address within it."""
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return address


def is_loopback(host: str) -> bool:
    """Whether a server that listens on `host` is reachable from its own machine only."""
    parsed = _parse(host)
    return parsed.is_loopback if parsed else host.lower() == "localhost"


def is_loopback_host(header: str | None) -> bool:
    """Whether a `Host` header names this machine; a name rebound to its address (DNS rebinding) does not."""
    return header is not None and _LOOPBACK.fullmatch(header) is not None


def is_loopback_origin(origin: str) -> bool:
    scheme, separator, host = origin.partition("://")
    return scheme in ("http", "https") and bool(separator) and is_loopback_host(host)


def _parse_network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise SettingsError(f"{text!r} is not an address or a network of trusted proxies.") from error


def _hops(scope: Scope) -> Iterable[str]:
    """The addresses from the nearest to the farthest."""
    forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
    return reversed(forwarded.split(",")) if forwarded else ()


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    """The address without the port or zone that proxies may add."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
