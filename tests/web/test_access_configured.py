"""Keys and the signing key from the environment: a server whose disk is gone after a restart knows them again."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from glossator.errors import KeyInvalid, RecordsUnavailable, SettingsError
from glossator.model import ApiKey, KeyKind, Scope
from glossator.ports import Embedder
from glossator.settings import Settings
from glossator.web.auth.configured import hashed_entry
from glossator.web.auth.keyring import Keyring, make_key
from glossator.wiring.keys import configured_keys_of
from support.access_app import NOW, MemoryKeys
from support.web_app import serving

OWN = make_key(KeyKind.SECRET, NOW)
PLAIN = "0123456789abcdef0123456789abcdef"
SITE = "https://book.example"
QUESTION = {"question": "How do nodes talk to each other?"}


def _configured(**settings: str) -> list[ApiKey]:
    return configured_keys_of(Settings(**settings))  # type: ignore[arg-type]


def _found(shown: str, given: list[ApiKey], keys: MemoryKeys | None = None) -> ApiKey:
    return asyncio.run(Keyring(keys or MemoryKeys(), given=given).find(shown))


@pytest.mark.parametrize(
    ("entry", "shown", "identifier"),
    [
        (OWN.shown, OWN.shown, OWN.key.id),
        (hashed_entry(OWN.key), OWN.shown, OWN.key.id),
        (f"sha256:{OWN.key.digest}", OWN.shown, OWN.key.digest[:12]),
        (PLAIN, PLAIN, hashlib.sha256(PLAIN.encode()).hexdigest()[:12]),
        (f"sha256:{hashlib.sha256(PLAIN.encode()).hexdigest().upper()}", PLAIN, None),
    ],
    ids=["our key", "our key hashed", "only the hash of our key", "any text", "its hash"],
)
def test_a_key_is_given_plain_or_hashed(entry: str, shown: str, identifier: str | None):
    given = _configured(keys=f"sk_aaaaaaaaaa_{'x' * 43}, {entry}\n")
    found = _found(shown, given)
    assert found.scopes == {Scope.ASK, Scope.READ}
    assert identifier is None or found.id == identifier
    with pytest.raises(KeyInvalid):
        _found(f"{shown}x", given)
    with pytest.raises(KeyInvalid):
        _found(entry, given) if entry != shown else _found(found.digest, given)


def test_each_list_opens_what_it_is_for():
    given = _configured(keys_operator=PLAIN, keys_publishable=PLAIN[::-1], keys_origins=SITE)
    operator, page = _found(PLAIN, given), _found(PLAIN[::-1], given)
    assert (operator.kind, operator.scopes) == (KeyKind.SECRET, set(Scope))
    assert (page.kind, page.scopes, page.origins) == (KeyKind.PUBLISHABLE, {Scope.ASK}, (SITE,))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"keys": "hunter2"}, "GLOSSATOR_KEYS: key 1 is neither a hash (sha256:…) nor a key of 24"),
        ({"keys": f"{PLAIN},sha256:123"}, "GLOSSATOR_KEYS: key 2 is neither a hash"),
        ({"keys": f"pk_{PLAIN}"}, "is a publishable key (pk_…), which does not belong there"),
        ({"keys_publishable": OWN.shown, "keys_origins": SITE}, "is a secret key (sk_…)"),
        ({"keys_publishable": PLAIN}, "needs GLOSSATOR_KEYS_ORIGINS"),
        (
            {"keys_publishable": PLAIN, "keys_origins": "book.example"},
            "GLOSSATOR_KEYS_ORIGINS: 'book.example'",
        ),
        (
            {"keys": PLAIN, "keys_operator": PLAIN},
            "GLOSSATOR_KEYS_OPERATOR: key 1 is also in GLOSSATOR_KEYS.",
        ),
    ],
)
def test_a_list_that_cannot_be_is_refused_without_showing_it(settings: dict[str, str], said: str):
    with pytest.raises(SettingsError) as refused:
        _configured(**settings)
    assert said in str(refused.value)
    assert not any(key in str(refused.value) for key in (PLAIN, OWN.shown, "hunter2"))


def test_keys_of_the_settings_are_good_while_the_database_is_down_and_others_wait():
    keys = MemoryKeys()
    stored = keys.make()
    keys.is_down = True
    given = _configured(keys=PLAIN)
    assert _found(PLAIN, given, keys).name == "GLOSSATOR_KEYS"
    with pytest.raises(RecordsUnavailable):
        _found(stored, given, keys)


def test_a_key_that_was_revoked_in_the_database_stays_revoked():
    keys = MemoryKeys()
    stored = keys.make()
    given = _configured(keys=stored)
    assert _found(stored, given, keys).id == stored.split("_")[1]
    asyncio.run(keys.revoke(stored.split("_")[1], NOW))
    with pytest.raises(KeyInvalid):
        _found(stored, given, keys)


def _as_page(client: TestClient, **body: object) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {PLAIN}", "Origin": SITE}
    return client.post("/v1/ask", json={**QUESTION, **body}, headers=headers).raise_for_status().json()


def test_after_a_restart_on_an_empty_disk_keys_and_session_tokens_are_still_good(
    home: Path, embedder: Embedder, tmp_path: Path
):
    """The index comes with the image and the sessions are in a database elsewhere; the home folder is new."""
    settings = {"keys": OWN.shown, "keys_publishable": PLAIN, "keys_origins": SITE, "host": "0.0.0.0"}
    first, second = (Path(shutil.copytree(home, tmp_path / name)) for name in ("first", "second"))
    with serving(first, embedder, tmp_path / "records.sqlite", **settings) as client:
        session = _as_page(client)["session"]
    shutil.rmtree(first)
    with serving(second, embedder, tmp_path / "records.sqlite", **settings) as client:
        assert _as_page(client, session=session)["session"]["id"] == session["id"]  # type: ignore[index]
        own = {"Authorization": f"Bearer {OWN.shown}"}
        assert client.post("/v1/ask", json=QUESTION, headers=own).status_code == 200
        assert client.post("/v1/ask", json=QUESTION).status_code == 401
        assert (
            client.post("/v1/ask", json=QUESTION, headers={"Authorization": f"Bearer {PLAIN}"}).status_code
            == 403
        )
