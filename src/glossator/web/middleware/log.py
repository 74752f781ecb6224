"""How the server says what happens: one structured line at a time, in which nothing secret ever stands."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from textwrap import indent
from typing import TextIO, cast
from urllib.parse import quote

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from glossator.errors import EmbedderError, GlossatorError, WriterError
from glossator.web.trace import trace_id

_HIDDEN = "***"
_SHORTEST_SECRET = 4
"""What is shorter stands in too many words."""

# In JSON a line end before a word is the letter n behind a backslash.
_BEGINS = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4}))"
_LOOKS_SECRET = {
    "sk_": re.compile(_BEGINS + r"sk_[A-Za-z0-9_-]{8,}"),
    "pk_": re.compile(_BEGINS + r"pk_[A-Za-z0-9_-]{8,}"),
    "sk-": re.compile(_BEGINS + r"sk-[A-Za-z0-9_-]{8,}"),
    "earer ": re.compile(r"(?<=[Bb]earer )[^\s\"'\\,;]+"),
    "://": re.compile(r"(?<=://)[^\s/@\"'\\]+(?=@)"),
}
"""Our keys, those of model services, what follows in an Authorization header, who logs in by an address.

By what each holds for certain: most lines have nothing of it, and to look for that is fifty times faster.
"""


@dataclass(frozen=True, slots=True)
class Logging:
    secrets: Iterable[str] = ()
    """What must not stand in a line even if something foreign writes it there."""
    is_json: bool | None = None
    """For people where that is a terminal, for machines elsewhere, when not said."""
    names_questions: bool = False
    """Whether a reader's words may stand in a line, such as in the message of an error."""
    stream: TextIO | None = None
    """Standard error when not given."""


def configure(config: Logging) -> None:
    """For structlog and for everything that uses the standard library's logging, in the whole process."""
    lines = _Lines(config.stream or sys.stderr)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _add_trace,
            _Tracebacks(config.names_questions),
            _renderer(config.is_json, lines.stream),
            Redaction(config.secrets),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [_FromStandardLogging(logging.WARNING)]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
    threading.excepthook = _thread_failed


class Redaction:
    """The last thing that happens to a line."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _written(secret)}
        # A secret may be a part of another.
        self._known = sorted(forms, key=len, reverse=True)

    def __call__(self, logger: WrappedLogger, method: str, line: EventDict) -> str:
        return self.redact(str(line))

    def redact(self, text: str) -> str:
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, _HIDDEN)
        for sign, pattern in _LOOKS_SECRET.items():
            if sign in text:
                text = pattern.sub(_HIDDEN, text)
        return text


def _written(secret: str) -> Iterator[str]:
    """As it is, in JSON, in an address and as Python shows it."""
    if len(secret) < _SHORTEST_SECRET:
        return
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield quote(secret, safe="")
    yield repr(secret)[1:-1]
    yield json.dumps(repr(secret)[1:-1])[1:-1]


def _add_trace(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    if trace := trace_id():
        event["trace_id"] = trace
    return event


class _Tracebacks:
    def __init__(self, names_questions: bool) -> None:
        self._names_questions = names_questions

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        error = _raised(event.pop("exc_info", None))
        if error is not None:
            event["exception"] = told(error, is_whole=self._names_questions)
        return event


def _raised(exc_info: object) -> BaseException | None:
    match exc_info:
        case BaseException():
            return exc_info
        case tuple():
            return cast("tuple[object, BaseException | None, object]", exc_info)[1]
        case True:
            return sys.exc_info()[1]
        case _:
            return None


def _renderer(is_json: bool | None, stream: TextIO) -> Processor:
    is_terminal = stream.isatty()
    if is_json or (is_json is None and not is_terminal):
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(colors=is_terminal)


class _Lines:
    """Where the lines go. A full disk or a closed pipe must not cost a reader their answer."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def msg(self, line: str) -> None:
        with suppress(OSError, ValueError):
            self.stream.write(f"{line}\n")
            self.stream.flush()

    debug = info = warning = error = critical = msg


class _FromStandardLogging(logging.Handler):
    """What libraries have to say, in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelno if record.levelno in _LEVELS else logging.WARNING
        # Below its first line such a message repeats the error, and with it what a reader wrote.
        message = _message(record).partition("\n")[0] if record.exc_info else _message(record)
        structlog.get_logger().log(level, message, logger=record.name, exc_info=record.exc_info)


_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError):
        return str(record.msg)


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    structlog.get_logger().error("unexpected", exc_info=failed.exc_value)


# How an unexpected error is told in the log: where it came from, without what stood in the variables.

_TELLING = (GlossatorError, OSError, ImportError, MemoryError)
"""Whose message says what failed, and never what somebody wrote."""


def told(error: BaseException, *, is_whole: bool = False) -> str:
    """The first cause first. A foreign message may hold a reader's words, and is told only of a whole one."""
    return "\nwhich led to\n".join(_one(each, is_whole=is_whole) for each in reversed([*_chain(error)]))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _one(error: BaseException, *, is_whole: bool) -> str:
    kind = type(error)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    message = f": {error}" if is_whole or isinstance(error, _TELLING) else ""
    lines = ["".join(traceback.format_tb(error.__traceback__)) + name + message]
    if isinstance(error, BaseExceptionGroup):
        parts = cast("BaseExceptionGroup[BaseException]", error).exceptions
        lines += [indent(told(part, is_whole=is_whole), "  | ") for part in parts]
    return "\n".join(lines)


_QUOTED = re.compile(r"""(["'`])(?:(?!\1)[^\n])*+\1""")
_LONGEST_REASON = 300
_STATUS = re.compile(r"[^\n]*?\b[45]\d\d\b\)?")


def reason_of(error: GlossatorError) -> str:
    """What a dependency itself says, with its first cause; what it quotes may be a reader's words.

    A service that was told a reader's words may say them again: of its answer only the status is told.
    """
    if isinstance(error, WriterError | EmbedderError) and (status := _STATUS.match(str(error))):
        return status[0]
    said = [_first_line(each) for each in _chain(error)]
    words = ": ".join(one for number, one in enumerate(said) if one and one not in said[:number])
    return _QUOTED.sub("…", words)[:_LONGEST_REASON]


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].strip()
