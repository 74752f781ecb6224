"""API keys from the settings instead of the database, for servers whose disk does not outlive them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from glossator.errors import SettingsError
from glossator.model import ApiKey, KeyKind, Scope
from glossator.web.auth.keyring import PREFIX, checked_origins, digest_of

_OWN_KEY = re.compile(r"(sk|pk)_(?P<id>[a-z0-9]{10})_\S{24,}")
"""A key as `make_key` makes it."""
_HASHED = re.compile(r"((?P<id>[a-z0-9]{10}):)?sha256:(?P<digest>[0-9a-fA-F]{64})")
_LEAST_LENGTH = 24
"""The least length of a key that an operator made up, such as 24 random letters."""
_ID_LENGTH = 12
"""The length of the id of such a key, which is the beginning of its hash."""


@dataclass(frozen=True, slots=True)
class KeyList:
    """One setting: its keys are separated by commas, blanks or new lines."""

    setting: str
    """Its name, which also becomes the name of its keys."""
    entries: str
    kind: KeyKind
    scopes: frozenset[Scope]
    origins: Sequence[str] = ()


def configured_keys(lists: Iterable[KeyList], at: datetime) -> list[ApiKey]:
    """An entry is the key itself or its hash: `sha256:…`, or `ID:sha256:…` from `keys create --env`.

    Raises SettingsError, which never repeats an entry.
    """
    keys = dict[str, ApiKey]()
    for key_list in lists:
        origins = _origins(key_list)
        for number, entry in enumerate(key_list.entries.replace(",", " ").split(), 1):
            identifier, digest = _read(entry, number, key_list)
            if digest in keys:
                raise SettingsError(f"{key_list.setting}: key {number} is also in {keys[digest].name}.")
            keys[digest] = ApiKey(
                id=identifier,
                kind=key_list.kind,
                name=key_list.setting,
                digest=digest,
                scopes=key_list.scopes,
                origins=origins,
                created_at=at,
            )
    return list(keys.values())


def hashed_entry(key: ApiKey) -> str:
    return f"{key.id}:sha256:{key.digest}"


def _origins(key_list: KeyList) -> tuple[str, ...]:
    if not key_list.entries.strip(", \n"):
        return ()
    if key_list.kind is KeyKind.PUBLISHABLE and not key_list.origins:
        raise SettingsError(
            f"{key_list.setting} needs GLOSSATOR_KEYS_ORIGINS: the sites of its keys, such as "
            "https://book.example."
        )
    try:
        return checked_origins(key_list.kind, key_list.origins)
    except SettingsError as error:
        raise SettingsError(f"GLOSSATOR_KEYS_ORIGINS: {error}") from error


def _read(entry: str, number: int, key_list: KeyList) -> tuple[str, str]:
    """The key's id and digest."""
    if hashed := _HASHED.fullmatch(entry):
        digest = hashed["digest"].lower()
        return hashed["id"] or digest[:_ID_LENGTH], digest
    for kind, prefix in PREFIX.items():
        if entry.startswith(f"{prefix}_") and kind is not key_list.kind:
            raise SettingsError(
                f"{key_list.setting}: key {number} is a {kind} key ({prefix}_…), which does not belong there."
            )
    if len(entry) < _LEAST_LENGTH or not (entry.isascii() and entry.isprintable()):
        raise SettingsError(
            f"{key_list.setting}: key {number} is neither a hash (sha256:…) nor a key of {_LEAST_LENGTH} or "
            "more visible characters: `glossator keys create --env` makes one."
        )
    digest = digest_of(entry)
    own = _OWN_KEY.fullmatch(entry)
    return own["id"] if own else digest[:_ID_LENGTH], digest
