"""Filters the text of a language model down to its answer while the text streams in."""

from __future__ import annotations

import re
from enum import Enum, auto

from glossator.adapters.writers.prompt import NO_ANSWER

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_HELD = 400
"""Characters held back while they may not belong to the answer; longer text always belongs to it."""


class AnswerText:
    """Takes a model's text piece by piece, and returns what belongs to the answer as soon as that is certain.

    Text before a tool call is part of the answer: the model addressed it to the reader, and the check of the
    sentences drops those that claim nothing. A blank line separates it from the text after the call.
    """

    def __init__(self, mark: str) -> None:
        self._thoughts = _Thoughts()
        self._delimiters = _Delimiters(mark)
        self._opening: str | None = ""
        """Held back while it may still become NO_ANSWER; None once it cannot."""
        self._is_new_turn = False

    def feed(self, text: str) -> str:
        text = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
        return self._release(self._delimiters.feed(self._thoughts.feed(text)))

    def end_turn(self) -> str:
        """Returns what was still held back of this turn; the next text begins a new one."""
        rest = self._delimiters.feed(self._thoughts.end()) + self._delimiters.end()
        self._thoughts = _Thoughts()
        text = self._release(rest)
        self._is_new_turn = True
        return text

    def end(self) -> str:
        """Returns what was still held back of the answer; nothing if all of it is NO_ANSWER."""
        return "" if self._is_no_answer else self._opening or ""

    @property
    def is_empty(self) -> bool:
        return self._opening is not None and not self._opening.strip()

    @property
    def _is_no_answer(self) -> bool:
        return self._opening is not None and _letters(self._opening) == _letters(NO_ANSWER)

    def _release(self, text: str) -> str:
        if not text:
            return ""
        if self._is_new_turn:
            text = self._separate(text)
        if self._opening is None:
            return text
        self._opening = (self._opening + text).lstrip()
        if len(self._opening) <= _MAX_HELD and _letters(NO_ANSWER).startswith(_letters(self._opening)):
            return ""
        opening, self._opening = self._opening, None
        return opening

    def _separate(self, text: str) -> str:
        self._is_new_turn = False
        return text if self.is_empty else f"\n\n{text.lstrip()}"


class _Stage(Enum):
    OPENING = auto()
    THINKING = auto()
    ANSWERING = auto()


class _Thoughts:
    """Removes what some models think before they answer, between `<think>` and `</think>`."""

    def __init__(self) -> None:
        self._held = ""
        self._stage = _Stage.OPENING

    def feed(self, text: str) -> str:
        self._held += text
        if self._stage is _Stage.OPENING:
            self._stage = self._opening_stage()
        if self._stage is _Stage.THINKING:
            self._drop_thoughts()
        return self._release() if self._stage is _Stage.ANSWERING else ""

    def end(self) -> str:
        """A turn that ends inside `<think>` has no answer."""
        return "" if self._stage is _Stage.THINKING else self._release()

    def _opening_stage(self) -> _Stage:
        self._held = self._held.lstrip()
        if self._held.startswith("<think>"):
            return _Stage.THINKING
        return _Stage.OPENING if "<think>".startswith(self._held) else _Stage.ANSWERING

    def _drop_thoughts(self) -> None:
        _, end, answer = self._held.rpartition("</think>")
        # If the thoughts go on, their last characters may be the beginning of `</think>`.
        self._held = answer if end else answer[-len("</think") :]
        if end:
            self._stage = _Stage.ANSWERING

    def _release(self) -> str:
        held, self._held = self._held, ""
        return held


class _Delimiters:
    """Removes the delimiter lines of the evidence, which small models repeat."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._held = ""
        self._is_inside_line = False

    def feed(self, text: str) -> str:
        *lines, last = (self._held + text).split("\n")
        self._held = ""
        released = [self._filter(f"{line}\n") for line in lines]
        may_be_delimiter = not self._is_inside_line and last.startswith("=")
        if may_be_delimiter and len(last) <= _MAX_HELD:
            self._held = last
        else:
            released.append(self._filter(last))
        return "".join(released)

    def end(self) -> str:
        """Returns what was held back; the next turn begins on a new line."""
        text, self._held = self._filter(self._held), ""
        self._is_inside_line = False
        return text

    def _filter(self, line: str) -> str:
        """The line, or part of one, unless it is a delimiter."""
        is_delimiter = not self._is_inside_line and line.startswith("=") and self._mark in line
        self._is_inside_line = not line.endswith("\n") and (self._is_inside_line or bool(line))
        return "" if is_delimiter else line


def _letters(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text).casefold()
