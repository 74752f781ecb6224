"""The command `serve`, and the logging of commands that run the engine.

The server is imported inside the functions, so that the command starts fast.
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
@click.option("--host", help="Listen on this address instead of the setting's.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Listen on this port instead of the setting's; 0 for any free one.",
)
@click.option(
    "--workers", type=click.IntRange(1), help="Run this many worker processes instead of the setting's."
)
@click.option(
    "--preview",
    type=click.Path(exists=True, file_okay=False),
    metavar="BOOK",
    help="Also serve the pages of the book in this folder at /, with the widget.",
)
def serve(**options: str | int | None) -> None:
    """Serve the book over HTTP until Ctrl-C or SIGTERM."""
    from glossator.web.serve import ServeOptions
    from glossator.web.serve import serve as serve_app

    overrides = {name: value for name, value in options.items() if value is not None}
    settings = load_settings(**overrides)
    configure_log(settings)
    warning = asyncio.run(_warning(settings))
    serve_options = ServeOptions(
        make_app="glossator.cli.serve:create_app",
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        header_seconds=settings.header_seconds,
        drain_seconds=settings.drain_seconds,
        stop_seconds=settings.stop_seconds,
        watchdog_seconds=settings.watchdog_seconds,
        environment={f"GLOSSATOR_{name.upper()}": str(value) for name, value in overrides.items()},
    )
    serve_app(serve_options, _announcer(settings, warning))


def create_app(stop: Stop) -> ASGIApp:
    """Called in each worker process."""
    from glossator.wiring.server import app_of

    settings = load_settings()
    configure_log(settings)
    return app_of(settings, stop=stop)


async def _warning(settings: Settings) -> str | None:
    """Says what the operator must know of who may ask; raises SettingsError where everybody could."""
    from glossator.web.auth.address import is_loopback
    from glossator.wiring.engine import keys_of
    from glossator.wiring.keys import configured_keys_of

    has_configured = bool(configured_keys_of(settings))
    try:
        async with keys_of(settings) as keys:
            has_key = any(key.revoked_at is None for key in await keys.all())
    except RecordsUnavailable:
        others = "only keys from the settings are known" if has_configured else "nobody is let in"
        return f"The database does not answer yet: until it does, {others}."
    if has_key or has_configured:
        return None
    if not is_loopback(settings.host):
        raise SettingsError(
            f"Others can reach {settings.host}, and there is no key yet: run `glossator keys create` first, "
            "set GLOSSATOR_KEYS, or serve on 127.0.0.1."
        )
    return "There is no key: everybody on this machine may ask. `glossator keys create` makes one."


def _announcer(settings: Settings, warning: str | None) -> Callable[[str], None]:
    def announce(url: str) -> None:
        click.echo(f"Glossator serves {_book(settings)} at {url}", err=True)
        if warning:
            click.echo(warning, err=True)

    return announce


def _book(settings: Settings) -> str:
    """The book's name; a server also starts without a book, and serves it once there is one."""
    from glossator.wiring import index_store_of

    try:
        manifest = index_store_of(settings).current()
    except GlossatorError:
        return "a book whose index does not answer yet"
    return f"“{manifest.book}”" if manifest else "no book yet (`glossator ingest PATH` brings one)"


def configure_log(settings: Settings) -> None:
    """Logs to standard error, without the secrets in the settings."""
    from glossator.web.middleware import log

    log.configure(
        log.Logging(
            secrets=[*_secrets(settings)],
            is_json=_IS_JSON[settings.log_format],
            log_questions=settings.log_questions,
        )
    )


def _secrets(settings: Settings) -> Iterator[str]:
    """The secret settings, and the passwords in URLs."""
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
            yield from value.replace(",", " ").split() if name.startswith("keys") else (value,)
        if isinstance(value, str) and (password := _password(value)):
            yield from (password, unquote(password))


def _password(url: str) -> str | None:
    try:
        return urlsplit(url).password
    except ValueError:
        return None
