"""The API keys that stand in the settings."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import SecretStr

from glossator.model import ApiKey, KeyKind, Scope
from glossator.settings import Settings
from glossator.web.auth.configured import KeyList, configured_keys
from glossator.web.auth.keyring import anonymous_key

_ASK = frozenset({Scope.ASK})
_READ = frozenset({Scope.ASK, Scope.READ})


def configured_keys_of(settings: Settings) -> list[ApiKey]:
    lists = [
        KeyList("GLOSSATOR_KEYS", _text(settings.keys), KeyKind.SECRET, _READ),
        KeyList("GLOSSATOR_KEYS_OPERATOR", _text(settings.keys_operator), KeyKind.SECRET, frozenset(Scope)),
        KeyList(
            "GLOSSATOR_KEYS_PUBLISHABLE",
            _text(settings.keys_publishable),
            KeyKind.PUBLISHABLE,
            _ASK,
            settings.keys_origins,
        ),
    ]
    now = datetime.now(UTC)
    anonymous = settings.anonymous_origins
    return [*configured_keys(lists, now), *([anonymous_key(anonymous, now)] if anonymous else [])]


def _text(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""
