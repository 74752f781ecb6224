"""What a key looks like, and what it may have."""

from __future__ import annotations

import hashlib

import pytest

from glossator.errors import SettingsError
from glossator.model import KeyKind, Scope
from glossator.web.auth.keyring import make_key, origin_of
from support.access_app import EVERYTHING, NOW, PAGE

ALPHABET = set("abcdefghjkmnpqrstvwxyz23456789")


@pytest.mark.parametrize(("kind", "prefix"), [(KeyKind.SECRET, "sk"), (KeyKind.PUBLISHABLE, "pk")])
def test_a_key_is_its_kind_its_id_and_a_long_secret(kind: KeyKind, prefix: str):
    made = make_key(kind, NOW, origins=[PAGE] if kind is KeyKind.PUBLISHABLE else [])
    first, identifier, secret = made.shown.split("_", 2)
    assert (first, identifier) == (prefix, made.key.id)
    assert len(identifier) == 10
    assert set(identifier) <= ALPHABET
    assert len(secret) >= 43


def test_what_is_kept_of_a_key_is_a_digest_and_not_the_key():
    made = make_key(KeyKind.SECRET, NOW, name="backend")
    assert made.key.digest == hashlib.sha256(made.shown.encode()).hexdigest()
    assert made.shown.split("_", 2)[2] not in repr(made)


def test_no_two_keys_are_the_same():
    made = [make_key(KeyKind.SECRET, NOW) for _ in range(200)]
    assert len({created.shown for created in made}) == len({created.key.id for created in made}) == 200


@pytest.mark.parametrize(
    ("given", "had"),
    [
        ([], {Scope.ASK, Scope.READ}),
        ([Scope.ASK], {Scope.ASK}),
        ([Scope.OPERATE, Scope.OPERATE], {Scope.OPERATE}),
        (list(Scope), EVERYTHING),
    ],
)
def test_a_secret_key_has_the_scopes_it_was_given_or_asks_and_reads(given: list[Scope], had: set[Scope]):
    assert make_key(KeyKind.SECRET, NOW, scopes=given).key.scopes == had


def test_a_publishable_key_may_only_ask():
    assert make_key(KeyKind.PUBLISHABLE, NOW, origins=[PAGE]).key.scopes == {Scope.ASK}
    assert make_key(KeyKind.PUBLISHABLE, NOW, origins=[PAGE], scopes=[Scope.ASK]).key.scopes == {Scope.ASK}
    with pytest.raises(SettingsError, match="may only ask"):
        make_key(KeyKind.PUBLISHABLE, NOW, origins=[PAGE], scopes=[Scope.ASK, Scope.READ])


def test_a_publishable_key_needs_an_origin_and_a_secret_one_has_none():
    with pytest.raises(SettingsError, match="at least one origin"):
        make_key(KeyKind.PUBLISHABLE, NOW)
    with pytest.raises(SettingsError, match="Only publishable keys"):
        make_key(KeyKind.SECRET, NOW, origins=[PAGE])


def test_only_a_publishable_key_can_stand_for_its_origins():
    assert make_key(KeyKind.PUBLISHABLE, NOW, origins=[PAGE], is_anonymous=True).key.is_anonymous
    assert not make_key(KeyKind.PUBLISHABLE, NOW, origins=[PAGE]).key.is_anonymous
    with pytest.raises(SettingsError, match="Only a publishable key"):
        make_key(KeyKind.SECRET, NOW, is_anonymous=True)


@pytest.mark.parametrize("name", ["two\nlines", "a bell \a", "x" * 101])
def test_a_name_is_short_and_on_one_line(name: str):
    with pytest.raises(SettingsError, match="name"):
        make_key(KeyKind.SECRET, NOW, name=name)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://book.example", "https://book.example"),
        ("HTTPS://Book.Example:443", "https://book.example"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("http://book.example:443", "http://book.example:443"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ],
)
def test_an_origin_is_kept_as_a_browser_sends_it(text: str, origin: str):
    assert origin_of(text) == origin
    assert origin_of(origin) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "null",
        "book.example",
        "//book.example",
        "https://",
        "https://*",
        "https://*.book.example",
        "https://book.example/",
        "https://book.example/docs",
        "https://book.example?x",
        "https://book.example#x",
        "https://reader@book.example",
        "https://reader:word@book.example",
        "https://book.example:port",
        "https://book.example:99999",
        "https://book.example:",
        "https://bücher.example",
        "https://book.example, https://other.example",
        "https://book .example",
        "https://book.example\n",
        "https://[::1",
        "https://-book.example",
        "ftp://book.example",
        "javascript://book.example",
        "file:///tmp",
    ],
)
def test_what_is_no_origin_is_refused_with_an_example(text: str):
    with pytest.raises(SettingsError, match=r"is not an origin: write https://book\.example"):
        origin_of(text)


def test_the_same_origin_twice_counts_once():
    key = make_key(KeyKind.PUBLISHABLE, NOW, origins=[PAGE, "https://BOOK.example:443"]).key
    assert key.origins == (PAGE,)
