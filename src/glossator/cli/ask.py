"""The command `ask`: by the answer pipeline alone, or with `--session` by the engine, which stores."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import click

from glossator.adapters.writers.service import warm_up
from glossator.cli import show_answer
from glossator.cli.group import FILTER_HELP, book_option, commands, filters_of, json_option, settings_of
from glossator.cli.show_markdown import printer_for_stdout
from glossator.errors import BookNotFound, SettingsError
from glossator.model import Answer, AnswerFinished, ClaimChecked, Contract, Event, Owner, Question, Selection
from glossator.settings import Settings
from glossator.wiring import assistant_of, embedder_of, index_store_of

_NAME = re.compile(r"[A-Za-z0-9._:-]{1,128}")


@commands.command()
@click.argument("text")
@click.option("--session", metavar="NAME", help="Continue the conversation NAME, and store it.")
@click.option(
    "--selection",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Answer only from the text in FILE (- for stdin).",
)
@click.option(
    "--top-k", type=click.IntRange(1, 20), default=5, show_default=True, help="Search for this many chunks."
)
@click.option("--threshold", type=click.FloatRange(0, 1), help="Use only chunks of at least this similarity.")
@click.option("--through-chapter", type=click.IntRange(1), metavar="N", help="Use only the first N chapters.")
@click.option("--filter", "filters", multiple=True, metavar="FIELD=VALUE", help=FILTER_HELP)
@click.option("--show-trace", is_flag=True, help="Print what each step did and how long it took.")
@book_option
@json_option
def ask(
    text: str,
    session: str | None,
    selection: Path | None,
    filters: Sequence[str],
    show_trace: bool,
    book: str | None,
    json: bool,
    **limits: Any,
) -> None:
    """Answer the question TEXT from the book, with citations."""
    settings = settings_of(book)
    if settings.model:
        warm_up()
    question = Question(text=text, selection=_selection(selection), filters=filters_of(filters), **limits)
    events = _in_session(settings, question, session) if session else _without_session(settings, question)
    answer = asyncio.run(_print_answer(events, is_printed=not json))
    if json:
        click.echo(show_answer.json(answer))
    elif below := show_answer.below(answer, _site_origin(settings, answer)):
        click.echo(f"\n{below}")
    if show_trace:
        click.echo(show_answer.trace(answer), err=True)


def _site_origin(settings: Settings, answer: Answer) -> str:
    """Small talk and answers from a selection need no index, so none is opened for them."""
    if not answer.suggestions and not any(citation.url.startswith("/") for citation in answer.citations):
        return ""
    manifest = index_store_of(settings).current()
    return manifest.site_origin if manifest else ""


def _selection(file: Path | None) -> Selection | None:
    if file is None:
        return None
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BookNotFound(f"The selection in {file} cannot be read.") from error
    return Selection(text, only=True)


async def _without_session(settings: Settings, question: Question) -> AsyncGenerator[Event]:
    with assistant_of(settings, say=_say) as assistant:
        async with aclosing(assistant.stream(question)) as events:
            async for event in events:
                yield event


async def _in_session(settings: Settings, question: Question, name: str) -> AsyncGenerator[Event]:
    """Stored like the server's sessions, under an owner that only the command line has."""
    if not _NAME.fullmatch(name):
        raise SettingsError("A session's name has 1 to 128 letters, digits and . _ : - only.")
    from glossator.sessions.running import TurnRequest
    from glossator.wiring.engine import wire_engine

    wired = wire_engine(settings, embedder_of(settings, _say))
    try:
        await wired.database.migrate()
        owner = Owner("command-line", book=settings.book)
        turn_request = TurnRequest(question, owner, Contract.NATIVE, session_id=name)
        running = await wired.engine.ask(turn_request)
        async with aclosing(running.events()) as events:
            async for delivered in events:
                yield delivered.event
    finally:
        await wired.aclose()


def _say(message: str) -> None:
    click.echo(message, err=True)


async def _print_answer(events: AsyncGenerator[Event], *, is_printed: bool) -> Answer:
    """Prints sentences as they come, and returns the answer."""
    printer = printer_for_stdout(lambda text: click.echo(text, nl=False)) if is_printed else None
    has_begun = False
    async with aclosing(events):
        async for event in events:
            match event:
                case ClaimChecked(claim) if printer:
                    printer.write(claim.text)
                    has_begun = True
                case AnswerFinished(answer):
                    if printer:
                        if not has_begun:
                            printer.write(answer.text)
                        printer.finish()
                    return answer
                case _:
                    continue
    raise AssertionError("every stream ends with its answer")
