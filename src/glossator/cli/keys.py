"""The commands that make, list and revoke keys."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import click

from glossator.cli import show
from glossator.cli.group import as_json, commands
from glossator.model import ApiKey, KeyKind, Scope
from glossator.settings import load_settings
from glossator.web.auth.keyring import MadeKey, make_key
from glossator.wiring.engine import keys_of

KINDS = [kind.value for kind in KeyKind]
SCOPES = [scope.value for scope in Scope]


@commands.group()
def keys() -> None:
    """Make, list and revoke the keys that open the HTTP API."""


@keys.command()
@click.option(
    "--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True, help="For servers, or for pages."
)
@click.option(
    "--scopes",
    metavar="SCOPE,…",
    default="",
    help=f"What it opens: {', '.join(SCOPES)}; ask,read when not given.",
)
@click.option(
    "--origins", multiple=True, metavar="ORIGIN,…", help="Where a publishable key may be used; may repeat."
)
@click.option(
    "--anonymous", is_flag=True, help="Let pages of its origins ask without sending it, or any other key."
)
@click.option("--name", default="", help="What you know it by.")
def create(kind: str, scopes: str, origins: Sequence[str], anonymous: bool, name: str) -> None:
    """Make a key, and show it this once."""
    made = make_key(
        KeyKind(kind),
        datetime.now(UTC),
        name=name,
        scopes=[_scope(word) for word in _words([scopes])],
        origins=_words(origins),
        is_anonymous=anonymous,
    )
    asyncio.run(_add(made.key))
    click.echo(_about(made), err=True)
    click.echo(made.shown)


@keys.command("list")
@as_json
def show_all(json: bool) -> None:
    """Say which keys there are; never what they are."""
    found = asyncio.run(_all())
    if json:
        click.echo(show.json({"keys": [_fields(key) for key in found]}))
    elif found:
        click.echo("\n".join(_line(key) for key in found))
    else:
        click.echo("There is no key yet: run `glossator keys create`.", err=True)


@keys.command()
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Make the key of that ID worthless, for good."""
    key = asyncio.run(_revoke(key_id))
    click.echo(f"Key {key.id} is revoked; running servers refuse it within about a second.", err=True)


async def _add(key: ApiKey) -> None:
    async with keys_of(load_settings()) as keys:
        await keys.add(key)


async def _all() -> Sequence[ApiKey]:
    async with keys_of(load_settings()) as keys:
        return await keys.all()


async def _revoke(key_id: str) -> ApiKey:
    async with keys_of(load_settings()) as keys:
        return await keys.revoke(key_id, datetime.now(UTC))


def _words(lists: Iterable[str]) -> list[str]:
    """Of comma-separated lists."""
    return [word for one in lists for word in one.replace(" ", "").split(",") if word]


def _scope(word: str) -> Scope:
    if word not in SCOPES:
        raise click.BadParameter(f"{word!r} is not one of {', '.join(SCOPES)}.", param_hint="--scopes")
    return Scope(word)


def _about(made: MadeKey) -> str:
    return f"Made {_line(made.key)}\nThis is the key. It is kept nowhere and shown only now:"


def _line(key: ApiKey) -> str:
    opens = ",".join(sorted(key.scopes))
    parts = [key.id, key.kind.value, opens, *key.origins, f"since {key.created_at:%Y-%m-%d}"]
    if key.is_anonymous:
        parts.append("anonymous")
    if key.name:
        parts.append(f"({key.name})")
    if key.revoked_at is not None:
        parts.append(click.style(f"revoked {key.revoked_at:%Y-%m-%d}", fg="yellow"))
    return "  ".join(parts)


def _fields(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "kind": key.kind,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "origins": key.origins,
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
        "anonymous": key.is_anonymous,
    }
