"""Structured logging, one line per event, without secrets and without readers' words."""

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
"""Shorter secrets are not redacted: they occur in ordinary words."""

# In JSON a line end before a word is a backslash and the letter n.
_WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4}))"
_LOOKS_SECRET = {
    "sk_": re.compile(_WORD_START + r"sk_[A-Za-z0-9_-]{8,}"),
    "pk_": re.compile(_WORD_START + r"pk_[A-Za-z0-9_-]{8,}"),
    "sk-": re.compile(_WORD_START + r"sk-[A-Za-z0-9_-]{8,}"),
    "earer ": re.compile(r"(?<=[Bb]earer )[^\s\"'\\,;]+"),
    "://": re.compile(r"(?<=://)[^\s/@\"'\\]+(?=@)"),
}
"""Our keys, model services' keys, Authorization headers, and credentials in URLs.

Each pattern is tried only on lines that contain its literal, which is fifty times faster to look for.
"""


@dataclass(frozen=True, slots=True)
class Logging:
    secrets: Iterable[str] = ()
    """Redacted from every line, whichever library wrote it."""
    is_json: bool | None = None
    """When None, JSON unless the stream is a terminal."""
    log_questions: bool = False
    """Whether a line may hold a reader's words, such as in the message of an error."""
    stream: TextIO | None = None
    """Standard error when not given."""


def configure(config: Logging) -> None:
    """Sets up structlog and the standard library's logging for the whole process."""
    lines = _Lines(config.stream or sys.stderr)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _add_trace,
            _Tracebacks(config.log_questions),
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
    """The last processor: hides secrets in the rendered line."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _spellings(secret)}
        # Longest first: a secret may be a part of another.
        self._known = sorted(forms, key=len, reverse=True)

    def __call__(self, logger: WrappedLogger, method: str, line: EventDict) -> str:
        return self.redact(str(line))

    def redact(self, text: str) -> str:
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, _HIDDEN)
        for literal, pattern in _LOOKS_SECRET.items():
            if literal in text:
                text = pattern.sub(_HIDDEN, text)
        return text


def _spellings(secret: str) -> Iterator[str]:
    """The secret as it is, in JSON, in a URL and in a Python repr."""
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
    def __init__(self, log_questions: bool) -> None:
        self._log_questions = log_questions

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        error = _raised(event.pop("exc_info", None))
        if error is not None:
            event["exception"] = format_error(error, with_messages=self._log_questions)
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
    """The logger that writes lines. A full disk or a closed pipe must not fail a request."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def msg(self, line: str) -> None:
        with suppress(OSError, ValueError):
            self.stream.write(f"{line}\n")
            self.stream.flush()

    debug = info = warning = error = critical = msg


class _FromStandardLogging(logging.Handler):
    """Passes what libraries log to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelno if record.levelno in _LEVELS else logging.WARNING
        # Only the first line: the others repeat the error, which may hold a reader's words.
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


# Errors in the log: where they came from, without the values of variables.

_SAFE_MESSAGES = (GlossatorError, OSError, ImportError, MemoryError)
"""Errors whose message never holds a reader's words."""


def format_error(error: BaseException, *, with_messages: bool = False) -> str:
    """The tracebacks of an error and its causes, the first cause first.

    A library's message may hold a reader's words, so it is left out unless `with_messages`.
    """
    chain = reversed([*_chain(error)])
    return "\nwhich led to\n".join(_format_one(error, with_messages=with_messages) for error in chain)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    visited = set[int]()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _format_one(error: BaseException, *, with_messages: bool) -> str:
    kind = type(error)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    message = f": {error}" if with_messages or isinstance(error, _SAFE_MESSAGES) else ""
    lines = ["".join(traceback.format_tb(error.__traceback__)) + name + message]
    if isinstance(error, BaseExceptionGroup):
        parts = cast("BaseExceptionGroup[BaseException]", error).exceptions
        lines += [indent(format_error(part, with_messages=with_messages), "  | ") for part in parts]
    return "\n".join(lines)


_QUOTED = re.compile(r"""(["'`])(?:(?!\1)[^\n])*+\1""")
_LONGEST_REASON = 300
_STATUS = re.compile(r"[^\n]*?\b[45]\d\d\b\)?")


def reason_of(error: GlossatorError) -> str:
    """The dependency's own message and its causes, without quotations, which may be a reader's words.

    A model service may repeat what a reader wrote, so only the status of its reply is used.
    """
    if isinstance(error, WriterError | EmbedderError) and (status := _STATUS.match(str(error))):
        return status[0]
    messages = dict.fromkeys(_first_line(cause) for cause in _chain(error))
    reason = ": ".join(message for message in messages if message)
    return _QUOTED.sub("…", reason)[:_LONGEST_REASON]


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].strip()
