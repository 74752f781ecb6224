"""The one host that a crawl asks, and the addresses at which it may be asked."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx2

from glossator.errors import CrawlFailed, PageUnreadable

_PORTS = {"http": 80, "https": 443}
_NAT64 = IPv6Network("64:ff9b::/96")
"""IPv6 addresses that stand for IPv4 addresses."""
_MOST_ADDRESSES = 4
"""How many addresses of a host are tried."""


@dataclass(frozen=True, slots=True)
class OwnHost:
    scheme: str
    name: str
    port: int

    @classmethod
    def of(cls, address: str) -> OwnHost:
        url = parsed(address)
        if url is None:
            raise CrawlFailed(f"{address} is no address of a site: it looks like https://book.example/.")
        return cls(url.scheme, url.host, _port(url))

    def own(self, address: str) -> httpx2.URL:
        """The address on this host, of HTTPS where the host has it. Raises PageUnreadable."""
        url = parsed(address)
        if url is None:
            raise PageUnreadable("is no address of a page")
        if url.scheme == "http" and self.scheme == "https" and _port(url) == _PORTS["http"]:
            url = url.copy_with(scheme="https", port=None)
        moved_to_https = self.port == _PORTS["http"] and (url.scheme, _port(url)) == (
            "https",
            _PORTS["https"],
        )
        if url.host != self.name or (_port(url) != self.port and not moved_to_https):
            raise PageUnreadable(f"is on another host, {url.netloc.decode('ascii')}")
        return url

    def has(self, address: str) -> bool:
        try:
            return bool(self.own(address))
        except PageUnreadable:
            return False

    def resolve(self, url: httpx2.URL, *, may_be_private: bool) -> Sequence[str]:
        """The addresses to connect to, all of them checked. Raises PageUnreadable.

        A connection goes to one of these and to no name: a second look-up could give another address.
        """
        try:
            found = socket.getaddrinfo(url.host, _port(url), type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise PageUnreadable(f"cannot be fetched: the host {url.host} is not known") from error
        addresses = list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))
        for address in addresses:
            if not may_be_private and not _is_public(address):
                raise PageUnreadable(
                    f"cannot be fetched: {url.host} has the address {address}, which is not public "
                    "(GLOSSATOR_CRAWL_PRIVATE=true allows it)"
                )
        return addresses[:_MOST_ADDRESSES]


def parsed(address: str) -> httpx2.URL | None:
    """None for what is no address of HTTP, and for one with a user and password."""
    try:
        url = httpx2.URL(address.strip())
        is_web = url.scheme in _PORTS and bool(url.host) and not url.userinfo
        return url.copy_with(fragment=None) if is_web else None
    except (httpx2.InvalidURL, ValueError):
        return None


def _port(url: httpx2.URL) -> int:
    return url.port or _PORTS[url.scheme]


def _is_public(text: str) -> bool:
    address = _embedded(ip_address(text))
    return address.is_global and not address.is_multicast


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The address of IPv4 inside one of IPv6, to which a gateway would lead."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else address)
