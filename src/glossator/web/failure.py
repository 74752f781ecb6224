"""How an unexpected error is told in the log: where it came from, without what stood in the variables."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from textwrap import indent
from typing import cast

from glossator.errors import EmbedderError, GlossatorError, WriterError

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
