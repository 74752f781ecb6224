"""Where a request comes from, whatever its headers claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.errors import SettingsError
from glossator.web.auth.address import (
    Addresses,
    is_loopback,
    is_loopback_host,
    is_loopback_origin,
    rate_limit_address,
)

PROXIES = ("10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48")


def _address(peer: str | None, *forwarded: str, trusted: tuple[str, ...] = PROXIES) -> str:
    headers = [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded]
    client = (peer, 1) if peer is not None else None
    return Addresses(trusted).of({"type": "http", "client": client, "headers": headers})


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.5", [], "203.0.113.5"),
        ("203.0.113.5", ["198.51.100.1"], "203.0.113.5"),
        ("10.1.2.3", ["198.51.100.1"], "198.51.100.1"),
        ("10.1.2.3", ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        ("10.1.2.3", ["1.1.1.1, 198.51.100.1, 192.0.2.7"], "198.51.100.1"),
        ("10.1.2.3", ["1.1.1.1", "198.51.100.1", "10.9.9.9"], "198.51.100.1"),
        ("10.1.2.3", ["10.4.4.4, 10.5.5.5"], "10.4.4.4"),
        ("10.1.2.3", [""], "10.1.2.3"),
        ("10.1.2.3", ["198.51.100.1, unknown"], "10.1.2.3"),
        ("10.1.2.3", ["198.51.100.1, , 10.5.5.5"], "10.5.5.5"),
        ("10.1.2.3", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.1.2.3", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.1.2.3", ["2001:db8::1"], "2001:db8::1"),
        ("10.1.2.3", ["fe80::1%eth0"], "fe80::1"),
        ("::ffff:10.1.2.3", ["198.51.100.1"], "198.51.100.1"),
        ("2001:db8:ffff::1", ["198.51.100.1"], "198.51.100.1"),
        ("2001:db8:fffe::1", ["198.51.100.1"], "2001:db8:fffe::1"),
        (None, ["198.51.100.1"], "unknown"),
        ("a socket", ["198.51.100.1"], "unknown"),
    ],
)
def test_the_address_is_the_last_hop_that_is_not_a_trusted_proxy(
    peer: str | None, forwarded: list[str], address: str
):
    assert _address(peer, *forwarded) == address


@given(st.text(alphabet=st.characters(max_codepoint=255, blacklist_characters="\r\n")))
def test_nothing_in_the_header_moves_a_peer_that_is_not_trusted(forwarded: str):
    assert _address("203.0.113.5", forwarded) == "203.0.113.5"


@given(st.text(alphabet=st.characters(max_codepoint=255, blacklist_characters="\r\n")))
def test_garbage_from_a_trusted_proxy_still_gives_an_address(forwarded: str):
    assert rate_limit_address(_address("10.0.0.1", forwarded))


def test_without_trusted_proxies_the_header_is_not_read():
    assert _address("10.1.2.3", "198.51.100.1", trusted=()) == "10.1.2.3"


def test_a_wrong_proxy_is_named():
    with pytest.raises(SettingsError, match=r"'10\.0\.0\.0/99' is not an address"):
        Addresses(["10.0.0.0/99"])


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::ffff", "2001:db8:1:3::/64"),
        ("unknown", "unknown"),
    ],
)
def test_a_household_is_counted_once(address: str, counted: str):
    assert rate_limit_address(address) == counted


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8000"]
)
def test_names_of_this_machine(host: str):
    assert is_loopback_host(host)
    assert is_loopback_origin(f"http://{host}")
    assert is_loopback_origin(f"https://{host}")


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "book.example",
        "localhost.book.example",
        "127.0.0.1.book.example",
        "book.example:127",
        "x@localhost",
        "localhost@book.example",
        "localhost/",
        "localhost:",
        "localhost:80:80",
        "0.0.0.0",
        "[::]",
        "192.168.0.1",
        "localhost\n",
        "localhost ",
    ],
)
def test_names_of_other_machines(host: str | None):
    assert not is_loopback_host(host)
    assert not is_loopback_origin(f"http://{host}")


@pytest.mark.parametrize(
    "origin", ["null", "localhost", "file://localhost", "://localhost", "http:localhost"]
)
def test_origins_that_are_no_page_on_this_machine(origin: str):
    assert not is_loopback_origin(origin)


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("book", False),
    ],
)
def test_which_listening_addresses_only_this_machine_reaches(host: str, told: bool):
    assert is_loopback(host) is told
