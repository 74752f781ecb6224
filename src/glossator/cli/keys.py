"""The commands `keys create`, `keys list` and `keys revoke`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import click

from glossator.cli import show
from glossator.cli.group import commands, json_option
from glossator.errors import SettingsError
from glossator.model import ApiKey, KeyKind, Scope
from glossator.settings import load_settings
from glossator.web.auth.configured import hashed_entry
from glossator.web.auth.keyring import MadeKey, make_key
from glossator.wiring.engine import keys_of
from glossator.wiring.keys import configured_keys_of

KINDS = [kind.value for kind in KeyKind]
SCOPES = [scope.value for scope in Scope]


@commands.group()
def keys() -> None:
    """Create, list and revoke the API keys of the server."""


@keys.command()
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default=KINDS[0],
    show_default=True,
    help="Create a key for servers, or a publishable one for pages.",
)
@click.option(
    "--scopes",
    metavar="SCOPE,…",
    default="",
    help=f"Set the scopes: {', '.join(SCOPES)}.  [default: ask,read]",
)
@click.option(
    "--origins",
    multiple=True,
    metavar="ORIGIN,…",
    help="Allow a publishable key on pages of ORIGIN; may repeat.",
)
@click.option("--books", multiple=True, metavar="NAME,…", help="Limit the key to the books NAME; may repeat.")
@click.option("--anonymous", is_flag=True, help="Let pages of the origins ask without sending a key.")
@click.option("--name", default="", help="Name the key, to recognise it in the list.")
@click.option("--env", is_flag=True, help="Store nothing; show the line for the environment instead.")
def create(
    kind: str,
    scopes: str,
    origins: Sequence[str],
    books: Sequence[str],
    anonymous: bool,
    name: str,
    env: bool,
) -> None:
    """Create a key and print it; it is not shown again."""
    made = make_key(
        KeyKind(kind),
        datetime.now(UTC),
        name=name,
        scopes=[_scope(name) for name in _split([scopes])],
        origins=_split(origins),
        is_anonymous=anonymous,
        books=_split(books),
    )
    if env:
        click.echo(_environment(made.key), err=True)
    else:
        asyncio.run(_add(made.key))
        click.echo(_about(made), err=True)
    click.echo(made.shown)


@keys.command("list")
@json_option
def show_all(json: bool) -> None:
    """List the keys, without their secrets."""
    api_keys = asyncio.run(_all())
    if json:
        click.echo(show.json({"keys": [_fields(key) for key in api_keys]}))
    elif api_keys:
        click.echo("\n".join(_line(key) for key in api_keys))
    else:
        click.echo("There is no key yet: run `glossator keys create`.", err=True)


@keys.command()
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Revoke the key ID permanently."""
    key = asyncio.run(_revoke(key_id))
    click.echo(f"Key {key.id} is revoked; running servers refuse it within about a second.", err=True)


async def _add(key: ApiKey) -> None:
    async with keys_of(load_settings()) as keys:
        await keys.add(key)


async def _all() -> Sequence[ApiKey]:
    settings = load_settings()
    async with keys_of(settings) as keys:
        return [*await keys.all(), *configured_keys_of(settings)]


async def _revoke(key_id: str) -> ApiKey:
    settings = load_settings()
    for key in configured_keys_of(settings):
        if key.id == key_id:
            raise SettingsError(f"Key {key_id} is in the settings: take it out of {key.name} and restart.")
    async with keys_of(settings) as keys:
        return await keys.revoke(key_id, datetime.now(UTC))


def _split(lists: Iterable[str]) -> list[str]:
    """The items of comma-separated lists."""
    return [item for text in lists for item in text.replace(" ", "").split(",") if item]


def _scope(name: str) -> Scope:
    if name not in SCOPES:
        raise click.BadParameter(f"{name!r} is not one of {', '.join(SCOPES)}.", param_hint="--scopes")
    return Scope(name)


def _about(made: MadeKey) -> str:
    return f"Made {_line(made.key)}\nThis is the key. It is kept nowhere and shown only now:"


def _environment(key: ApiKey) -> str:
    """The lines for a server whose keys are in its settings."""
    scopes = {frozenset({Scope.ASK, Scope.READ}): "", frozenset(Scope): "_OPERATOR"}
    if key.books:
        raise SettingsError("A key in the environment is for all books: make this one without --env.")
    if key.kind is KeyKind.PUBLISHABLE and not key.is_anonymous:
        lines = [
            f"GLOSSATOR_KEYS_PUBLISHABLE={hashed_entry(key)}",
            f"GLOSSATOR_KEYS_ORIGINS={','.join(key.origins)}",
        ]
    elif key.kind is KeyKind.SECRET and key.scopes in scopes:
        lines = [f"GLOSSATOR_KEYS{scopes[key.scopes]}={hashed_entry(key)}"]
    else:
        raise SettingsError(
            "The environment has keys with the scopes ask,read or ask,read,operate, and publishable ones; "
            "GLOSSATOR_ANONYMOUS_ORIGINS needs no key."
        )
    note = "Set this where the server runs; it holds only the key's hash, and is not stored here:"
    return "\n".join([note, *lines, "This is the key. It is kept nowhere and shown only now:"])


def _line(key: ApiKey) -> str:
    scopes = ",".join(sorted(key.scopes))
    parts = [key.id, key.kind.value, scopes, *key.origins, f"since {key.created_at:%Y-%m-%d}"]
    if key.books:
        parts.append(f"for {','.join(key.books)}")
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
        "books": key.books,
    }
