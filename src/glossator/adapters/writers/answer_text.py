"""What of a language model's words is its answer."""

from __future__ import annotations

import re
from enum import Enum, auto

from glossator.adapters.writers.prompt import NO_ANSWER

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_HELD = 400
"""Characters that are held back until it is clear what they begin; what is longer begins an answer."""


class AnswerText:
    """Hears what a model says, and gives back what belongs in the answer as soon as that is certain.

    Words before a tool call are part of the answer: they were said to the reader, and whoever checks
    the sentences drops those that say nothing. A blank line keeps them apart from the words after it.
    """

    def __init__(self, mark: str) -> None:
        self._thoughts = _Thoughts()
        self._delimiters = _Delimiters(mark)
        self._opening: str | None = ""
        """What was held back while it could still become NO_ANSWER; None once it cannot."""
        self._is_new_turn = False

    def hear(self, words: str) -> str:
        words = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", words)
        return self._say(self._delimiters.leave_out(self._thoughts.leave_out(words)))

    def end_turn(self) -> str:
        """What was still held back of this turn; the next words begin a new one."""
        rest = self._delimiters.leave_out(self._thoughts.end()) + self._delimiters.end()
        self._thoughts = _Thoughts()
        said = self._say(rest)
        self._is_new_turn = True
        return said

    def end(self) -> str:
        """What was still held back of the answer; nothing when all of it is NO_ANSWER."""
        return "" if self._is_no_answer else self._opening or ""

    @property
    def is_empty(self) -> bool:
        return self._opening is not None and not self._opening.strip()

    @property
    def _is_no_answer(self) -> bool:
        return self._opening is not None and _letters(self._opening) == _letters(NO_ANSWER)

    def _say(self, words: str) -> str:
        if not words:
            return ""
        if self._is_new_turn:
            words = self._apart(words)
        if self._opening is None:
            return words
        self._opening = (self._opening + words).lstrip()
        if len(self._opening) <= _LONGEST_HELD and _letters(NO_ANSWER).startswith(_letters(self._opening)):
            return ""
        opening, self._opening = self._opening, None
        return opening

    def _apart(self, words: str) -> str:
        self._is_new_turn = False
        return words if self.is_empty else f"\n\n{words.lstrip()}"


class _Stage(Enum):
    OPENING = auto()
    THINKING = auto()
    SPEAKING = auto()


class _Thoughts:
    """Some models speak their thoughts before the answer, between `<think>` and `</think>`."""

    def __init__(self) -> None:
        self._held = ""
        self._stage = _Stage.OPENING

    def leave_out(self, words: str) -> str:
        self._held += words
        if self._stage is _Stage.OPENING:
            self._stage = self._look()
        if self._stage is _Stage.THINKING:
            self._think()
        return self._release() if self._stage is _Stage.SPEAKING else ""

    def end(self) -> str:
        """A turn that ends in thought has said nothing."""
        return "" if self._stage is _Stage.THINKING else self._release()

    def _look(self) -> _Stage:
        self._held = self._held.lstrip()
        if self._held.startswith("<think>"):
            return _Stage.THINKING
        return _Stage.OPENING if "<think>".startswith(self._held) else _Stage.SPEAKING

    def _think(self) -> None:
        _, end, answer = self._held.rpartition("</think>")
        # Of thoughts that go on, the last letters may be the beginning of their end.
        self._held = answer if end else answer[-len("</think") :]
        if end:
            self._stage = _Stage.SPEAKING

    def _release(self) -> str:
        held, self._held = self._held, ""
        return held


class _Delimiters:
    """Small models repeat the lines that stand around the evidence, which are not for readers."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._held = ""
        self._is_inside_a_line = False

    def leave_out(self, words: str) -> str:
        *lines, last = (self._held + words).split("\n")
        self._held = ""
        said = [self._line(f"{line}\n") for line in lines]
        may_be_delimiter = not self._is_inside_a_line and last.startswith("=")
        if may_be_delimiter and len(last) <= _LONGEST_HELD:
            self._held = last
        else:
            said.append(self._line(last))
        return "".join(said)

    def end(self) -> str:
        """The next turn begins a line of its own."""
        said, self._held = self._line(self._held), ""
        self._is_inside_a_line = False
        return said

    def _line(self, line: str) -> str:
        """What is said of a line, or of a part of one."""
        is_delimiter = not self._is_inside_a_line and line.startswith("=") and self._mark in line
        self._is_inside_a_line = not line.endswith("\n") and (self._is_inside_a_line or bool(line))
        return "" if is_delimiter else line


def _letters(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text).casefold()
