"""What happens on the way to an answer, in the order in which a reader hears of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from glossator.model.answer import Answer, Claim
from glossator.model.search import Hit


class Stage(StrEnum):
    SEARCHING = "searching"
    WRITING = "writing"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class Reached:
    stage: Stage


@dataclass(frozen=True, slots=True)
class Found:
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A checked sentence; the texts joined are the answer."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Answered:
    """The last one, always."""

    answer: Answer


Event = Reached | Found | Claimed | Answered
