"""The command that serves the book over HTTP.

What serves is imported where it is needed: no other command pays for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import click
from pydantic import SecretStr

from glossator.cli.group import commands
from glossator.errors import GlossatorError, RecordsUnavailable, SettingsError
from glossator.settings import LogFormat, Settings, load_settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from glossator.web.serve.job import Stop


_IS_JSON = {LogFormat.AUTO: None, LogFormat.CONSOLE: False, LogFormat.JSON: True}


@commands.command()
@click.option("--host", help="The address to listen at, instead of the setting's.")
@click.option("--port", type=click.IntRange(0, 65535), help="Instead of the setting's; 0 for any free one.")
@click.option("--workers", type=click.IntRange(1), help="Processes that answer, instead of the setting's.")
@click.option(
    "--preview",
    type=click.Path(exists=True, file_okay=False),
    metavar="BOOK",
    help="Also show the pages of the book in that folder at /, with the widget on them.",
)
def serve(**chosen: str | int | None) -> None:
    """Serve the book over HTTP, until Ctrl-C or SIGTERM."""
    from glossator.web.serve import ServeOptions
    from glossator.web.serve import serve as serve_app

    given = {name: value for name, value in chosen.items() if value is not None}
    settings = load_settings(**given)
    configure_log(settings)
    warning = asyncio.run(_warning(settings))
    options = ServeOptions(
        make_app="glossator.cli.serve:create_app",
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        header_seconds=settings.header_seconds,
        stop_seconds=settings.stop_seconds,
        watchdog_seconds=settings.watchdog_seconds,
        environment={f"GLOSSATOR_{name.upper()}": str(value) for name, value in given.items()},
    )
    serve_app(options, _telling(settings, warning))


def create_app(stop: Stop) -> ASGIApp:
    """In each worker."""
    from glossator.wiring.server import app_of

    settings = load_settings()
    configure_log(settings)
    return app_of(settings, stop=stop)


async def _warning(settings: Settings) -> str | None:
    """What the operator has to know of who may ask; raises SettingsError where anybody might."""
    from glossator.web.auth.address import is_loopback
    from glossator.wiring.engine import keys_of

    try:
        async with keys_of(settings) as keys:
            has_key = any(key.revoked_at is None for key in await keys.all())
    except RecordsUnavailable:
        return "The database does not answer yet: until it does, nobody is let in."
    if has_key or settings.anonymous_origins:
        return None
    if not is_loopback(settings.host):
        raise SettingsError(
            f"Others can reach {settings.host}, and there is no key yet: run `glossator keys create` first, "
            "or serve on 127.0.0.1."
        )
    return "There is no key: everybody on this machine may ask. `glossator keys create` makes one."


def _telling(settings: Settings, warning: str | None) -> Callable[[str], None]:
    def tell(url: str) -> None:
        click.echo(f"Glossator serves {_book(settings)} at {url}", err=True)
        if warning:
            click.echo(warning, err=True)

    return tell


def _book(settings: Settings) -> str:
    """A server starts without a book, too, and follows as soon as there is one."""
    from glossator.wiring import shelf_of

    try:
        manifest = shelf_of(settings).current()
    except GlossatorError:
        return "a book whose index does not answer yet"
    return f"“{manifest.book}”" if manifest else "no book yet (`glossator ingest PATH` brings one)"


def configure_log(settings: Settings) -> None:
    """To standard error, without the secrets that the settings hold."""
    from glossator.web.middleware import log

    log.configure(
        log.Logging(
            secrets=[*_secrets(settings)],
            is_json=_IS_JSON[settings.log_format],
            names_questions=settings.log_questions,
        )
    )


def _secrets(settings: Settings) -> Iterator[str]:
    """Every setting that is one, and the passwords in addresses."""
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
            yield value
        if isinstance(value, str) and (password := _password(value)):
            yield from (password, unquote(password))


def _password(address: str) -> str | None:
    try:
        return urlsplit(address).password
    except ValueError:
        return None
