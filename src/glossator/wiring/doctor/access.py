"""Checks of who may ask: keys, the signing secret, and the sites whose pages carry a key."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from urllib.parse import urljoin, urlsplit

import httpx2

from glossator.adapters.records.keys import SqlKeyStore
from glossator.errors import GlossatorError
from glossator.model import ApiKey, KeyKind, Scope
from glossator.settings import Settings
from glossator.web.auth.address import is_loopback, is_loopback_origin
from glossator.web.auth.tokens import Tokens
from glossator.wiring.doctor.findings import Findings
from glossator.wiring.engine import open_database
from glossator.wiring.keys import configured_keys_of

_SECONDS = 4.0
_KEYS = "Run `glossator keys create`, or set GLOSSATOR_KEYS (docs/keys.md)."


def check_secret(settings: Settings, findings: Findings) -> None:
    if settings.secret is None:
        findings.ok(
            "signing key",
            f"in {settings.home / 'secret'}; several servers, or a container without a volume, need "
            "GLOSSATOR_SECRET",
        )
        return
    with findings.faults("signing key", "Set GLOSSATOR_SECRET to 16 characters or more."):
        Tokens(settings.secret.get_secret_value().encode())
        findings.ok("signing key", "GLOSSATOR_SECRET is set")


async def check_keys(settings: Settings, findings: Findings) -> Collection[str]:
    """Returns the origins whose pages may ask."""
    keys = list[ApiKey]()
    with findings.faults("keys", "Correct the setting; docs/keys.md says how a key is written."):
        keys += configured_keys_of(settings)
    keys += await _stored(settings)
    if not keys and not is_loopback(settings.host):
        findings.fault("keys", f"Others can reach {settings.host}, and there is no key.", _KEYS)
    elif not keys:
        findings.note("keys", "There is no key: everybody on this machine may ask.", _KEYS)
    else:
        _describe(keys, findings)
    return {origin for key in keys for origin in key.origins}


async def _stored(settings: Settings) -> list[ApiKey]:
    """None while the database does not answer, which is a finding of its own."""
    try:
        database = open_database(settings)
        try:
            return [key for key in await SqlKeyStore(database).all() if key.revoked_at is None]
        finally:
            await database.aclose()
    except GlossatorError:
        return []


def _describe(keys: Collection[ApiKey], findings: Findings) -> None:
    public = sum(key.kind is KeyKind.PUBLISHABLE for key in keys)
    findings.ok("keys", f"{len(keys) - public} secret, {public} publishable")
    if not any(Scope.OPERATE in key.scopes for key in keys):
        findings.note(
            "keys",
            "No key has the scope operate, so nobody can open the desk.",
            "Run `glossator keys create --scopes ask,read,operate`, or set GLOSSATOR_KEYS_OPERATOR.",
        )


async def check_origins(origins: Collection[str], findings: Findings) -> None:
    async with httpx2.AsyncClient(timeout=_SECONDS) as client:
        await asyncio.gather(
            *(_check_origin(client, origin, origins, findings) for origin in sorted(origins))
        )


async def _check_origin(
    client: httpx2.AsyncClient, origin: str, origins: Collection[str], findings: Findings
) -> None:
    subject = f"origin {origin}"
    if origin.startswith("http://") and not is_loopback_origin(origin):
        findings.note(
            subject, "Its pages come without TLS.", "Serve the site with https:// and change the key."
        )
    try:
        reply = await client.get(origin)
    except httpx2.HTTPError as error:
        findings.note(
            subject,
            f"No site answers there ({type(error).__name__}).",
            "Compare it with the address that a browser shows; a firewall may also close it from here.",
        )
        return
    target = _origin_of(urljoin(origin, reply.headers.get("location", "")))
    if reply.is_redirect and target not in origins:
        findings.note(
            subject,
            f"It leads to {target}, whose pages may not ask.",
            f"Make a publishable key with --origins {target}, or add it to GLOSSATOR_KEYS_ORIGINS.",
        )
    else:
        findings.ok(subject, "A site answers there")


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
