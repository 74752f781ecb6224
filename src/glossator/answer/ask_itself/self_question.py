"""A question whose answer's place is known."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from glossator.answer.weigh import asked_for


@dataclass(frozen=True, slots=True)
class Place:
    """A section and all that stands below it."""

    page: str
    title: str
    url: str
    start: int
    end: int
    """Characters of the page's source."""

    def holds(self, page: str, start: int) -> bool:
        return page == self.page and self.start <= start < self.end


@dataclass(frozen=True, slots=True)
class SelfQuestion:
    text: str
    about: str
    """What it asks about, in the book's words."""
    places: tuple[Place, ...]
    """Where the answer stands; any of them will do."""


def joined(questions: Iterable[SelfQuestion], language: str) -> list[SelfQuestion]:
    """No subject twice: the first question about each, with the places of all of them."""
    by_subject = dict[Hashable, list[SelfQuestion]]()
    for question in questions:
        by_subject.setdefault(frozenset(asked_for(question.text, language)), []).append(question)
    return [replace(same[0], places=_places(same)) for same in by_subject.values()]


def _places(same: Sequence[SelfQuestion]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(place for question in same for place in question.places))
